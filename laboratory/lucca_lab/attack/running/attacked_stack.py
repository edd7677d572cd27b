"""A whole stack under attack, with access to its goals, nodes, joints, table and logs."""

import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from lifecycle_msgs.srv import GetState
from lucca_interfaces.action import ExecuteTask
from lucca_interfaces.msg import TableState
from lucca_interfaces.srv import ListTasks
from rclpy.context import Context
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import JointState

from coordinator_node.interfaces import Goal
from lucca_core.errors import StackError
from lucca_core.protocol.goals import GoalResult
from lucca_core.protocol.snapshots import Snapshot
from lucca_lab.attack.attack import Broken
from lucca_lab.attack.joint_motion import JointMotion
from lucca_lab.attack.running.processes import (
    STACK_KINDS,
    cleaned,
    data_folder,
    new_namespace,
    pid_of,
    start_stack,
)
from lucca_lab.quick_table import quick_parameters
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.entry import Entry
from lucca_memory.declarative.log import LogStore, TaskLog
from lucca_ros.callers import ServiceCaller, wait_for
from lucca_ros.conversions.goals import GOAL_REQUEST, GOAL_RESULT
from lucca_ros.conversions.snapshots import snapshot_from_msg
from lucca_ros.conversions.stamps import time_from_msg
from lucca_ros.rclpy_internals import LockedActionClient
from lucca_ros.spinning import SpinThread

ANSWER_S = 20.0
READY_S = 90.0
_DIAGNOSED = frozenset({'lucca: perception', 'lucca: action', 'lucca: coordinator'})
"""Names of the diagnostic statuses that a stack publishes while it is alive."""


