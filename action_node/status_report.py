"""The action node's report in `diagnostics`."""

from collections.abc import Callable, Mapping

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.lifecycle import LifecycleNode

from action_node.config import ActionConfig
from action_node.executor import ActionExecutor
from action_node.internal_errors import InternalErrors
from action_node.log_lines import say
from action_node.ros_interfaces import RosArmControllers, RosEntryRecorder, RosSnapshots
from action_node.snapshot_freshness import is_recent
from lucca_core.protocol.observations import OTHER_SENDERS
from lucca_core.protocol.prohibitions import KeptProhibitions
from lucca_ros.diagnostics import DIAGNOSTICS, ERROR, OK, WARN, diagnostic_msg
from lucca_ros.rclpy_internals import is_of_an_end


class StatusReport:
    """Publishes whether actions can be executed, and if not, why."""

    def __init__(
        self,
        node: LifecycleNode,
        config: ActionConfig,
        executor: ActionExecutor,
        arms: RosArmControllers,
        objects: RosSnapshots,
        memory: RosEntryRecorder,
        internal_errors: InternalErrors,
        prohibitions: Callable[[], KeptProhibitions],
    ) -> None:
        self._node = node
        self._config = config
        self._executor = executor
        self._arms = arms
        self._objects = objects
        self._memory = memory
        self._internal_errors = internal_errors
        self._prohibitions = prohibitions
        self._told_of_others = ''
        self._publisher = node.create_lifecycle_publisher(DiagnosticArray, DIAGNOSTICS, 10)

    def destroy(self) -> None:
        """Destroys the publisher."""
        self._node.destroy_lifecycle_publisher(self._publisher)

    def publish(self) -> None:
        """Publishes the present state. An unexpected error is noted and published instead; it never raises."""
        if said := self._failure_of(self._publish_state):
            self._failure_of(lambda: self._publish(ERROR, said, {}))

    def _failure_of(self, step: Callable[[], None]) -> str:
        """Takes a step; an unexpected error is noted, so that the process ends in order, and returned in words."""
        try:
            step()
        except Exception as error:  # noqa: BLE001 - see above
            if is_of_an_end(error) and not self._node.context.ok():
                return ''  # the process is ending, and its context was shut down during this callback
            return self._internal_errors.note(error, 'the diagnostics')
        return ''

    def _publish_state(self) -> None:
        sample, frame = self._arms.joints(), self._objects.latest()
        now_s = self._arms.now_s()
        joints_s = None if sample is None else self._arms.silence_s(sample)
        frame_s = None if frame is None else now_s - frame.stamp_s
        level, message = OK, 'busy' if self._executor.busy else 'ready'
        if self._executor.stopped:
            why = self._executor.why_stopped
            level, message = WARN, f'stopped{f" ({why})" if why else ""}; waiting for action/reset'
            if fault := self._executor.disk_fault:
                level, message = ERROR, f'{message}; the stop is not on the disk yet: {fault}'
        elif joints_s is None or not joints_s <= self._config.joints_silence_s:
            level, message = ERROR, 'no joint states'
        elif frame_s is None or not is_recent(frame_s, self._config.snapshot_age_s):
            level, message = WARN, 'nothing is perceived'
        elif fault := self._prohibitions().fault:
            level, message = ERROR, fault
        elif not self._memory.ready:
            level, message = WARN, 'memory/record is not available; nothing can move'
        others = self._others()
        if others:
            level, message = max(level, WARN), f'{message}; {others}'
        if (first := self._internal_errors.first) is not None:
            level, message = ERROR, f'{message}; {first} in {first.where}; this process ends'
        ages_s = {'joint states age_s': joints_s, 'snapshot age_s': frame_s}
        values = {name: 'never' if age_s is None else f'{age_s:.3f}' for name, age_s in ages_s.items()}
        self._publish(level, message, values | ({OTHER_SENDERS: others} if others else {}))

    def _others(self) -> str:
        """Who else may move the arms. The log has it once, as whoever looks there later must find it."""
        others = self._arms.other_senders()
        if others and others != self._told_of_others:
            say(self._node, 'warning', others)
        self._told_of_others = others
        return others

    def _publish(self, level: bytes, message: str, values: Mapping[str, str]) -> None:
        now = self._node.get_clock().now().to_msg()
        msg = diagnostic_msg('action', message, values, stamp=now, level=level, hardware_id=self._config.robot)
        self._publisher.publish(msg)
