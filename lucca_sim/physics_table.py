"""The simulated table in MuJoCo physics: servo-driven joints, contacts, and hands that grasp objects.

After the start, nothing sets positions or velocities directly. The only inputs are the servos' targets and the welds by
which hands hold objects (see `pinch_tracker`).
"""

import mujoco
import numpy as np
from numpy.typing import NDArray

from lucca_robot.profile import RobotProfile
from lucca_sim.finger_contacts import FingerContacts
from lucca_sim.grip_tracker import GripTracker, HandReading
from lucca_sim.mujoco_contacts import contacts_of
from lucca_sim.mujoco_world import holds_name
from lucca_sim.pinch_tracker import PinchTracker
from lucca_sim.robot_at_table import RobotAtTable
from lucca_sim.scene import Scene
from lucca_sim.simulated_table import Contacts, ObjectStates
from lucca_sim.sleep_guard import SleepGuard
from lucca_sim.trajectory_controller import Trajectory

Array = NDArray[np.float64]

_LOOK_EVERY_STEPS = 5


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
        # A damped servo lags behind a moving target by damping / stiffness seconds. The lag is removed by commanding
        # the servo that much ahead.
        damping = -model.actuator_biasprm[:, 2] + model.dof_damping[model.jnt_dofadr[model.actuator_trnid[:, 0]]]
        self._lead_s = damping / model.actuator_gainprm[:, 0]
        # Joints without a controller stay at home.
        self.data.ctrl[:] = [profile.home[model.joint(joint).name] for joint in model.actuator_trnid[:, 0]]
        self._followers = _Followers(model, profile)
        self._settled: set[str] = set()
        self._resting = SleepGuard(model, self.object_bodies)
        self._is_object = np.zeros(model.nbody, dtype=bool)
        self._is_object[self.object_bodies] = True
        self._steps = 0
        self._fingers = FingerContacts(model, profile, scene)
        self._trackers = {side: GripTracker(hand.closed_above) for side, hand in self._hands.items()}
        self._pinches = {side: PinchTracker() for side in self._hands}
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
        held = {pinch.held: side for side, pinch in self._pinches.items() if pinch.held is not None}
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

    def command(self, controller: str, trajectory: Trajectory) -> None:
        """See `RobotAtTable.command`."""
        super().command(controller, trajectory)
        self._settled.discard(controller)

    def _grip(self) -> None:
        for side, hand in self._hands.items():
            reading = HandReading(
                asked=hand.asked(self._controllers[hand.controller], self.time_s),
                measured=hand.measured(self.data.qpos),
                time_s=self.time_s,
            )
            grip = self._trackers[side].update(reading)
            pinch, held = self._pinches[side], self._pinches[side].held
            others = [other.held for name, other in self._pinches.items() if name != side]
            now = pinch.update(grip, reading.asked, self._fingers.pinched(self.data, side), others, self.time_s)
            if now != held:
                self._weld(side, held, now)

    def _weld(self, side: str, before: int | None, after: int | None) -> None:
        if before is not None:
            self.data.eq_active[self._welds[side][before]] = 0
        if after is not None:
            weld, palm, body = self._welds[side][after], self._palms[side], self.object_bodies[after]
            self.model.eq_data[weld, :11] = weld_data(self.data, palm, int(body))
            self.data.eq_active[weld] = 1


class _Followers:
    """The servos of joints that mimic others."""

    def __init__(self, model: mujoco.MjModel, profile: RobotProfile) -> None:
        pairs = [(joint.name, joint.mimic) for joint in profile.description.followers if joint.mimic is not None]
        self._own = np.array([model.actuator(name).id for name, _ in pairs], dtype=int)
        self._leaders = np.array([model.actuator(mimic.joint).id for _, mimic in pairs], dtype=int)
        self._multipliers = np.array([mimic.multiplier for _, mimic in pairs])
        self._offsets = np.array([mimic.offset for _, mimic in pairs])

    def follow(self, commands: Array) -> None:
        """Commands the followers according to the commands of their leaders, in place."""
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
