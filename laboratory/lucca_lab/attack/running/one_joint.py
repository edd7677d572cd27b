"""A one-joint robot driven by the real action node over DDS, all in one process, for attacks on motion and stops."""

import threading
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import rclpy
from lucca_interfaces.action import ExecuteAction
from lucca_interfaces.msg import TableState
from lucca_interfaces.srv import Record
from numpy.typing import NDArray
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.context import Context
from rclpy.executors import MultiThreadedExecutor
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState
from std_msgs.msg import Empty
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from action_node.gate.gate import Anywhere
from action_node.motion.motion_plan import MotionPlan, MotionRequest, MotionSegment
from action_node.node import ActionNode
from action_node.stop.joint_path import JointPath
from lucca_core.protocol.actions import ActionRequest, ActionResult
from lucca_core.protocol.snapshots import Pose, Snapshot, TableObject
from lucca_lab.attack.attack import Broken
from lucca_robot.arm_profile import ControllerInterface
from lucca_robot.profile import JointTravel
from lucca_ros.conversions.actions import ACTION_REQUEST, ACTION_RESULT
from lucca_ros.conversions.snapshots import snapshot_to_msg
from lucca_ros.conversions.stamps import time_to_msg
from lucca_ros.rclpy_internals import LockedActionClient, destroy_for_good, goals_kept
from lucca_ros.spinning import SpinThread
from lucca_sim.conversions import trajectory_from_msg

ARM, CONTROLLER, JOINT = 'left', 'left_arm_controller', 'slide'
ACTION = 'point'
DEADLINE_S = 20.0
_SETTINGS = {
    'joints_silence_s': 10.0,
    'snapshot_age_s': 10.0,
    'lead_s': 0.03,
    'tick_s': 0.01,
    'refresh_s': 0.05,
    'arrival_timeout_s': 1.0,
    'home_tolerance_rad': 0.02,
    'frame_timeout_s': 2.0,
    'glance_timeout_s': 0.2,
    'outcome_timeout_s': 2.0,
    'diagnostics_period_s': 0.1,
}
_AWAY, _SWEEP_S, _HOME_S = 1.0, 2.0, 0.1

Array = NDArray[np.float64]


class OneJointBody:
    """The robot, as the action node sees it."""

    arms: tuple[str, ...] = (ARM,)
    arm_controllers: Mapping[str, tuple[str, ...]] = {CONTROLLER: (JOINT,)}
    controllers: Mapping[str, tuple[str, ...]] = arm_controllers
    interfaces: Mapping[str, ControllerInterface] = {}
    max_efforts: Mapping[str, float] = {}
    accelerations: Mapping[str, float] = {}
    driven_speeds: Mapping[str, float] = {}
    endless: frozenset[str] = frozenset()
    hand_travels: Mapping[str, JointTravel] = {}
    limits: Mapping[str, tuple[float, float]] = {JOINT: (-3.0, 3.0)}

    def away_from_home(self, joints: Mapping[str, float], tolerance_rad: float) -> tuple[str, ...]:
        """The arm, unless it is at 0."""
        return (ARM,) if abs(joints[JOINT]) > tolerance_rad else ()

    def closed_hands(self, joints: Mapping[str, float]) -> tuple[str, ...]:
        """None, since the robot has no hand."""
        return ()

    def pointing_ray(self, arm: str, joints: Mapping[str, float]) -> tuple[Array, Array]:
        """A ray straight down, from 1 m above the joint's position."""
        return np.array([joints[JOINT], 0.0, 1.0]), np.array([0.0, 0.0, -1.0])


class SweepPlanner:
    """Plans a sweep away and back home for every action; the sweep is slow by default."""

    def __init__(self, sweep_s: float = _SWEEP_S) -> None:
        self._sweep_s = sweep_s

    def plan(self, request: MotionRequest, snapshot: Snapshot, joint_positions: Mapping[str, float]) -> MotionPlan:
        """A motion away and back home."""
        here = joint_positions[JOINT]
        return MotionPlan(ARM, (_straight(here, _AWAY, self._sweep_s), _straight(_AWAY, 0.0, self._sweep_s)))

    def plan_clear(
        self, snapshot: Snapshot, joint_positions: Mapping[str, float], held: Mapping[str, str]
    ) -> MotionPlan:
        """A fast motion home."""
        return MotionPlan(ARM, (_straight(joint_positions[JOINT], 0.0, _HOME_S),))


