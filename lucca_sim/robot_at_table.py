"""The base class of both simulated tables: the compiled MuJoCo world, its indices, and the robot's controllers."""

from abc import ABC, abstractmethod
from collections.abc import Mapping

import mujoco
import numpy as np
from numpy.typing import NDArray

from lucca_robot.profile import RobotProfile
from lucca_sim.mujoco_world import CameraIntrinsics, build_world, rest_pose
from lucca_sim.rendering import Pictures
from lucca_sim.scene import Scene
from lucca_sim.simulated_table import Contacts, HandClosure, ObjectStates
from lucca_sim.trajectory_controller import Trajectory, TrajectoryController

Array = NDArray[np.float64]


class RobotAtTable(ABC):
    """A world that starts at rest at time 0, with controllers that hold the robot at home."""

    def __init__(
        self, scene: Scene, profile: RobotProfile, camera_offset_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
    ) -> None:
        self.scene = scene
        self.profile = profile
        self.camera_info = CameraIntrinsics()
        self.model = build_world(scene, profile, camera_offset_m, looks=True).compile()
        self.data = mujoco.MjData(self.model)
        self.data.qpos[:] = rest_pose(self.model, profile)
        mujoco.mj_forward(self.model, self.data)
        self._pictures: Pictures | None = None

        model = self.model
        self.joint_names = tuple(joint.name for joint in profile.moving_joints)
        self._qpos_of = {name: int(model.jnt_qposadr[model.joint(name).id]) for name in self.joint_names}
        self._dof_of = {name: int(model.jnt_dofadr[model.joint(name).id]) for name in self.joint_names}
        self._joint_qpos = np.array([self._qpos_of[name] for name in self.joint_names])
        self._joint_dof = np.array([self._dof_of[name] for name in self.joint_names])
        limits = {joint.name: (joint.lower, joint.upper) for joint in profile.moving_joints}
        self._controllers = {
            name: TrajectoryController(name, joints, limits, [profile.home[joint] for joint in joints])
            for name, joints in profile.controllers.items()
        }
        self.object_bodies = np.array([model.body(item.name).id for item in scene.objects], dtype=int)
        self._object_qpos = np.array(
            [model.jnt_qposadr[model.joint(item.name).id] for item in scene.objects], dtype=int
        )
        self._object_dof = np.array([model.jnt_dofadr[model.joint(item.name).id] for item in scene.objects], dtype=int)
        self._hands = {side: _Hand(profile, side, self._qpos_of) for side in profile.arms}

    @abstractmethod
    def step(self, until_s: float) -> None:
        """Simulates up to the first step that reaches a time."""

    @abstractmethod
    def object_states(self) -> ObjectStates:
        """The state of all objects, for the trace."""

    def contacts(self) -> Contacts | None:
        """Contacts that involve an object; None without dynamics."""
        return None

    @property
    def body_names(self) -> tuple[str, ...]:
        """Names of all bodies of the world, by id."""
        return tuple(self.model.body(index).name for index in range(self.model.nbody))

    def hand_closures(self) -> dict[str, HandClosure]:
        """How far each hand is commanded to close, and is closed, by side."""
        return {
            side: HandClosure(
                asked=hand.asked(self._controllers[hand.controller], self.time_s),
                measured=hand.measured(self.data.qpos),
            )
            for side, hand in self._hands.items()
        }

    @property
    def controllers(self) -> Mapping[str, tuple[str, ...]]:
        """Every controller's joints."""
        return {name: controller.joints for name, controller in self._controllers.items()}

    @property
    def time_s(self) -> float:
        """Simulated time now, in s."""
        return float(self.data.time)

    def joint_positions(self) -> dict[str, float]:
        """Position of every moving joint in rad or m."""
        return dict(zip(self.joint_names, self.data.qpos[self._joint_qpos].tolist(), strict=True))

    def joint_velocities(self) -> dict[str, float]:
        """Velocity of every moving joint in rad/s or m/s."""
        return dict(zip(self.joint_names, self.data.qvel[self._joint_dof].tolist(), strict=True))

    def command(self, controller: str, trajectory: Trajectory) -> None:
        """Passes a trajectory to a controller.

        Raises:
            ValueError: the controller is unknown, or refuses the trajectory.
        """
        if controller not in self._controllers:
            raise ValueError(f'unknown controller {controller!r}; known are {", ".join(sorted(self._controllers))}')
        self._controllers[controller].command(trajectory, self.time_s)

    def render(self) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """The camera's present image: rgb (h, w, 3) and depth along the optical axis in m (h, w)."""
        return self._camera().colour_and_depth(self.data)

    def showcase(self, *, smooth: bool = False) -> NDArray[np.uint8]:
        """An image (h, w, 3) for people, from the side; `smooth` for stills."""
        return self._camera().showcase(self.data, smooth=smooth)

    def close(self) -> None:
        """Frees the graphics context; the table can still be stepped."""
        if self._pictures is not None:
            self._pictures.close()
            self._pictures = None

    def _camera(self) -> Pictures:
        # Created at first use, because a graphics context belongs to the thread that creates it.
        if self._pictures is None:
            self._pictures = Pictures(self.model, self.camera_info)
        return self._pictures


class _Hand:
    """Measures how far one hand is commanded to close, and how far it is closed."""

    def __init__(self, profile: RobotProfile, side: str, qpos_of: Mapping[str, int]) -> None:
        hand = profile.arms[side].hand
        opened, closed = np.array(hand.open), np.array(hand.closed)
        moving = np.abs(closed - opened) > 1e-6
        self.controller = hand.controller
        self.closed_above = hand.closed_above
        self._moving = moving
        self._open = opened[moving]
        self._span = closed[moving] - opened[moving]
        self._qpos = np.array([qpos_of[name] for name in hand.joints])[moving]

    def asked(self, controller: TrajectoryController, time_s: float) -> float:
        """The least commanded closing, from 0 (open) to 1, over the joints that differ between open and closed."""
        return float(((controller.sample(time_s)[0][self._moving] - self._open) / self._span).min())

    def measured(self, qpos: Array) -> float:
        """The mean actual closing of those joints."""
        return float(((qpos[self._qpos] - self._open) / self._span).mean())
