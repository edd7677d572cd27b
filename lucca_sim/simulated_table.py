"""The interface of a simulated table, implemented by `PhysicsTable` and `KinematicTable`, and its values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lucca_robot.profile import RobotProfile
from lucca_sim.mujoco_world import CameraIntrinsics
from lucca_sim.scene import Scene

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


class SimulatedTable(Protocol):
    """A simulated table with a robot; simulated time begins at 0."""

    scene: Scene
    profile: RobotProfile
    camera_info: CameraIntrinsics

    @property
    def time_s(self) -> float:
        """Simulated time now, in s."""

    @property
    def controllers(self) -> Mapping[str, tuple[str, ...]]:
        """Every controller's joints."""

    def step(self, until_s: float) -> None:
        """Simulates up to the first step that reaches a time."""

    def joint_positions(self) -> dict[str, float]:
        """Position of every moving joint in rad or m."""

    def joint_velocities(self) -> dict[str, float]:
        """Velocity of every moving joint in rad/s or m/s."""

    def command(
        self,
        controller: str,
        joints: Sequence[str],
        times_s: Sequence[float] | Array,
        positions: Sequence[Sequence[float]] | Array,
        velocities: Sequence[Sequence[float]] | Array | None,
        start_s: float,
    ) -> None:
        """Passes a trajectory to a controller; see `TrajectoryController.command`.

        Raises:
            ValueError: the controller is unknown, or refuses the trajectory.
        """

    def render(self) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """The camera's present image: rgb (h, w, 3) and depth along the optical axis in m (h, w)."""

    def showcase(self, *, smooth: bool = False) -> NDArray[np.uint8]:
        """An image (h, w, 3) for people, from the side; `smooth` for stills."""

    def object_states(self) -> ObjectStates:
        """The true state of all objects, for the trace."""

    @property
    def body_names(self) -> tuple[str, ...]:
        """Names of the bodies, by their number in `contacts`; table and floor belong to `world`."""

    def contacts(self) -> Contacts | None:
        """Contacts, for the trace; None if the engine has none."""

    def hand_closures(self) -> Mapping[str, HandClosure]:
        """How far each hand is commanded to close, and is closed, by side."""

    def close(self) -> None:
        """Frees the graphics context."""
