"""The lifecycle node `simulator`: publishes camera images, joint states and the clock, but no ground truth."""

import queue
import threading
import time
from collections.abc import Callable
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from lucca_interfaces.msg import TableState
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import CameraInfo, Image, JointState
from trajectory_msgs.msg import JointTrajectory

from lucca_core.errors import ConfigError
from lucca_ros.conversions.images import image_to_msg
from lucca_ros.conversions.stamps import time_from_msg
from lucca_ros.diagnostics import DIAGNOSTICS, ERROR, OK, diagnose_every, diagnostic_msg
from lucca_ros.lifecycle import logged_transition, main_of
from lucca_ros.parameters import declare_parameters, read_parameters
from lucca_ros.topic_reader import TopicReader
from lucca_sim.config import SimConfig
from lucca_sim.conversions import (
    camera_info_to_msg,
    clock_to_msg,
    joint_state_to_msg,
    trajectory_from_msg,
)
from lucca_sim.factories import make_recorder, make_table
from lucca_sim.pacing import ClockRate, Every, Leash, Pace
from lucca_sim.robot_at_table import RobotAtTable
from lucca_sim.trace_recorder import TraceRecorder
from lucca_sim.trajectory_controller import Trajectory
from lucca_sim.viewer import ViewerWindow, has_display

_STOP_WITHIN_S = 20.0


