"""MuJoCo's contacts that involve an object, merged into one row per pair of bodies: normal, depth and force."""

import mujoco
import numpy as np
from numpy.typing import NDArray

from lucca_sim.simulated_table import Contacts

TOUCH_M = 0.0005
"""Distance below which bodies count as touching; the solver leaves a small gap between some bodies at rest."""


def contacts_of(model: mujoco.MjModel, data: mujoco.MjData, is_object: NDArray[np.bool_]) -> Contacts:
    """Contacts that involve an object, one row per pair of bodies: normal at the deepest point, sum of the forces.

    Args:
        model: the world.
        data: its state after collision detection; forces are those of the last step, and 0 before the first step.
        is_object: (nbody,) true for objects.
    """
    bodies = model.geom_bodyid[data.contact.geom] if data.ncon else np.zeros((0, 2), dtype=int)
    wanted = np.flatnonzero(is_object[bodies].any(axis=1) & (data.contact.dist <= TOUCH_M)) if data.ncon else ()
    rows: dict[tuple[int, int], tuple[NDArray[np.float64], float, float]] = {}
    force = np.zeros(6)
    for index in wanted:
        first, second = (int(body) for body in bodies[index])
        normal = data.contact.frame[index, :3].copy()
        if first > second:
            first, second, normal = second, first, -normal
        mujoco.mj_contactForce(model, data, int(index), force)
        depth_m = -float(data.contact.dist[index])
        known = rows.get((first, second))
        if known is None:
            rows[first, second] = (normal, depth_m, float(force[0]))
        else:
            deepest = (normal, depth_m) if depth_m > known[1] else known[:2]
            rows[first, second] = (*deepest, known[2] + float(force[0]))
    return Contacts(
        bodies=np.array(list(rows), dtype=np.int16).reshape(-1, 2),
        normals=np.array([row[0] for row in rows.values()]).reshape(-1, 3),
        depths_m=np.array([row[1] for row in rows.values()]),
        forces_n=np.array([row[2] for row in rows.values()]),
    )
