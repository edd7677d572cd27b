"""A node in which something breaks off when it is told to: in the place that the first argument names."""

import sys
import threading
from typing import Any

from lucca_interfaces.action import ExecuteTask
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from std_msgs.msg import Empty
from std_srvs.srv import Trigger

from lucca_core.errors import StackError
from lucca_ros.companion import Companion
from lucca_ros.lifecycle import logged_transition, run_node
from lucca_ros.rclpy_internals import ShutdownSafeActionServer


class BreakingNode(LifecycleNode):
    """Breaks off in `place`."""

    def __init__(self, place: str) -> None:
        super().__init__('breaking')
        self._place = place
        self._begun = False
        self._told = threading.Event()
        self._companion = Companion(self, 'companion')
        self._companion.node.create_subscription(Empty, 'companion', lambda _: self._break(), 1)
        self._companion.start()
        self.create_subscription(Empty, 'break', self._on_break, 1)
        self.create_service(Trigger, 'trigger', lambda request, response: self._break())
        threading.Thread(target=self._wait, name='waiting', daemon=True).start()
        self._to_companion = self.create_publisher(Empty, 'companion', 1)
        self._own_service = self.create_client(Trigger, 'trigger')

    @logged_transition
    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        if self._place == 'configure':
            self.context.try_shutdown()
            ShutdownSafeActionServer(self, ExecuteTask, 'never', lambda goal: None)
        return TransitionCallbackReturn.SUCCESS

    @logged_transition
    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        self._break()

    def destroy_node(self) -> None:
        self._companion.close()
        super().destroy_node()

    def _wait(self) -> None:
        self._told.wait()
        self._break()

    def _on_break(self, msg: Empty) -> None:
        if self._begun:
            return
        self._begun = True
        if self._place in ('callback', 'stack'):
            self._break()
        elif self._place in ('thread', 'exit'):
            self._told.set()
        elif self._place == 'timer':
            self.create_timer(0.001, self._break)
        elif self._place == 'companion':
            self._to_companion.publish(Empty())
        elif self._place == 'service':
            self._own_service.call_async(Trigger.Request())
        elif self._place == 'transition':
            threading.Thread(target=self.trigger_deactivate, name='manager').start()
        elif self._place == 'clean':
            self.context.try_shutdown()

    def _break(self) -> Any:
        if self._place == 'stack':
            raise StackError('surprise')
        if self._place == 'exit':
            raise SystemExit(0)
        raise KeyError('surprise')


if __name__ == '__main__':
    sys.exit(run_node(lambda: BreakingNode(sys.argv[1])))
