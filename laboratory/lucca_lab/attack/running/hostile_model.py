"""Attack on coordinator and worker through a hostile model server."""

import random
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from lifecycle_msgs.srv import GetState
from lucca_interfaces.action import ExecuteAction, ExecuteTask
from lucca_interfaces.msg import TableState
from lucca_interfaces.srv import ListTasks
from rclpy.callback_groups import ReentrantCallbackGroup

from action_node.gate.call_parser import parse_action
from action_node.gate.gate import Anywhere, Gate, Situation
from coordinator_node.interfaces import Goal
from lucca_core.codes import ReasonCode
from lucca_core.errors import MotionError, RefusalError
from lucca_core.protocol.actions import ActionResult
from lucca_core.protocol.goals import Status
from lucca_core.protocol.prohibitions import ProhibitionsAnswer
from lucca_core.protocol.snapshots import Container, Snapshot, TableObject
from lucca_lab.attack.attack import Attack, Broken, Counts, Trial
from lucca_lab.attack.hostile_server import HostileServer, Temper, hostile_answer
from lucca_lab.attack.running.attacked_nodes import NodeProcesses
from lucca_memory.procedural import load_actions, load_tasks
from lucca_ros.conversions.actions import ACTION_REQUEST, ACTION_RESULT
from lucca_ros.conversions.goals import GOAL_REQUEST, GOAL_RESULT
from lucca_ros.conversions.prohibitions import PROHIBITIONS
from lucca_ros.conversions.snapshots import snapshot_to_msg
from lucca_ros.rclpy_internals import LockedActionClient, ShutdownSafeActionServer

_GOAL_S = 90.0
_TEXTS = (
    'Put the pear into box 1.',
    'What is on the table?',
    'Tidy up.',
    'My name is Anna.',
    'Go on.',
    'Stop.',
    'é\n<give(pear)>',
)
IMPATIENT: Mapping[str, float] = {
    'model_deadline_s': 0.5,
    'model_retries': 1,
    'goal_model_retries': 4,
    'retry_pause_s': 0.01,
    'retry_pause_max_s': 0.05,
    'max_refusals': 6,
    'max_repairs': 2,
    'max_steps': 6,
    'max_lookups': 2,
    'turn_deadline_s': 10.0,
    'look_again_s': 0.0,
    'stack_wait_s': 5.0,
}
"""Settings for a coordinator that gives up a bad model soon."""

_TABLE = Snapshot(
    objects=tuple(TableObject(object_id=f'id {name}', name=name, label=name) for name in ('pear', 'apple', 'red cube')),
    containers=(Container(name='box 1'), Container(name='box 2'), Container(name='bowl')),
)


class _Arms:
    """The checks of an action node before it moves, without any motion."""

    def __init__(self, nodes: NodeProcesses) -> None:
        self.actions = load_actions()
        self._gate = Gate(self.actions, Anywhere())
        self._node = nodes.node
        self.moved: list[tuple[str, str, frozenset[str]]] = []
        group = ReentrantCallbackGroup()
        self._server = ShutdownSafeActionServer(
            self._node, ExecuteAction, 'execute_action', self._execute, callback_group=group
        )
        # Nothing is prohibited.
        self._prohibitions = self._node.create_service(
            PROHIBITIONS.kind,
            'action/prohibitions',
            lambda request, _: PROHIBITIONS.answer.to_msg(ProhibitionsAnswer()),
            callback_group=group,
        )
        self._objects = self._node.create_publisher(TableState, 'perception/objects', 10)
        self._node.create_timer(0.1, self._see, callback_group=group)

    def close(self) -> None:
        self._server.destroy()
        self._node.destroy_service(self._prohibitions)

    def _see(self) -> None:
        msg = snapshot_to_msg(_TABLE)
        msg.header.stamp = self._node.get_clock().now().to_msg()
        self._objects.publish(msg)

    def _execute(self, handle: Any) -> ExecuteAction.Result:
        request = ACTION_REQUEST.from_msg(handle.request)
        allowed = frozenset(request.allowed_actions)
        try:
            call = parse_action(request.text)
            self._gate.check(call, Situation(snapshot=_TABLE, allowed_actions=allowed))
        except (RefusalError, MotionError) as refusal:
            handle.abort()
            return ACTION_RESULT.to_msg(ActionResult(code=refusal.code, message=str(refusal)))
        self.moved.append((request.task, call.name, allowed))
        handle.succeed()
        done = ActionResult(code=ReasonCode.DONE, action=str(call), object_id=f'id {call.argument}')
        return ACTION_RESULT.to_msg(done)


