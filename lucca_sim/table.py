"""What a simulated table does for the node and the recorder; `PhysicsTable` and `KinematicTable` both do it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lucca_robot.profile import RobotProfile
from lucca_sim.scene import Scene
from lucca_sim.world import CameraIntrinsics

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ObjectStates:
    """Where all objects are at one moment, in the order of the scene. For the trace only, never for the stack.

    `positions_m` (n, 3) and `orientations_wxyz` (n, 4) in the world frame, `velocities` (n, 6): linear in m/s, then angular
    in rad/s; `held_by` names the hand that holds each object, or is empty.
    """

    positions_m: Array
    orientations_wxyz: Array
    velocities: Array
    held_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Contacts:
    """What touches what at one moment, one row for each pair of bodies of which at least one is an object. For the trace only.

    `bodies` (n, 2) are numbers in `body_names`; `normals` (n, 3) point from the first body to the second in the world frame;
    `depths_m` (n,) is how far the two overlap at the deepest point, negative for a gap; `forces_n` (n,) is the sum of the
    normal forces of the pair, in N.
    """

    bodies: NDArray[np.int16]
    normals: Array
    depths_m: Array
    forces_n: Array


@dataclass(frozen=True, slots=True)
class HandClosure:
    """How far one hand is asked to close and is closed: 0 open to 1 closed, see `HandReading`."""

    asked: float
    measured: float


class Table(Protocol):
    """A table with a robot at it, in simulated time that begins at 0."""

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
        """Simulates until a time; not beyond the first step that reaches it."""

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
        """Gives a trajectory to a controller, see `TrajectoryController.command`.

        Raises:
            ValueError: no such controller, or a trajectory that it refuses.
        """

    def render(self) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """The camera's picture now: rgb (h, w, 3) and depth along the optical axis in m (h, w)."""

    def showcase(self, *, smooth: bool = False) -> NDArray[np.uint8]:
        """A picture (h, w, 3) for people, from the side; `smooth` for stills."""

    def object_states(self) -> ObjectStates:
        """The true state of all objects, for the trace."""

    @property
    def body_names(self) -> tuple[str, ...]:
        """Names of the bodies that `contacts` numbers: objects, containers, the robot's links, and `world` for table and floor."""

    def contacts(self) -> Contacts | None:
        """What touches what, for the trace; None where the engine knows no contacts."""

    def hand_closures(self) -> Mapping[str, HandClosure]:
        """How far each hand is asked to close and is closed, by side."""

    def close(self) -> None:
        """Gives the graphics context back."""
