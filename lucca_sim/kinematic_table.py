"""The simulated table without dynamics, for fast tests: joints follow commands exactly, and objects move with them."""

import math

import mujoco
import numpy as np
from numpy.typing import NDArray

from lucca_robot.profile import RobotProfile
from lucca_sim.grip_tracker import Grip, GripTracker, HandReading
from lucca_sim.mujoco_world import holds_name
from lucca_sim.resting_places import RestingPlaces
from lucca_sim.robot_at_table import RobotAtTable
from lucca_sim.scene import Scene
from lucca_sim.simulated_table import ObjectStates

Array = NDArray[np.float64]

_STEP_S = 0.02
_REACH_M = 0.035
_PUSH_M = 0.03
_FALL_M_S = 1.0


class KinematicTable(RobotAtTable):
    """A kinematic table.

    A closing hand takes the nearest object within reach of its tool, and a closed hand pushes objects. A released
    object sinks upright to the place that `RestingPlaces` finds for it.
    """

    def __init__(
        self, scene: Scene, profile: RobotProfile, camera_offset_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
    ) -> None:
        super().__init__(scene, profile, camera_offset_m)
        self._settling = RestingPlaces(scene)
        self._trackers = {side: GripTracker(hand.closed_above) for side, hand in self._hands.items()}
        self._held: dict[str, int | None] = dict.fromkeys(self._hands)
        self._grasp: dict[str, tuple[Array, Array]] = {}
        self._tools = {side: self.model.site(f'{side} tool').id for side in self._hands}
        self._tool_before = {side: self.data.site_xpos[site].copy() for side, site in self._tools.items()}
        self._goals: dict[int, Array] = {}
        self._velocities = np.zeros((len(scene.objects), 6))
        self._steps = 0
        self._picture: tuple[bytes, tuple[NDArray[np.uint8], NDArray[np.float32]]] | None = None

    def step(self, until_s: float) -> None:
        """Simulates up to the first step that reaches a time."""
        while self.data.time < until_s - _STEP_S / 2:
            self._steps += 1
            self.data.time = self._steps * _STEP_S
            before = self._positions()
            for controller in self._controllers.values():
                target = self.profile.description.with_followers(controller.target(self.data.time))
                for joint, position in target.items():
                    address = self._qpos_of[joint]
                    self.data.qvel[self._dof_of[joint]] = (position - self.data.qpos[address]) / _STEP_S
                    self.data.qpos[address] = position
            mujoco.mj_kinematics(self.model, self.data)
            for side in self._hands:
                self._use_hand(side)
            self._sink()
            self._velocities[:, :3] = (self._positions() - before) / _STEP_S
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_camlight(self.model, self.data)

    def render(self) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """The camera's present image, see `RobotAtTable.render`; if nothing has moved, the previous one, read-only.

        Without dynamics, a table at rest is exactly at rest, and rendering takes most of the time.
        """
        shown = self.data.qpos.tobytes()
        if self._picture is None or self._picture[0] != shown:
            rgb, depth_m = super().render()
            rgb.flags.writeable = depth_m.flags.writeable = False
            self._picture = shown, (rgb, depth_m)
        return self._picture[1]

    def object_states(self) -> ObjectStates:
        """The state of all objects, for the trace."""
        held = {index: side for side, index in self._held.items() if index is not None}
        turns = [self.data.qpos[address + 3 : address + 7] for address in self._object_qpos]
        return ObjectStates(
            positions_m=self._positions(),
            orientations_wxyz=np.array(turns).reshape(-1, 4),
            velocities=self._velocities.copy(),
            held_by=tuple(held.get(index, '') for index in range(len(self._object_qpos))),
        )

    def _positions(self) -> Array:
        return np.array([self.data.qpos[address : address + 3] for address in self._object_qpos]).reshape(-1, 3)

    def _use_hand(self, side: str) -> None:
        hand = self._hands[side]
        reading = HandReading(
            asked=hand.asked(self._controllers[hand.controller], self.time_s),
            measured=hand.measured(self.data.qpos),
            time_s=self.time_s,
        )
        grip = self._trackers[side].update(reading)
        tool = self.data.site_xpos[self._tools[side]].copy()
        if grip is Grip.OPEN:
            self._let_go(side)
        elif grip is Grip.CLOSING and self._held[side] is None:
            self._take(side, tool)
        if self._held[side] is not None:
            self._carry(side)
        elif grip is Grip.CLOSED:
            self._push(tool, tool - self._tool_before[side])
        self._tool_before[side] = tool

    def _take(self, side: str, tool: Array) -> None:
        taken = set(self._held.values())
        nearest, distance = None, _REACH_M
        for index, item in enumerate(self.scene.objects):
            if index in taken:
                continue
            offset = np.abs(self._in_object(index, tool)) - np.array(item.size_m) / 2
            gap = float(np.linalg.norm(np.maximum(offset, 0.0)))
            if gap < distance:
                nearest, distance = index, gap
        if nearest is None:
            return
        palm = self.model.body(self.profile.arms[side].tool_link).id
        rotation = self.data.xmat[palm].reshape(3, 3)
        address = self._object_qpos[nearest]
        position = rotation.T @ (self.data.qpos[address : address + 3] - self.data.xpos[palm])
        inverse, turn = np.zeros(4), np.zeros(4)
        mujoco.mju_negQuat(inverse, self.data.xquat[palm])
        mujoco.mju_mulQuat(turn, inverse, self.data.qpos[address + 3 : address + 7])
        self._held[side] = nearest
        self._grasp[side] = (position, turn)
        self._goals.pop(nearest, None)
        self.data.eq_active[self.model.equality(holds_name(side, self.scene.objects[nearest].name)).id] = 1

    def _carry(self, side: str) -> None:
        index = self._held[side]
        assert index is not None
        palm = self.model.body(self.profile.arms[side].tool_link).id
        position, turn = self._grasp[side]
        address = self._object_qpos[index]
        world = np.zeros(4)
        mujoco.mju_mulQuat(world, self.data.xquat[palm], turn)
        self.data.qpos[address : address + 3] = self.data.xpos[palm] + self.data.xmat[palm].reshape(3, 3) @ position
        self.data.qpos[address + 3 : address + 7] = world

    def _let_go(self, side: str) -> None:
        index = self._held[side]
        if index is None:
            return
        self._held[side] = None
        self.data.eq_active[self.model.equality(holds_name(side, self.scene.objects[index].name)).id] = 0
        address = self._object_qpos[index]
        others = {
            other: (self._goals.get(other, self.data.qpos[start : start + 3]))
            for other, start in enumerate(self._object_qpos)
            if other != index and other not in self._held.values()
        }
        w, x, y, z = self.data.qpos[address + 3 : address + 7]
        yaw = math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
        self.data.qpos[address + 3 : address + 7] = (math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2))
        self._goals[index] = self._settling.place(index, self.data.qpos[address : address + 3], others)

    def _sink(self) -> None:
        for index, goal in list(self._goals.items()):
            address = self._object_qpos[index]
            position = self.data.qpos[address : address + 3]
            way = goal - position
            length = float(np.linalg.norm(way))
            step = _FALL_M_S * _STEP_S
            if length <= step:
                self.data.qpos[address : address + 3] = goal
                del self._goals[index]
            else:
                self.data.qpos[address : address + 3] = position + way * (step / length)

    def _push(self, tool: Array, motion: Array) -> None:
        if np.linalg.norm(motion[:2]) < 1e-6:
            return
        for index, item in enumerate(self.scene.objects):
            address = self._object_qpos[index]
            position = self.data.qpos[address : address + 3]
            if index in self._held.values() or abs(tool[2] - position[2]) > item.size_m[2] / 2 + _PUSH_M:
                continue
            away = position[:2] - tool[:2]
            distance = float(np.linalg.norm(away))
            overlap = item.footprint_radius_m + _PUSH_M - distance
            if overlap > 0 and float(away @ motion[:2]) > 0:
                self.data.qpos[address : address + 2] = position[:2] + away / max(distance, 1e-6) * overlap

    def _in_object(self, index: int, point: Array) -> Array:
        address = self._object_qpos[index]
        inverse, local = np.zeros(4), np.zeros(3)
        mujoco.mju_negQuat(inverse, self.data.qpos[address + 3 : address + 7])
        mujoco.mju_rotVecQuat(local, point - self.data.qpos[address : address + 3], inverse)
        return local
