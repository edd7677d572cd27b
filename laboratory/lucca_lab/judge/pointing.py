"""Objects pointed at, from recorded joint states: those on the ray of a pointing hand while its arm rests."""

from collections.abc import Mapping

import numpy as np

from lucca_lab.judge.traces import Floats, SimulationTrace
from lucca_robot.arm_profile import HandProfile
from lucca_robot.description import RobotDescription
from lucca_robot.kinematics import RobotKinematics
from lucca_robot.profile import RobotProfile

STILL_RAD_PER_S = 0.05
DWELL_S = 0.2
MAX_MISS_M = 0.03
"""How far from the object's centre the ray may pass (m)."""

MAX_RANGE_M = 0.35
POSTURE_RAD, POSTURE_M = 0.3, 0.004
"""How far each joint of a pointing hand may be from the profile's pointing posture, revolute or prismatic."""


def pointed_objects(trace: SimulationTrace, profile: RobotProfile) -> tuple[str, ...]:
    """Names of the objects pointed at, in order. A name is repeated for each time that an arm came to rest on it."""
    kinematics = RobotKinematics(profile)
    seen: list[tuple[float, str]] = []
    for side, arm in profile.arms.items():
        for first, last in _dwells(trace, [trace.joint_names.index(name) for name in arm.joints]):
            middle = (first + last) // 2
            joints = dict(zip(trace.joint_names, trace.joint_positions_rad[middle].tolist(), strict=True))
            if not _points(profile.description, arm.hand, joints):
                continue
            kinematics.update(joints)
            tip, direction = kinematics.pointing_ray(side)
            hit = _hit(tip, direction, trace, middle)
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


def _points(description: RobotDescription, hand: HandProfile, joints: Mapping[str, float]) -> bool:
    """Whether a hand is in its pointing posture. A gripper that holds something is less closed."""
    return all(
        abs(joints[name] - wanted) < (POSTURE_M if description.joint(name).kind == 'prismatic' else POSTURE_RAD)
        for name, wanted in zip(hand.joints, hand.point, strict=True)
    )


def _hit(tip: Floats, direction: Floats, trace: SimulationTrace, sample: int) -> str | None:
    best, best_miss_m = None, MAX_MISS_M
    for column, name in enumerate(trace.object_names):
        offset = trace.object_positions_m[sample, column] - tip
        along = float(offset @ direction)
        miss_m = float(np.linalg.norm(offset - along * direction))
        if 0.0 < along < MAX_RANGE_M and miss_m < best_miss_m:
            best, best_miss_m = name, miss_m
    return best
