"""Attack on the nodes' topics, services and actions with random messages and requests, and by hostile DDS peers.

A simulated robot and camera run beside the nodes, so that there are real messages to forge, and arms that could move.
Trajectories are not sent: whoever may publish them moves the arms.
"""

import functools
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from action_msgs.srv import CancelGoal
from lifecycle_msgs.srv import GetState
from lucca_interfaces.action import ExecuteAction, ExecuteTask
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import Bool
from std_srvs.srv import Trigger

from lucca_lab.attack.attack import Attack, Broken, Counts, SeededRandom, Trial, turn_of
from lucca_lab.attack.running.asked_motion import COMMANDS, AskedMotion
from lucca_lab.attack.running.attacked_nodes import DEADLINE_S, START_S, NodeProcesses
from lucca_lab.attack.running.hostile_peer import REAL, HostilePeer, Publish, is_stamped
from lucca_lab.attack.running.odd_messages import drawn, type_named

_ACTIONS = {'execute_task': ExecuteTask, 'execute_action': ExecuteAction}
_NODES = ('worker', 'coordinator', 'action', 'perception', 'speech')
# These services rightly end a node or change its settings.
_LEFT_OUT = ('change_state', 'set_parameters', 'set_parameters_atomically', '_action/get_result', '_action/send_goal')
_LEFT_OUT_TOPICS = ('/parameter_events', '/rosout', '/claims')
# Who may speak may ask for a task, and the robot may work on it for a while.
_SPOKEN = ('/speech/heard', '/speech/audio_in')
_TASK_S = 120.0
_ROUND, _REQUESTS, _GOALS = 20, 6, 7
"""Of this many trials, the first send requests, the next a goal, and the others are the topics' turns."""
_STRETCH, _FIRST_ASKING, _LAST_ASKING = 200, 20, 80
_RESET = '/action/reset'
_REMEMBERED = 5


def may_ask(trial_seed: int) -> bool:
    """Whether a trial may ask for motion, by a goal or in speech."""
    return _FIRST_ASKING <= trial_seed % _STRETCH < _LAST_ASKING


def is_of_topics(trial_seed: int) -> bool:
    """Whether a trial sends something on a topic."""
    return trial_seed % _ROUND >= _GOALS


def number_of_turn(trial_seed: int) -> int:
    """The number of a trial among those that send something on a topic, and may ask for motion, or may not, as it may.

    So all that may be sent has its turn, whatever the number of topics.
    """
    stretch, place = divmod(trial_seed, _STRETCH)
    alike = [seed for seed in range(_STRETCH) if is_of_topics(seed) and may_ask(seed) == may_ask(trial_seed)]
    return stretch * len(alike) + sum(seed < place for seed in alike)


class _Targets:
    """All services and topics of the nodes, with clients and publishers for them."""

    def __init__(self, nodes: NodeProcesses) -> None:
        self._nodes = nodes
        node = nodes.node
        services: dict[str, str] = {}
        topics: dict[str, str] = {}
        for name, namespace in node.get_node_names_and_namespaces():
            # Companions of a node, such as `action_streams`, hear some topics for it.
            if name.partition('_')[0] not in _NODES:
                continue
            services |= {item: kinds[0] for item, kinds in node.get_service_names_and_types_by_node(name, namespace)}
            topics |= {item: kinds[0] for item, kinds in node.get_subscriber_names_and_types_by_node(name, namespace)}
        self.services = sorted(
            (name, kind) for name, kind in services.items() if not name.endswith(_LEFT_OUT) and '/_action/' not in name
        )
        self.topics = sorted(
            (name, kind)
            for name, kind in topics.items()
            if name not in _LEFT_OUT_TOPICS and '/_action/' not in name and kind != COMMANDS
        )
        self.turns = [(kind, topic) for kind in _TOPIC_KINDS for topic in self.topics if _is_for(kind, topic)]
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
            'simulator': {'scene': 'sorting', 'engine': 'kinematic', 'camera_rate_hz': 2.0},
            'worker': {'data_dir': folder / 'memory', 'embedding': 'none'},
            'action': {'state_dir': folder / 'state', 'use_sim_time': True, 'joints_silence_s': 5.0},
            'perception': {'use_sim_time': True, 'reliable_inputs': True},
            'speech': {'source': 'topic', 'player': 'topic', 'speaker': 'none', 'activity': 'energy'},
            'coordinator': {'use_sim_time': True, 'stack_wait_s': 1.0},
        },
    )
    try:
        for name in _NODES:
            client = nodes.node.create_client(GetState, f'/{name}/get_state')
            nodes.until(client.service_is_ready, f'{name} is there')
            nodes.until(functools.partial(_is_active, nodes, client, name), f'{name} is active')
        attacker = _Attacker(nodes, folder / 'memory')
        for topic in REAL:
            nodes.until(functools.partial(attacker.peer.hears, topic), f'{topic} is there')

        def trial(chance: SeededRandom) -> Counts:
            try:
                return attacker.attack(chance)
            except Broken as broken:
                raise Broken(f'after {attacker.latest[-_REMEMBERED:]}: {broken}') from broken

        yield trial
    finally:
        nodes.close()