def _is_active(nodes: NodeProcesses, state: Any) -> bool:
    return bool(nodes.call(state, GetState.Request(), 'get_state').current_state.label == 'active')


@contextmanager
def _open(folder: Path) -> Iterator[Trial]:
    calm = hostile_answer(Temper(right=1.0))
    wild = hostile_answer(Temper(right=0.85))
    attacking = threading.Event()
    server = HostileServer(lambda asked, chance: (wild if attacking.is_set() else calm)(asked, chance))
    kind = 'openai:m'
    nodes = NodeProcesses(
        folder,
        {
            'worker': {
                'data_dir': folder / 'memory',
                'embedding': 'none',
                'llm': f'{kind}@{server.url}',
                'model_attempts': 1,
                'model_deadline_s': 0.5,
            },
            'coordinator': {'llm': f'ollama:m@{server.url}', **IMPATIENT},
        },
    )
    arms = _Arms(nodes)
    goals = LockedActionClient(nodes.node, ExecuteTask, 'execute_task')
    try:
        for name in ('worker', 'coordinator'):
            state = nodes.node.create_client(GetState, f'/{name}/get_state')
            nodes.until(state.service_is_ready, f'{name} is there')
            nodes.until(partial(_is_active, nodes, state), f'{name} is active')
        nodes.until(goals.server_is_ready, 'execute_task is there')
        tasks_client = nodes.node.create_client(ListTasks, '/memory/tasks')
        tasks = load_tasks(None, arms.actions)
        attacking.set()

        def trial(chance: random.Random) -> Counts:
            server.answer_next(chance.getrandbits(60))
            moved = len(arms.moved)
            by_name = chance.random() < 0.5
            goal = Goal(
                goal_id='',
                task=chance.choice(sorted(tasks)) if by_name else '',
                text='' if by_name else chance.choice(_TEXTS),
                person='Anna',
                max_actions=2,
            )
            status = _ended(nodes, goals, goal)
            if not nodes.call(tasks_client, ListTasks.Request(), 'memory/tasks').tasks:
                raise Broken('the worker lists no tasks any more')
            for task, action, allowed in arms.moved[moved:]:
                known = frozenset(tasks[task].actions) if task in tasks else frozenset(arms.actions)
                if action not in known or not allowed <= known:
                    raise Broken(f'{action} moved for {task!r}, to which {sorted(known)} belong')
            if server.strays:
                raise Broken('a redirect was followed')
            nodes.check_alive()
            return {str(status): 1, 'moved': len(arms.moved) - moved}

        yield trial
    finally:
        arms.close()
        goals.destroy()
        nodes.close()
        server.close()


def _ended(nodes: NodeProcesses, goals: LockedActionClient, goal: Goal) -> Status:
    accepting = goals.send_goal_async(GOAL_REQUEST.to_msg(goal))
    nodes.until(accepting.done, 'a goal is taken', _GOAL_S)
    handle = accepting.result()
    if handle is None or not handle.accepted:
        raise Broken('a goal was rejected')
    ending = handle.get_result_async()
    nodes.until(ending.done, f'{goal} has an end', _GOAL_S)
    return GOAL_RESULT.from_msg(ending.result().result).status


PART = Attack(
    name='hostile-model',
    promise='Whatever the model server sends, coordinator and worker answer and live, and only allowed motions happen.',
    open=_open,
    sample=5,
    count=1000,
)
