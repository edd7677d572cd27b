"""Which object was pointed at, from recorded joint states: the ray of an extended index finger of a resting arm."""

import mujoco
import numpy as np

from lucca_lab.judge.traces import Floats, SimulationTrace
from lucca_robot.mujoco_model import robot_spec
from lucca_robot.profile import RobotProfile

INDEX_LINKS = {'left': ('l_Iproximal', 'l_Itip'), 'right': ('r_Iproximal', 'r_Itip')}
STILL_RAD_PER_S = 0.05
DWELL_S = 0.2
MAX_MISS_M = 0.03
"""How far from the object's centre the ray may pass."""

MAX_RANGE_M = 0.35
STRETCHED = 0.95
"""Cosine of the angle that the finger's first and last link may enclose."""


def pointed_objects(trace: SimulationTrace, profile: RobotProfile) -> tuple[str, ...]:
    """Names of the objects pointed at, in order, each once for every time the arm came to rest on it."""
    model = robot_spec(profile).compile()
    data = mujoco.MjData(model)
    address = {name: model.joint(name).qposadr[0] for name in trace.joint_names}
    seen: list[tuple[float, str]] = []
    for side, links in INDEX_LINKS.items():
        arm = [index for index, name in enumerate(trace.joint_names) if name.startswith(side[0] + '_joint')]
        for first, last in _dwells(trace, arm):
            middle = (first + last) // 2
            for index, name in enumerate(trace.joint_names):
                data.qpos[address[name]] = trace.joint_positions_rad[middle, index]
            mujoco.mj_kinematics(model, data)
            base, tip = (np.array(data.body(link).xpos) for link in links)
            hit = _hit(base, tip, trace, middle) if _stretched(data, links) else None
            if hit is not None:
                seen.append((float(trace.time_s[middle]), hit))
    return tuple(name for _, name in sorted(seen))


def _dwells(trace: SimulationTrace, columns: list[int]) -> list[tuple[int, int]]:
    speeds = np.abs(np.diff(trace.joint_positions_rad[:, columns], axis=0)) / np.diff(trace.time_s)[:, None]
    still = np.concatenate([[False], speeds.max(axis=1) < STILL_RAD_PER_S, [False]])
    edges = np.flatnonzero(np.diff(still.astype(int)))
    runs = zip(edges[::2], edges[1::2], strict=True)
    last = len(trace.time_s) - 1
    return [(int(a), min(int(b), last)) for a, b in runs if trace.time_s[min(b, last)] - trace.time_s[a] >= DWELL_S]


def _stretched(data: mujoco.MjData, links: tuple[str, str]) -> bool:
    base, tip = (data.body(link).xmat.reshape(3, 3)[:, 1] for link in links)
    return float(base @ tip) > STRETCHED


def _hit(base: Floats, tip: Floats, trace: SimulationTrace, sample: int) -> str | None:
    direction = (tip - base) / np.linalg.norm(tip - base)
    best, best_miss_m = None, MAX_MISS_M
    for column, name in enumerate(trace.object_names):
        offset = trace.object_positions_m[sample, column] - tip
        along = float(offset @ direction)
        miss_m = float(np.linalg.norm(offset - along * direction))
        if 0.0 < along < MAX_RANGE_M and miss_m < best_miss_m:
            best, best_miss_m = name, miss_m
    return best
