"""The executor's interfaces over ROS: arms and clock, perception, and memory."""

import math
import threading
import time
from collections.abc import Callable
from typing import Any

from lucca_interfaces.msg import TableState
from rclpy.exceptions import InvalidHandle
from rclpy.lifecycle import LifecycleNode
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from action_node.action_sender import ActionSender
from action_node.body import Body
from action_node.config import ActionConfig
from action_node.conversions import joints_from_msg, trajectory_to_msg
from action_node.driver_reports import DriverReports
from action_node.other_senders import other_senders
from action_node.stop.joint_path import JointPath
from action_node.stop.joint_sample import JointSample
from lucca_core.codes import ReasonCode
from lucca_core.errors import MemoryFault, MotionError
from lucca_core.joint_states import CLOCK_BACK_S, JointMerge, Joints
from lucca_core.protocol.entries import EntryRequest
from lucca_core.protocol.snapshots import Snapshot
from lucca_robot.arm_profile import ControllerInterface
from lucca_ros.conversions.entries import RECORD
from lucca_ros.conversions.snapshots import snapshot_from_msg
from lucca_ros.conversions.stamps import time_from_msg
from lucca_ros.rclpy_internals import RCLError
from lucca_ros.streams import Streams
from lucca_ros.subscriptions import ANY_PUBLISHER


class RosArmControllers:
    """The arms: joint states, trajectories and the node's clock."""

    def __init__(
        self,
        node: LifecycleNode,
        streams: Streams,
        body: Body,
        config: ActionConfig,
        ending: threading.Event,
    ) -> None:
        self._node = node
        self._streams = streams
        self._config = config
        self._ending = ending
        self._news = threading.Condition()
        self._merge = JointMerge(config.joints_silence_s, body.driven_speeds, body.endless)
        self._joints: Joints | None = None
        self._subscription: Any = None
        self._reports = DriverReports()
        self._publishers: dict[str, Any] = {}
        self._drivers: dict[str, ActionSender] = {}
        self._controllers = tuple(body.controllers)
        for name in body.controllers:
            self._connect(body, name)

    def subscribe(self) -> None:
        self._subscription = self._streams.subscribe(JointState, 'joint_states', self._on_joints, ANY_PUBLISHER)

    def unsubscribe(self) -> None:
        self._streams.unsubscribe(self._subscription)

    def destroy(self) -> None:
        for publisher in self._publishers.values():
            self._node.destroy_lifecycle_publisher(publisher)

    def _connect(self, body: Body, controller: str) -> None:
        interface = body.interfaces.get(controller, ControllerInterface.JOINT_TRAJECTORY)
        if self._config.dry_run:
            # No object exists that could send a trajectory to a controller, whatever else fails.
            topic = f'{controller}/planned_trajectory'
        elif interface is ControllerInterface.JOINT_TRAJECTORY:
            topic = f'{controller}/joint_trajectory'
        else:
            free = controller not in body.arm_controllers
            effort = body.max_efforts.get(controller, 0.0)
            self._drivers[controller] = ActionSender(
                self._streams, controller, interface, self._reports, free=free, max_effort=effort
            )
            return
        self._publishers[controller] = self._node.create_lifecycle_publisher(JointTrajectory, topic, 10)

    def _on_joints(self, msg: JointState) -> None:
        sample = joints_from_msg(msg)
        with self._news:
            self._merge.add(sample.stamp_s, time.monotonic(), sample.positions)
            self._joints = self._merge.merged()
            self._news.notify_all()

    def send(self, controller: str, joints: tuple[str, ...], path: JointPath, start_s: float) -> None:
        publisher, driver = self._publishers.get(controller), self._drivers.get(controller)
        if driver is not None:
            driver.send(joints, path, start_s)
        elif publisher is not None:
            try:
                publisher.publish(trajectory_to_msg(joints, path, start_s))
            except (InvalidHandle, RCLError) as error:
                raise MotionError(ReasonCode.HARDWARE_FAULT, f'the node is ending: {error}') from error
        else:
            raise MotionError(ReasonCode.HARDWARE_FAULT, f'the robot has no controller {controller!r}')

    def other_senders(self) -> str:
        """Other nodes that may move the arms; see `other_senders`. In a dry run, it is they who should."""
        return '' if self._config.dry_run else other_senders(self._node, self._controllers)

    def driver_fault(self) -> str:
        return self._reports.fault

    def report_expected(self, controller: str) -> bool:
        return self._reports.expected(controller)

    def report_stalled(self, controller: str) -> bool:
        return self._reports.stalled(controller)

    def forget_faults(self) -> None:
        self._reports.forget()

    def joints(self) -> JointSample | None:
        joints = self._joints
        if joints is None:
            return None
        return JointSample(joints.stamp_s, joints.positions, joints.stamps_s, joints.not_finite, joints.contradictions)

    def silence_s(self, sample: JointSample) -> float:
        joints = self._joints
        received_s = joints.received_s if joints is not None else -math.inf
        ros_s, wall_s = self.now_s() - sample.stamp_s, time.monotonic() - received_s
        # A stamp from the future is from another clock and would never grow old.
        return min(ros_s, wall_s) if ros_s >= -CLOCK_BACK_S else wall_s

    def now_s(self) -> float:
        return 1e-9 * float(self._node.get_clock().now().nanoseconds)

    def wait_until(self, time_s: float, interrupted: Callable[[], bool]) -> None:
        last_s, changed_s = self.now_s(), time.monotonic()
        while True:
            now_s = self.now_s()
            if now_s >= time_s or now_s < last_s - CLOCK_BACK_S or interrupted():
                return
            if self._ending.is_set():
                raise MotionError(ReasonCode.HARDWARE_FAULT, 'the node is ending')
            if now_s != last_s:
                last_s, changed_s = now_s, time.monotonic()
            elif time.monotonic() - changed_s > self._config.clock_silence_s:
                raise MotionError(
                    ReasonCode.HARDWARE_FAULT,
                    f'the clock has stood at {now_s:.3f} s for {self._config.clock_silence_s:g} s',
                )
            with self._news:
                # Joint states arrive along with the clock; the bound is for a clock without joint states.
                self._news.wait(0.01)