def _is_active(nodes: NodeProcesses, client: Any, name: str) -> bool:
    # While it is configured, which takes long on a busy machine, a node may answer nothing.
    state = nodes.call(client, GetState.Request(), f'{name}/get_state', START_S).current_state
    return bool(state.label == 'active')


class _Attacker:
    """Sends one thing after another, and checks the nodes after each."""

    def __init__(self, nodes: NodeProcesses, data: Path) -> None:
        self._nodes = nodes
        self._targets = _Targets(nodes)
        self._motion = AskedMotion(nodes.node, data)
        self._asked_s = -_TASK_S
        self._may_ask = False
        self.peer = HostilePeer(nodes.node)
        self.latest: list[str] = []

    def attack(self, chance: SeededRandom) -> Counts:
        """Sends a request, a message, a goal, or what only a hostile peer sends."""
        # In most of 200 trials nobody asks for anything, for longer than `_TASK_S`: then no action may begin.
        self._may_ask = may_ask(chance.trial_seed)
        if is_of_topics(chance.trial_seed):
            sent = self._topic_in_turn(chance)
        elif chance.trial_seed % _ROUND >= _REQUESTS and self._may_ask:
            sent = self._goal(chance)
        else:
            sent = self._request(chance)
        asked = chance.choice(_NODES)
        get_state = self._targets.client(f'/{asked}/get_state', GetState)
        self._nodes.call(get_state, GetState.Request(), f'{asked}/get_state')
        self._nodes.check_alive()
        may_begin = time.monotonic() - self._asked_s < _TASK_S
        # An action may begin in nearly every trial if many ask for one: the count says how often none could.
        return {sent: 1, 'actions begun': self._motion.check(asked=may_begin), 'nobody had asked': int(not may_begin)}

    def _request(self, chance: random.Random) -> str:
        name, type_name = chance.choice(self._targets.services)
        service = type_named(type_name)
        request = drawn(service.Request, chance)
        self._note(name, request)
        with self._motion.reset() if name == _RESET else nullcontext():
            self._nodes.call(self._targets.client(name, service), request, name)
        return 'request'

    def _goal(self, chance: random.Random) -> str:
        name, action = chance.choice(sorted(_ACTIONS.items(), key=lambda item: item[0]))
        request = action.Impl.SendGoalService.Request(goal=drawn(action.Goal, chance))
        request.goal_id.uuid = list(chance.randbytes(16))
        self._note(name, request)
        client = self._targets.client(f'/{name}/_action/send_goal', action.Impl.SendGoalService)
        if self._nodes.call(client, request, name).accepted:
            self._asked_s = time.monotonic()
        # An empty cancel request cancels all goals.
        cancel = self._targets.client(f'/{name}/_action/cancel_goal', CancelGoal)
        self._nodes.call(cancel, CancelGoal.Request(), f'cancel {name}')
        return 'goal'

    def _topic_in_turn(self, chance: SeededRandom) -> str:
        """Sends the next kind of message on the next topic; what may be speech only in the stretches for it."""
        turns = [turn for turn in self._targets.turns if self._may_ask or turn[1][0] not in _SPOKEN]
        kind, (name, type_name) = turns[turn_of(number_of_turn(chance.trial_seed), len(turns))]
        if name in _SPOKEN:
            self._asked_s = time.monotonic()
        if kind != 'drawn':
            self._lift_stop()
        publish = self._targets.publisher(name, type_named(type_name)).publish
        self.latest.append(f'{kind} on {name}')
        with self.peer.sending():
            self._note(name, _TOPIC_KINDS[kind](self.peer, name, type_name, publish, chance))
        return f'{kind} on {name}'

    def _lift_stop(self) -> None:
        """Lifts a stop that was drawn before, so that arms could move again, whatever the reset answers."""
        self._targets.publisher('/emergency_stop', Bool).publish(Bool(data=False))
        with self._motion.reset():
            self._nodes.call(self._targets.client(_RESET, Trigger), Trigger.Request(), _RESET)

    def _note(self, name: str, what: object) -> None:
        self.latest.append(f'{name} {str(what)[:300]}')


def _drawn(peer: HostilePeer, topic: str, type_name: str, publish: Publish, chance: random.Random) -> str:
    """Sends one message with extreme values."""
    msg = drawn(type_named(type_name), chance)
    publish(msg)
    return str(msg)


_TOPIC_KINDS: dict[str, Callable[[HostilePeer, str, str, Publish, random.Random], str]] = {
    'drawn': _drawn,
    'empty': HostilePeer.empty,
    'burst': HostilePeer.burst,
    'wrong stamp': HostilePeer.wrong_stamp,
    'wrong order': HostilePeer.wrong_order,
    'forged': HostilePeer.forged,
}
"""What is sent on topics. Each has its turn on each topic for which it is possible."""


def _is_for(kind: str, topic: tuple[str, str]) -> bool:
    if kind == 'forged':
        return topic[0] in REAL
    return is_stamped(topic[1]) if kind in ('wrong stamp', 'wrong order') else True


PART = Attack(
    name='messages',
    promise='Whatever is sent to a node, it answers and lives, and nothing moves that was not asked for.',
    open=_open,
    sample=8,
    count=10_000,
)
