"""The law of balance: the contacts of an object at rest must be able to keep it where it is.

For an object at rest, the contact forces and the weight must add up to zero, and so must their torques about the centre
of mass. The forces lie within friction cones and are found by non-negative least squares (Lawson and Hanson 1974).
"""

import numpy as np
from scipy.optimize import nnls

from lucca_lab.judge.evidence import Evidence, runs_of
from lucca_lab.judge.faults import Fault
from lucca_lab.judge.traces import Floats
from lucca_sim.mujoco_world import ROLLING_FRICTION_M, ROUND

MAX_LEVER_M = 0.004
MAX_LEVER_MOVING_M = 0.015
"""The most torque that may remain, divided by the weight: for an object that does not move at all, and for one that
still rolls slowly, since rolling has friction of its own."""

QUIET_MPS = 0.0005
FRICTION = 1.5
"""A generous value: an object among others may have more contacts than the geometry tells apart."""

ROLLING_M = 2 * ROLLING_FRICTION_M
"""The most rolling torque per normal force, also generous: wedged fruit presses with more than its weight."""

CONE_SIDES = 8
REST_ROWS = 25
EVERY_ROWS = 100
"""Samples of 20 ms for which an object must lie still before its balance is checked, and between two checks."""

_FORCE_PER_M = 10.0
"""The cost of one unsupported weight, against a lever of one metre. It is large so that the weight is carried first."""


def what_rests_is_in_balance(evidence: Evidence) -> list[Fault]:
    """Finds resting objects that would have to fall over."""
    trace, faults = evidence.trace, []
    still = evidence.resting & ~evidence.driven
    for column, name in enumerate(trace.object_names):
        for first, last in runs_of(still[:, column], REST_ROWS):
            rows = range(first + REST_ROWS // 2, last, EVERY_ROWS)
            fallen = [row for row in rows if lever_m(evidence, column, row) > _most_m(evidence, column, row)]
            if fallen:
                lever = lever_m(evidence, column, fallen[0])
                text = f'lies still though its weight pulls {lever * 100:.1f} cm beside what it lies on'
                time_s = float(trace.time_s[fallen[0]])
                faults.append(Fault(law='support', object=name, time_s=time_s, text=text))
                break
    return faults


def _most_m(evidence: Evidence, column: int, row: int) -> float:
    around = slice(max(0, row - REST_ROWS // 2), row + REST_ROWS // 2)
    return MAX_LEVER_M if evidence.speeds_mps[around, column].max() < QUIET_MPS else MAX_LEVER_MOVING_M


def lever_m(evidence: Evidence, column: int, row: int) -> float:
    """The torque per weight that the contacts of an object cannot balance (m); 0 for an object without contacts.

    Such an object falls, which is the concern of other laws.
    """
    trace, world = evidence.trace, evidence.world
    world.put(trace.object_positions_m[row], trace.object_orientations_wxyz[row], trace.joint_positions_rad[row])
    points, normals = world.points_on(int(world.bodies[column]))
    if not len(points):
        return 0.0
    arms = points - world.data.xipos[world.bodies[column]]
    sliding = _cones(normals)
    item = evidence.scene.object_named(trace.object_names[column])
    rolling_m = ROLLING_M if item is not None and item.shape in ROUND else 0.0
    turns = np.repeat(np.eye(3), 2, axis=0) * np.tile((rolling_m, -rolling_m), 3)[:, None]
    rolling = np.repeat(normals, len(turns), axis=0)
    forces = np.concatenate([sliding, rolling])
    torques = np.concatenate(
        [
            np.cross(np.repeat(arms, CONE_SIDES, axis=0), sliding),
            np.repeat(np.cross(arms, normals), len(turns), axis=0) + np.tile(turns, (len(normals), 1)),
        ]
    )
    system = np.hstack([_FORCE_PER_M * forces, torques]).T
    wanted = np.array((0.0, 0.0, _FORCE_PER_M, 0.0, 0.0, 0.0))
    found, _ = nnls(system, wanted)
    return float(np.linalg.norm(system @ found - wanted))


def _cones(normals: Floats) -> Floats:
    """Forces (CONE_SIDES m, 3) along the edges of the friction cones around normals (m, 3)."""
    across = np.where(np.abs(normals[:, :1]) < 0.8, (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    aside = np.cross(normals, across)
    aside /= np.linalg.norm(aside, axis=1, keepdims=True)
    upright = np.cross(normals, aside)
    turns = 2 * np.pi * np.arange(CONE_SIDES)[:, None] / CONE_SIDES
    edges = np.cos(turns) * aside[:, None] + np.sin(turns) * upright[:, None]
    return np.asarray((normals[:, None] + FRICTION * edges).reshape(-1, 3))
