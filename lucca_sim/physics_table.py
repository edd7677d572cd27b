"""The simulated table in MuJoCo physics: servo-driven joints, contacts, and hands that grasp objects.

After the start, nothing sets positions or velocities directly. The only inputs are the servos' targets and the welds by
which hands hold objects (see `grip_tracker`).
"""

from collections.abc import Sequence

import mujoco
import numpy as np
from numpy.typing import NDArray

from lucca_robot.profile import RobotProfile
from lucca_sim.grip_tracker import Grip, GripTracker, HandReading
from lucca_sim.mujoco_contacts import contacts_of
from lucca_sim.mujoco_world import holds_name
from lucca_sim.robot_at_table import RobotAtTable
from lucca_sim.scene import Scene
from lucca_sim.simulated_table import Contacts, ObjectStates
from lucca_sim.sleep_guard import SleepGuard

Array = NDArray[np.float64]

_LOOK_EVERY_STEPS = 5
_TOUCHES_TO_HOLD = 2


class PhysicsTable(RobotAtTable):
    """A table with full dynamics; one step is the model's time step."""

    def __init__(
        self, scene: Scene, profile: RobotProfile, camera_offset_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
    ) -> None:
        super().__init__(scene, profile, camera_offset_m)
        model = self.model
        self._actuators = {
            name: np.array([model.actuator(joint).id for joint in joints]) for name, joints in self.controllers.items()
        }
        # A damped servo lags behind a moving target by damping / stiffness seconds; commanding it ahead removes the
        # lag.
        damping = -model.actuator_biasprm[:, 2] + model.dof_damping[model.jnt_dofadr[model.actuator_trnid[:, 0]]]
        self._lead_s = damping / model.actuator_gainprm[:, 0]
        # What no controller moves stays at home.
        self.data.ctrl[:] = [profile.home[model.joint(joint).name] for joint in model.actuator_trnid[:, 0]]
        self._followers = _Followers(model, profile)
        self._settled: set[str] = set()
        self._resting = SleepGuard(model, self.object_bodies)
        self._is_object = np.zeros(model.nbody, dtype=bool)
        self._is_object[self.object_bodies] = True
        self._steps = 0
        self._contacts = _HandContacts(model, profile, scene)
        self._trackers = {side: GripTracker(hand.closed_above) for side, hand in self._hands.items()}
        self._held: dict[str, int | None] = dict.fromkeys(self._hands)
        self._touches: dict[str, tuple[int, int]] = dict.fromkeys(self._hands, (-1, 0))
        self._palms = {side: model.body(profile.arms[side].tool_link).id for side in profile.arms}
        self._welds = {
            side: [model.equality(holds_name(side, item.name)).id for item in scene.objects] for side in profile.arms
        }

    def step(self, until_s: float) -> None:
        """Simulates up to the first step that reaches a time."""
        half = self.model.opt.timestep / 2
        while self.data.time < until_s - half:
            self._drive()
            mujoco.mj_step(self.model, self.data)
            self._steps += 1
            if self._steps % _LOOK_EVERY_STEPS == 0:
                self._grip()
                self._resting.keep_awake(self.data)

    def object_states(self) -> ObjectStates:
        """The true state of all objects, for the trace."""
        data = self.data
        held = {index: side for side, index in self._held.items() if index is not None}
        count = len(self.scene.objects)
        velocities = np.empty((count, 6))
        for row, dof in enumerate(self._object_dof):
            velocities[row] = data.qvel[dof : dof + 6]
        return ObjectStates(
            positions_m=data.xpos[self.object_bodies].copy(),
            orientations_wxyz=data.xquat[self.object_bodies].copy(),
            velocities=velocities,
            held_by=tuple(held.get(index, '') for index in range(count)),
        )

    def contacts(self) -> Contacts:
        """Contacts that involve an object, with the forces of the last step."""
        return contacts_of(self.model, self.data, self._is_object)

    def _drive(self) -> None:
        now = self.time_s
        for name, controller in self._controllers.items():
            if not controller.is_moving(now):
                if name in self._settled:
                    continue
                self._settled.add(name)
            else:
                self._settled.discard(name)
            position, velocity = controller.sample(now)
            index = self._actuators[name]
            self.data.ctrl[index] = position + velocity * self._lead_s[index]
        self._followers.follow(self.data.ctrl)

    def command(
        self,
        controller: str,
        joints: Sequence[str],
        times_s: Sequence[float] | Array,
        positions: Sequence[Sequence[float]] | Array,
        velocities: Sequence[Sequence[float]] | Array | None,
        start_s: float,
    ) -> None:
        """See `RobotAtTable.command`."""
        super().command(controller, joints, times_s, positions, velocities, start_s)
        self._settled.discard(controller)

    def _grip(self) -> None:
        for side, hand in self._hands.items():
            reading = HandReading(
                asked=hand.asked(self._controllers[hand.controller], self.time_s),
                measured=hand.measured(self.data.qpos),
                time_s=self.time_s,
            )
            grip = self._trackers[side].update(reading)
            if grip is Grip.OPEN:
                self._drop(side)
            elif grip is Grip.CLOSING and self._held[side] is None:
                self._hold_what_is_touched(side)

    def _hold_what_is_touched(self, side: str) -> None:
        touched = self._contacts.touched_most(self.data, side, set(self._held.values()))
        before, count = self._touches[side]
        count = count + 1 if touched is not None and touched == before else 1
        self._touches[side] = (-1 if touched is None else touched, count)
        if touched is None or count < _TOUCHES_TO_HOLD:
            return
        weld, palm, body = self._welds[side][touched], self._palms[side], self.object_bodies[touched]
        self.model.eq_data[weld, :11] = weld_data(self.data, palm, int(body))
        self.data.eq_active[weld] = 1
        self._held[side] = touched

    def _drop(self, side: str) -> None:
        held = self._held[side]
        if held is not None:
            self.data.eq_active[self._welds[side][held]] = 0
            self._held[side] = None
        self._touches[side] = (-1, 0)


