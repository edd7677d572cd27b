"""Attack on the nodes' topics, services and actions with random messages and requests."""

import functools
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from action_msgs.srv import CancelGoal
from lifecycle_msgs.srv import GetState
from lucca_interfaces.action import ExecuteAction, ExecuteTask
from rclpy.qos import DurabilityPolicy, QoSProfile

from lucca_lab.attack.attack import Attack, Broken, Counts, Trial
from lucca_lab.attack.running.attacked_nodes import DEADLINE_S, NodeProcesses
from lucca_lab.attack.running.odd_messages import drawn, type_named

_ACTIONS = {'execute_task': ExecuteTask, 'execute_action': ExecuteAction}
_NODES = ('worker', 'coordinator', 'action', 'perception', 'speech')
# These services rightly end a node or change its settings.
_LEFT_OUT = ('change_state', 'set_parameters', 'set_parameters_atomically', '_action/get_result', '_action/send_goal')
_LEFT_OUT_TOPICS = ('/parameter_events', '/rosout', '/claims')
_REMEMBERED = 5


class _Targets:
    """All services and topics of the nodes, with clients and publishers for them."""

    def __init__(self, nodes: NodeProcesses) -> None:
        self._nodes = nodes
        node = nodes.node
        services: dict[str, str] = {}
        topics: dict[str, str] = {}
        for name, namespace in node.get_node_names_and_namespaces():
            if name == node.get_name():
                continue
            services |= {item: kinds[0] for item, kinds in node.get_service_names_and_types_by_node(name, namespace)}
            topics |= {item: kinds[0] for item, kinds in node.get_subscriber_names_and_types_by_node(name, namespace)}
        self.services = sorted(
            (name, kind) for name, kind in services.items() if not name.endswith(_LEFT_OUT) and '/_action/' not in name
        )
        self.topics = sorted(
            (name, kind) for name, kind in topics.items() if name not in _LEFT_OUT_TOPICS and '/_action/' not in name
        )
        self._clients: dict[str, Any] = {}
        self._publishers: dict[str, Any] = {}

    def client(self, name: str, kind: Any) -> Any:
        if name not in self._clients:
            self._clients[name] = self._nodes.node.create_client(kind, name)
            self._nodes.until(self._clients[name].service_is_ready, f'{name} is there')
        return self._clients[name]

    def publisher(self, name: str, kind: Any) -> Any:
        if name not in self._publishers:
            # With this quality of service, subscribers of either durability receive the messages.
            qos = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
            self._publishers[name] = self._nodes.node.create_publisher(kind, name, qos)
            self._nodes.until(
                lambda: self._publishers[name].get_subscription_count() > 0, f'{name} is heard', DEADLINE_S
            )
        return self._publishers[name]


@contextmanager
def _open(folder: Path) -> Iterator[Trial]:
    nodes = NodeProcesses(
        folder,
        {
            'worker': {'data_dir': folder / 'memory', 'embedding': 'none'},
            'action': {'state_dir': folder / 'state', 'use_sim_time': True},
            'perception': {'use_sim_time': True},
            'speech': {'source': 'topic', 'player': 'topic', 'speaker': 'none', 'activity': 'energy'},
            'coordinator': {'use_sim_time': True, 'stack_wait_s': 1.0},
        },
    )
    try:
        for name in _NODES:
            client = nodes.node.create_client(GetState, f'/{name}/get_state')
            nodes.until(client.service_is_ready, f'{name} is there')
            nodes.until(functools.partial(_is_active, nodes, client), f'{name} is active')
        targets = _Targets(nodes)
        latest: list[str] = []

        def trial(chance: random.Random) -> Counts:
            try:
                return _sent(nodes, targets, chance, latest)
            except Broken as broken:
                raise Broken(f'after {latest[-_REMEMBERED:]}: {broken}') from broken

        yield trial
    finally:
        nodes.close()


def _is_active(nodes: NodeProcesses, client: Any) -> bool:
    state = nodes.call(client, GetState.Request(), 'get_state').current_state
    return bool(state.label == 'active')


def _sent(nodes: NodeProcesses, targets: _Targets, chance: random.Random, latest: list[str]) -> Counts:
    kind = chance.choices(('request', 'message', 'goal'), (6, 6, 1))[0]
    if kind == 'request':
        name, type_name = chance.choice(targets.services)
        service = type_named(type_name)
        request = drawn(service.Request, chance)
        latest.append(f'{name} {str(request)[:300]}')
        nodes.call(targets.client(name, service), request, name)
    elif kind == 'message':
        name, type_name = chance.choice(targets.topics)
        msg = drawn(type_named(type_name), chance)
        latest.append(f'{name} {str(msg)[:300]}')
        targets.publisher(name, type(msg)).publish(msg)
    else:
        name, action = chance.choice(sorted(_ACTIONS.items(), key=lambda item: item[0]))
        request = action.Impl.SendGoalService.Request(goal=drawn(action.Goal, chance))
        request.goal_id.uuid = list(chance.randbytes(16))
        latest.append(f'{name} {str(request)[:300]}')
        nodes.call(targets.client(f'/{name}/_action/send_goal', action.Impl.SendGoalService), request, name)
        # An empty cancel request cancels all goals.
        nodes.call(targets.client(f'/{name}/_action/cancel_goal', CancelGoal), CancelGoal.Request(), f'cancel {name}')
    asked = chance.choice(_NODES)
    nodes.call(targets.client(f'/{asked}/get_state', GetState), GetState.Request(), f'{asked}/get_state')
    nodes.check_alive()
    return {kind: 1}


PART = Attack(
    name='messages',
    promise='Whatever is sent to a node, it answers and lives.',
    open=_open,
    sample=60,
    count=10_000,
)