class AttackedStack:
    """`lucca up` on the kinematic table at full speed, until `close`.

    Args:
        folder: the folder for its files.
        scene: the scene on the table.
        options: further options of `lucca up`.
        parameters: node parameters, by node.
    """

    def __init__(
        self, folder: Path, scene: str, options: tuple[str, ...], parameters: Mapping[str, Mapping[str, Any]]
    ) -> None:
        self._end = ExitStack()
        self.namespace = new_namespace()
        self._data = data_folder(folder, self.namespace)
        self.joints = JointMotion()
        self._changed = threading.Condition()
        self._now_s = 0.0
        self._table = Snapshot()
        self._statuses: dict[str, tuple[float, DiagnosticStatus]] = {}
        try:
            started = self._end.enter_context(cleaned(namespaces=(self.namespace,)))
            file = quick_parameters(folder / f'{self._data.name}.params.yaml', parameters)
            choices = ('--speed', '0', '--params-file', str(file), *options)
            self.process = start_stack(folder, self.namespace, *choices, scene=scene)
            started.append(self.process)
            self._watch(self._spun_node())
            self.process.until_ready(READY_S, 'the stack is not ready')
            self.check_alive()
            self._pids = {kind: pid_of(kind, self.namespace) for kind in STACK_KINDS}
            self.check_answers()
        except BaseException:
            self._end.close()
            raise

    def _spun_node(self) -> Node:
        context = Context()
        rclpy.init(context=context)
        self._end.callback(context.try_shutdown)
        node = Node('attacker', namespace=self.namespace, context=context, use_global_arguments=False)
        self._end.callback(node.destroy_node)
        executor = MultiThreadedExecutor(num_threads=4, context=context)
        executor.add_node(node)
        self._end.enter_context(SpinThread(executor))
        return node

    def _watch(self, node: Node) -> None:
        node.create_subscription(JointState, 'joint_states', self._on_joints, 50)
        node.create_subscription(DiagnosticArray, 'diagnostics', self._on_diagnostics, 50)
        node.create_subscription(TableState, 'perception/objects', self._on_table, 1)
        self._goals = LockedActionClient(node, ExecuteTask, 'execute_task')
        self._end.callback(self._goals.destroy)
        self._list_tasks = ServiceCaller(node, ListTasks, 'memory/tasks')
        self._states = {kind: ServiceCaller(node, GetState, f'{kind}/get_state') for kind in STACK_KINDS}

    def close(self) -> None:
        """Ends the stack."""
        with self._end:
            self.process.end()

    def check_alive(self) -> None:
        """
        Raises:
            Broken: the stack has ended.
        """
        if self.process.process.poll() is not None:
            raise Broken(f'the stack ended with {self.process.process.returncode}: {self.process.output[-3000:]}')

    def do(self, goal: Goal, timeout_s: float) -> GoalResult:
        """Sends a goal and returns its result.

        Raises:
            StackError: there is no answer on whether the goal is accepted.
            Broken: there is no action server, or the goal was rejected or did not end in time.
        """
        if not self._goals.wait_for_server(timeout_sec=ANSWER_S):
            raise Broken(f'execute_task is not there: {self._said()}')
        handle = wait_for(self._goals.send_goal_async(GOAL_REQUEST.to_msg(goal)), ANSWER_S, 'execute_task')
        if not handle.accepted:
            raise Broken(f'a goal was rejected: {self._said()}')
        try:
            return GOAL_RESULT.from_msg(wait_for(handle.get_result_async(), timeout_s, f'{goal}').result)
        except StackError as error:
            raise Broken(f'{error}: {self._said()}') from error

    def table(self) -> Snapshot:
        """A snapshot of the table that was taken after this call.

        Raises:
            Broken: no new snapshot was published.
        """
        with self._changed:
            now_s = self._now_s
            if not self._changed.wait_for(lambda: self._table.stamp_s > now_s, ANSWER_S):
                raise Broken(f'no table was seen after {now_s:.1f} s: {self._said()}')
            return self._table

    def tasks(self) -> dict[str, str]:
        """The description of each known task, by name."""
        response = self._list_tasks.call(ListTasks.Request(), ANSWER_S)
        return {state.task: state.description for state in response.tasks}

    def check_answers(self) -> None:
        """Checks that every node is still the same process, is active, and reports no error.

        Raises:
            Broken: this does not hold for a node.
            StackError: a node does not answer.
        """
        self.check_alive()
        began_s = time.monotonic()
        for kind, caller in self._states.items():
            label = caller.call(GetState.Request(), ANSWER_S).current_state.label
            if label != 'active':
                raise Broken(f'{kind} is {label}: {self._said()}')
            if (pid := pid_of(kind, self.namespace)) != self._pids[kind]:
                raise Broken(f'{kind} was process {self._pids[kind]} and is now {pid}: {self._said()}')
        if not self.tasks():
            raise Broken('the worker lists no tasks any more')
        with self._changed:
            if not self._changed.wait_for(lambda: self._diagnosed_since(began_s) >= _DIAGNOSED, ANSWER_S):
                missing = ', '.join(_DIAGNOSED - self._diagnosed_since(began_s))
                raise Broken(f'no diagnostics of {missing} for {ANSWER_S:g} s: {self._said()}')
        if 'Traceback (most recent call last)' in self.process.output:
            raise Broken(f'a node printed a traceback: {self._said("Traceback")}')

    def logs(self) -> dict[str, tuple[Entry, ...]]:
        """All logs, as they are on disk."""
        with DataFolder.open(self._data, write=False) as data:
            return {task: TaskLog(data, task).entries for task in LogStore(data).tasks()}

    def _diagnosed_since(self, time_s: float) -> set[str]:
        statuses = [status for when_s, status in self._statuses.values() if when_s > time_s]
        for status in statuses:
            if status.level == DiagnosticStatus.ERROR:
                raise Broken(f'{status.name}: {status.message}; {self._said()}')
        return {status.name for status in statuses}

    def _said(self, word: str = '') -> str:
        output = self.process.output
        place = output.find(word) if word else len(output) - 3000
        return output[max(0, place) :][:3000]

    def _on_joints(self, msg: Any) -> None:
        came_s = datetime.now(UTC).timestamp()
        with self._changed:
            self._now_s = time_from_msg(msg.header.stamp)
        self.joints.measured(came_s, dict(zip(msg.name, msg.position, strict=True)))

    def _on_table(self, msg: Any) -> None:
        table = snapshot_from_msg(msg)
        with self._changed:
            self._table = table
            self._changed.notify_all()

    def _on_diagnostics(self, msg: Any) -> None:
        with self._changed:
            for status in msg.status:
                self._statuses[status.name] = (time.monotonic(), status)
            self._changed.notify_all()