class SimulatorNode(LifecycleNode):
    """Steps a table in a separate thread, publishes its sensors, and passes trajectories to its controllers."""

    def __init__(self, **node_options: Any) -> None:
        super().__init__('simulator', **node_options)
        # This node publishes the simulated time. If it also followed that time, the time would stand still.
        self.set_parameters([Parameter('use_sim_time', Parameter.Type.BOOL, False)])
        declare_parameters(self, SimConfig(), self._on_change)
        self._pace: Pace | None = None
        self._commands: queue.SimpleQueue[tuple[str, Trajectory]] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._table: RobotAtTable | None = None
        self._own_publishers: list[Any] = []
        self._own_subscriptions: list[Any] = []
        self._diagnosing: Any = None
        self._topics = TopicReader(self, 'streams')
        self._topics.start()

    def _on_change(self, config: SimConfig) -> None:
        """Applies a changed speed from the next step on."""
        if self._pace is not None:
            self._pace.speed = config.speed

    @logged_transition
    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        self._config = read_parameters(self, SimConfig)
        try:
            self._table = make_table(self._config)
        except ValueError as error:
            raise ConfigError(str(error)) from error
        # The name is relative, so that each namespace has its own clock, to which its nodes remap ROS's /clock.
        self._time = self._publisher(Clock, 'clock', 1)
        self._joint_states = self._publisher(JointState, 'joint_states', 10)
        self._diagnostics = self._publisher(DiagnosticArray, DIAGNOSTICS, 10)
        if self._config.camera_enabled:
            self._colour = self._publisher(Image, 'camera/color/image_raw', 2)
            self._depth = self._publisher(Image, 'camera/depth/image_raw', 2)
            self._camera_info = self._publisher(CameraInfo, 'camera/color/camera_info', 2)
        return super().on_configure(state)

    @logged_transition
    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        assert self._table is not None
        result = super().on_activate(state)
        self._own_subscriptions = [
            self._topics.subscribe(JointTrajectory, f'{name}/joint_trajectory', self._receiver_of(name), 10)
            for name in self._table.controllers
        ]
        # Only the stamp is used, which tells how far perception has got.
        self._leash = Leash(self._config.leash_s)
        self._own_subscriptions.append(
            self._topics.subscribe(
                TableState, 'perception/objects', lambda msg: self._leash.seen(time_from_msg(msg.header.stamp)), 1
            )
        )
        # What came before the last deactivation is not executed now.
        self._commands = queue.SimpleQueue()
        self._stopping.clear()
        self._diagnosing = diagnose_every(self, self._diagnose)
        self._thread = threading.Thread(target=self._run, args=(self._table,), name='simulation')
        self._thread.start()
        return result

    @logged_transition
    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        for subscription in self._own_subscriptions:
            self._topics.unsubscribe(subscription)
        self._own_subscriptions = []
        self._stop()
        self.destroy_timer(self._diagnosing)
        return super().on_deactivate(state)

    @logged_transition
    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        for publisher in self._own_publishers:
            self.destroy_lifecycle_publisher(publisher)
        self._own_publishers = []
        self._table = None
        return super().on_cleanup(state)

    def destroy_node(self) -> None:
        """First stops the simulation and writes its files."""
        self._stop()
        self._topics.close()
        super().destroy_node()

    def _publisher(self, message: type, topic: str, depth: int) -> Any:
        publisher = self.create_lifecycle_publisher(message, topic, QoSProfile(depth=depth))
        self._own_publishers.append(publisher)
        return publisher

    def _receiver_of(self, controller: str) -> Callable[[JointTrajectory], None]:
        def receive(msg: JointTrajectory) -> None:
            try:
                self._commands.put((controller, trajectory_from_msg(msg)))
            except ValueError as error:
                self.get_logger().warning(f'{controller}: trajectory refused: {error}')

        return receive

    def _diagnose(self) -> None:
        thread, table = self._thread, self._table
        if thread is None or table is None:
            return
        runs = thread.is_alive()
        values = {'engine': self._config.engine, 'time_s': f'{table.time_s:.1f}'}
        now = self.get_clock().now().to_msg()
        message, level = ('runs', OK) if runs else ('the simulation has stopped', ERROR)
        self._diagnostics.publish(diagnostic_msg('simulator', message, values, stamp=now, level=level))

    def _stop(self) -> None:
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(_STOP_WITHIN_S)
            self._thread = None

    def _run(self, table: RobotAtTable) -> None:
        """Runs in the simulation thread. It also renders, because a graphics context belongs to one thread."""
        recorder = make_recorder(self._config, table)
        window = self._open_window(table)
        try:
            if recorder is not None and self._config.stills:
                recorder.still('start')
            self._simulate(table, recorder, window)
        except Exception as error:
            self.get_logger().fatal(f'the simulation stopped: {type(error).__name__}: {error}')
            raise
        finally:
            if recorder is not None:
                recorder.finish()
                if self._config.stills:
                    recorder.still('end')
            if window is not None:
                window.close()
            table.close()

    def _simulate(self, table: RobotAtTable, recorder: TraceRecorder | None, window: ViewerWindow | None) -> None:
        config = self._config
        # Read again, because the speed may have changed since the node was configured.
        self._pace = pace = Pace(read_parameters(self, SimConfig).speed)
        clock = ClockRate(config.clock_rate_hz, config.clock_wall_rate_hz)
        joints, camera = Every(config.joint_state_rate_hz), Every(config.camera_rate_hz)
        shown = Every(30.0)
        tick_s = 1.0 / max(config.clock_rate_hz, config.joint_state_rate_hz)
        ticks = round(table.time_s / tick_s)
        while not self._stopping.is_set() and self.context.ok():
            self._pass_commands_on(table)
            self._leash.wait(table.time_s)
            table.step(ticks * tick_s)
            ticks += 1
            now = table.time_s
            try:
                if clock.due(now, time.monotonic()):
                    self._time.publish(clock_to_msg(now))
                if joints.due(now):
                    self._joint_states.publish(
                        joint_state_to_msg(now, table.joint_positions(), table.joint_velocities())
                    )
                if config.camera_enabled and camera.due(now):
                    self._publish_pictures(table, now)
            except Exception:
                if not self.context.ok():
                    return  # shut down between the check and the call
                raise
            if recorder is not None and now >= recorder.next_s - 1e-6:
                recorder.sample()
            if window is not None and shown.due(time.monotonic()):
                window.refresh()
            wait_s = pace.wait_s(now, time.monotonic())
            if wait_s > 0:
                self._stopping.wait(wait_s)

    def _pass_commands_on(self, table: RobotAtTable) -> None:
        while True:
            try:
                controller, trajectory = self._commands.get_nowait()
            except queue.Empty:
                return
            try:
                table.command(controller, trajectory)
            except ValueError as error:
                self.get_logger().warning(f'trajectory refused: {error}')

    def _publish_pictures(self, table: RobotAtTable, now: float) -> None:
        watched = self._colour.get_subscription_count(), self._depth.get_subscription_count()
        frame_id = table.profile.camera_link
        if any(watched):
            rgb, depth_m = table.render()
            if watched[1]:
                self._depth.publish(image_to_msg(depth_m, now, frame_id))
            if watched[0]:
                self._colour.publish(image_to_msg(rgb, now, frame_id))
        self._camera_info.publish(camera_info_to_msg(table.camera_info, now, frame_id))

    def _open_window(self, table: RobotAtTable) -> ViewerWindow | None:
        if not self._config.viewer:
            return None
        if not has_display():
            self.get_logger().warning('viewer: no display (DISPLAY and WAYLAND_DISPLAY are not set), going on without')
            return None
        return ViewerWindow(table)


main = main_of(SimulatorNode, end_s=_STOP_WITHIN_S + 5.0)