def _straight(begin: float, end: float, duration_s: float) -> MotionSegment:
    u = np.linspace(0.0, 1.0, 11)
    positions = begin + (end - begin) * (3 * u**2 - 2 * u**3)
    velocities = (end - begin) * (6 * u - 6 * u**2) / duration_s
    return MotionSegment('sweep', CONTROLLER, (JOINT,), u * duration_s, positions[:, None], velocities[:, None])


class OneJointRig:
    """The action node with a simulated robot, table and memory.

    If `measured` is set, it replaces the true position in the joint states.
    """

    def __init__(
        self, state_dir: str, action: str, sweep_s: float = _SWEEP_S, settings: Mapping[str, Any] = MappingProxyType({})
    ) -> None:
        self._action = action
        self.context = Context()
        rclpy.init(context=self.context)
        self.node = ActionNode(
            lambda config: OneJointBody(),
            lambda config, motion_config: SweepPlanner(sweep_s),
            lambda config, motion_config: Anywhere(),
            context=self.context,
            parameter_overrides=[
                Parameter(name, value=value)
                for name, value in {**_SETTINGS, 'state_dir': state_dir, **settings}.items()
            ],
        )
        self._helper = Node('world', context=self.context)
        self.measured: float | None = None
        self.sent: list[bool] = []
        """Whether each trajectory that left the node was a hold, in order."""
        self._stops_done = 0
        self._path: tuple[float, JointPath] | None = None
        group = ReentrantCallbackGroup()
        self._joint_states = self._helper.create_publisher(JointState, 'joint_states', 10)
        self._objects = self._helper.create_publisher(TableState, 'perception/objects', 10)
        self._helper.create_subscription(
            JointTrajectory, f'{CONTROLLER}/joint_trajectory', self._on_trajectory, 10, callback_group=group
        )
        self._helper.create_service(Record, 'memory/record', self._record, callback_group=group)
        self._helper.create_timer(0.01, self._tick, callback_group=group)
        self._goals = LockedActionClient(self._helper, ExecuteAction, 'execute_action', callback_group=group)
        self._stop = self._helper.create_client(Trigger, 'action/stop', callback_group=group)
        self._reset = self._helper.create_client(Trigger, 'action/reset', callback_group=group)
        # Matches only one of the node's subscriptions, so that a word is one stop.
        self._word = self._helper.create_publisher(Empty, 'speech/stop', qos_profile_sensor_data)
        executor = MultiThreadedExecutor(num_threads=12, context=self.context)
        self._spinning = SpinThread(executor)
        for transition in (self.node.trigger_configure, self.node.trigger_activate):
            assert transition() == TransitionCallbackReturn.SUCCESS
        executor.add_node(self.node)
        executor.add_node(self._helper)
        self._spinning.start()
        self.until(lambda: self._goals.server_is_ready() and self._reset.service_is_ready(), 'the node is there')
        self.until(lambda: self._word.get_subscription_count() > 0, 'the node listens')
        self.until(lambda: self.node._objects.latest() is not None and self.is_measured(), 'it sees')

    @property
    def lives(self) -> bool:
        """Whether no exception has left a callback. In a process of its own, the node would have ended then."""
        return bool(self.context.ok())

    def until(self, condition: Callable[[], bool], what: str, timeout_s: float = DEADLINE_S) -> None:
        """Waits for a condition.

        Raises:
            Broken: the node has ended, or the condition does not become true in time.
        """
        deadline_s = time.monotonic() + timeout_s
        while not condition():
            if not self.lives:
                raise Broken(f'the node ended before: {what}')
            if time.monotonic() > deadline_s:
                raise Broken(f'not within {timeout_s:g} s: {what}')
            time.sleep(0.002)

    def finished(self, future: Any, what: str, timeout_s: float = DEADLINE_S) -> Any:
        """The result of a future, once it is there."""
        self.until(future.done, what, timeout_s)
        return future.result()

    def send_goal(self) -> Any:
        """Sends an action and returns the future of its result.

        Raises:
            Broken: the goal was rejected.
        """
        goal = self.offer_goal()
        if goal is None:
            raise Broken('a goal was rejected')
        return goal

    def offer_goal(self) -> Any | None:
        """Like `send_goal`, but returns None if the goal was rejected."""
        request = ActionRequest(
            text=f'<{self._action}(pear)>', task='', allowed_actions=(self._action,), snapshot=self._snapshot()
        )
        handle = self.finished(self._goals.send_goal_async(ACTION_REQUEST.to_msg(request)), 'a goal is accepted')
        return handle.get_result_async() if handle.accepted else None

    def result_of(self, future: Any) -> ActionResult:
        """The result of an action, once it is there."""
        return ACTION_RESULT.from_msg(self.finished(future, 'a goal has an end').result)

    def call_stop(self, timeout_s: float = DEADLINE_S) -> Trigger.Response:
        """Calls the service `action/stop`."""
        return self.finished(self._stop.call_async(Trigger.Request()), 'action/stop is answered', timeout_s)

    def say_stop(self) -> None:
        """Publishes `speech/stop` and waits until the node has carried it out, as far as it could."""
        stops = self._stops_done
        self._word.publish(Empty())
        self.until(lambda: self._stops_done > stops, 'a stop word is heard')

    def is_measured(self) -> bool:
        """Whether the node has a measurement of the joint."""
        sample = self.node._arms.joints()
        return sample is not None and JOINT in sample.positions

    def goals_kept(self) -> int:
        """Number of goals that the node still keeps, including ended ones."""
        return goals_kept(self.node._goals._server)

    def sent_until_now(self) -> int:
        """Number of trajectories that have left the node; waits for one that is being sent."""
        with self.node._executor()._mover._valve._sending:
            return len(self.sent)

    def reset(self) -> Trigger.Response:
        """Calls the service `action/reset`."""
        return self.finished(self._reset.call_async(Trigger.Request()), 'action/reset is answered')

    def close(self) -> None:
        """Ends everything. A second call does nothing."""
        self.node._ending.set()
        self._spinning.close()
        destroy_for_good(self.node)
        destroy_for_good(self._helper)
        self.context.try_shutdown()

    def _now_s(self) -> float:
        return float(self._helper.get_clock().now().nanoseconds) * 1e-9

    def _position(self) -> float:
        if self._path is None:
            return 0.0
        start_s, path = self._path
        return float(path.at(max(0.0, self._now_s() - start_s))[0][0])

    def _tick(self) -> None:
        now_s = self._now_s()
        value = self._position() if self.measured is None else self.measured
        msg = JointState(name=[JOINT], position=[value])
        msg.header.stamp = time_to_msg(now_s)
        self._joint_states.publish(msg)
        self._objects.publish(snapshot_to_msg(self._snapshot()))

    def _snapshot(self) -> Snapshot:
        pear = TableObject(object_id='id pear', name='pear', label='pear', pose_world=Pose((0.5, 0.0, 0.8)))
        return Snapshot(stamp_s=self._now_s(), objects=(pear,))

    def _on_trajectory(self, msg: JointTrajectory) -> None:
        sent = trajectory_from_msg(msg)
        times, positions, velocities = map(np.asarray, (sent.times_s, sent.positions, sent.velocities))
        self._path = (sent.start_s or self._now_s(), JointPath(times, positions, velocities))

    def _record(self, request: Record.Request, response: Record.Response) -> Record.Response:
        response.acknowledged, response.entry_id = True, 1
        return response

    def watch_what_is_sent(self) -> None:
        """Notes each trajectory at the last place that it passes in the node, and each stop that was carried out."""
        stop = self.node._stop

        def counted(why: str, *, wait_for_disk: bool) -> tuple[bool, str]:
            try:
                return stop(why, wait_for_disk=wait_for_disk)
            finally:
                self._stops_done += 1

        self.node._stop_inputs._stop_arms = counted
        publisher = self.publisher
        publisher.publish = self._noting(publisher.publish)

    @property
    def publisher(self) -> Any:
        """The publisher of the arm's trajectories."""
        (publisher,) = self.node._arms._publishers.values()
        return publisher

    def _noting(self, publish: Callable[[Any], None]) -> Callable[[Any], None]:
        lock = threading.Lock()

        def noted(msg: JointTrajectory) -> None:
            with lock:
                self.sent.append(is_hold(msg))
            publish(msg)

        return noted


def is_hold(msg: JointTrajectory) -> bool:
    """Whether a trajectory is a single point at rest, to be reached at once."""
    if len(msg.points) != 1:
        return False
    (point,) = msg.points
    return not any(point.velocities) and msg.header.stamp.sec == 0