class _Followers:
    """The servos of joints that mimic others."""

    def __init__(self, model: mujoco.MjModel, profile: RobotProfile) -> None:
        pairs = [(joint.name, joint.mimic) for joint in profile.description.followers if joint.mimic is not None]
        self._own = np.array([model.actuator(name).id for name, _ in pairs], dtype=int)
        self._leaders = np.array([model.actuator(mimic.joint).id for _, mimic in pairs], dtype=int)
        self._multipliers = np.array([mimic.multiplier for _, mimic in pairs])
        self._offsets = np.array([mimic.offset for _, mimic in pairs])

    def follow(self, commands: Array) -> None:
        """Asks them for what their leaders are asked for, in place."""
        if len(self._own):
            commands[self._own] = self._multipliers * commands[self._leaders] + self._offsets


def weld_data(data: mujoco.MjData, first: int, second: int) -> Array:
    """MuJoCo's data (11,) of a weld that keeps the present relative pose of two bodies."""
    inverse, pose = np.zeros(4), np.zeros(11)
    mujoco.mju_negQuat(inverse, data.xquat[first])
    position, turn = np.zeros(3), np.zeros(4)
    mujoco.mju_rotVecQuat(position, data.xpos[second] - data.xpos[first], inverse)
    mujoco.mju_mulQuat(turn, inverse, data.xquat[second])
    pose[3:6], pose[6:10], pose[10] = position, turn, 1.0
    return pose


class _HandContacts:
    """Finds the object that a hand touches, from the physics engine's contacts."""

    def __init__(self, model: mujoco.MjModel, profile: RobotProfile, scene: Scene) -> None:
        links = {model.body(link).id: side for side in profile.arms for link in profile.hand_links(side)}
        objects = {model.body(item.name).id: index for index, item in enumerate(scene.objects)}
        self._body_of = np.array(model.geom_bodyid)
        self._object_of = np.array([objects.get(int(body), -1) for body in self._body_of])
        self._of_hand = {
            side: np.array([links.get(int(body)) == side for body in self._body_of]) for side in profile.arms
        }

    def touched_most(self, data: mujoco.MjData, side: str, taken: set[int | None]) -> int | None:
        """The index of the free object that most links of the hand touch, or None."""
        contact = data.contact
        pairs, near = contact.geom, contact.dist <= 0.0005
        links: dict[int, set[int]] = {}
        for first, second in ((0, 1), (1, 0)):
            found = near & self._of_hand[side][pairs[:, first]] & (self._object_of[pairs[:, second]] >= 0)
            for hand_geom, object_geom in zip(pairs[found, first], pairs[found, second], strict=True):
                index = int(self._object_of[object_geom])
                if index not in taken:
                    links.setdefault(index, set()).add(int(self._body_of[hand_geom]))
        return max(links, key=lambda index: (len(links[index]), -index)) if links else None
