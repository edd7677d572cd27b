"""Round-trip times of empty actions and services: the overhead of ROS itself."""

import time
from typing import Any

from lucca_interfaces.action import ExecuteAction
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from std_srvs.srv import Trigger

from lucca_core.errors import StackError
from lucca_ros.callers import ServiceCaller, wait_for
from lucca_ros.rclpy_internals import LockedActionClient, ShutdownSafeActionServer


def empty_action_round_trips_s(node: Node, count: int) -> list[float]:
    """Wall times (s) of actions that do nothing, from goal to result, with server and client in this process."""

    def execute(handle: Any) -> ExecuteAction.Result:
        handle.succeed()
        return ExecuteAction.Result()

    server = ShutdownSafeActionServer(
        node, ExecuteAction, 'lucca_bench_action', execute, callback_group=ReentrantCallbackGroup()
    )
    caller = LockedActionClient(node, ExecuteAction, 'lucca_bench_action', callback_group=ReentrantCallbackGroup())
    try:
        if not caller.wait_for_server(timeout_sec=8.0):
            raise StackError('the empty action server was not discovered')
        times = []
        for _ in range(count):
            started_s = time.perf_counter()
            handle = wait_for(caller.send_goal_async(ExecuteAction.Goal()), 8.0, 'the empty action')
            wait_for(handle.get_result_async(), 8.0, 'the empty action')
            times.append(time.perf_counter() - started_s)
        return times
    finally:
        caller.destroy()
        server.destroy()


def empty_service_calls_s(node: Node, count: int) -> list[float]:
    """Wall times (s) of service calls that do nothing, with server and client in this process."""

    def answer(_: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        return response

    group = ReentrantCallbackGroup()
    server = node.create_service(Trigger, 'lucca_bench_service', answer, callback_group=group)
    caller = ServiceCaller(node, Trigger, 'lucca_bench_service', callback_group=group)
    try:
        times = []
        for _ in range(count):
            started_s = time.perf_counter()
            caller.call(Trigger.Request(), 8.0)
            times.append(time.perf_counter() - started_s)
        return times
    finally:
        caller.destroy()
        node.destroy_service(server)
