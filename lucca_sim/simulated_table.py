"""The states that a simulated table reports for the trace."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ObjectStates:
    """Ground truth of all objects at one moment, in the order of the scene. For the trace only, never for the stack.

    `positions_m` (n, 3) and `orientations_wxyz` (n, 4) are in the world frame, `velocities` (n, 6) are linear in m/s,
    then angular in rad/s. `held_by` names the hand that holds each object, or is empty.
    """

    positions_m: Array
    orientations_wxyz: Array
    velocities: Array
    held_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Contacts:
    """Contacts at one moment, one row per pair of bodies of which at least one is an object. For the trace only.

    `bodies` (n, 2) are indices into `body_names`. `normals` (n, 3) point from the first body to the second, in the
    world frame. `depths_m` (n,) is the overlap at the deepest point, negative for a gap. `forces_n` (n,) is the sum of
    the pair's normal forces, in N.
    """

    bodies: NDArray[np.int16]
    normals: Array
    depths_m: Array
    forces_n: Array


@dataclass(frozen=True, slots=True)
class HandClosure:
    """How far one hand is commanded to close, and is closed, from 0 (open) to 1; see `HandReading`."""

    asked: float
    measured: float