class RosSnapshots:
    """The newest snapshot, converted only when it is read."""

    def __init__(self, node: LifecycleNode, streams: Streams, ending: threading.Event) -> None:
        self._node = node
        self._streams = streams
        self._ending = ending
        self._news = threading.Condition()
        self._msg: TableState | None = None
        self._converted: tuple[TableState, Snapshot] | None = None
        self._subscription: Any = None

    def subscribe(self) -> None:
        self._subscription = self._streams.subscribe(
            TableState, 'perception/objects', self._on_objects, QoSProfile(depth=1)
        )

    def unsubscribe(self) -> None:
        self._streams.unsubscribe(self._subscription)

    def _on_objects(self, msg: TableState) -> None:
        with self._news:
            self._msg = msg
            self._news.notify_all()

    def latest(self) -> Snapshot | None:
        msg, known = self._msg, self._converted
        if msg is None:
            return None
        if known is not None and known[0] is msg:
            return known[1]
        try:
            snapshot = snapshot_from_msg(msg)
        except ValueError as error:
            self._node.get_logger().warning(f'a snapshot cannot be used: {error}', throttle_duration_sec=5.0)
            return known[1] if known is not None else None
        self._converted = (msg, snapshot)
        return snapshot

    def wait_newer_than(self, stamp_s: float, timeout_s: float, interrupted: Callable[[], bool]) -> Snapshot | None:
        deadline_s = time.monotonic() + timeout_s
        while not (interrupted() or self._ending.is_set()):
            msg = self._msg
            if msg is not None and time_from_msg(msg.header.stamp) > stamp_s:
                snapshot = self.latest()
                if snapshot is not None and snapshot.stamp_s > stamp_s:
                    return snapshot
            remaining_s = deadline_s - time.monotonic()
            if remaining_s <= 0:
                return None
            with self._news:
                if self._msg is msg:
                    self._news.wait(min(remaining_s, 0.05))
        return None


class RosEntryRecorder:
    """The worker's memory, through the service `memory/record`."""

    def __init__(self, node: LifecycleNode, streams: Streams, config: ActionConfig, ending: threading.Event) -> None:
        self._node = node
        self._config = config
        self._ending = ending
        self._caller = streams.caller(RECORD.kind, 'memory/record')
        # Counting services does not remap names.
        self._service = node.resolve_service_name('memory/record')
        self._met = False

    @property
    def ready(self) -> bool:
        return bool(self._node.count_services(self._service) > 0)

    def destroy(self) -> None:
        self._caller.destroy()

    def record(self, entry: EntryRequest, timeout_s: float) -> int:
        if not self._met:
            # After a start, discovering a service may take seconds.
            timeout_s = max(timeout_s, self._config.memory_wait_s)
        response = self._caller.call(RECORD.request.to_msg(entry), timeout_s, cancelled=self._ending.is_set)
        self._met = True
        try:
            return RECORD.answer_from_msg(response).entry_id
        except (MemoryFault, ValueError) as error:
            raise MemoryFault(f'the memory did not record it: {error}') from error
