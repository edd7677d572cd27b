"""Claims that allow one node of each kind per domain and namespace: a lock on this machine, the graph for others."""

import os
import secrets
import time
from collections.abc import Callable, Container

from lifecycle_msgs.msg import State
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import String

from lucca_core.claim import Claim, already_running, this_process
from lucca_core.errors import AlreadyRunningError, LuccaError
from lucca_ros.rclpy_internals import Transition, take_messages, transition_callbacks
from lucca_ros.spinning import end_wait
from lucca_ros.subscriptions import LATCHED

TOPIC = 'claims'
"""Topic, in each namespace, on which every lucca node names the process that runs it."""

# The depth counts per topic, not per publisher: with 1, the last message, even our own, would displace all others.
HEARD = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL, reliability=ReliabilityPolicy.RELIABLE)

HERE_S = 0.5
ELSEWHERE_S = 2.0
_LOOK_S = 0.02
_MOST_CHARS = 500


def listening_s() -> float:
    """How long to listen for nodes that are already there, in s of wall time; it depends on the range of discovery."""
    return HERE_S if os.environ.get('ROS_AUTOMATIC_DISCOVERY_RANGE') in ('LOCALHOST', 'OFF') else ELSEWHERE_S


def kind_of(node_class: Callable[..., LifecycleNode]) -> str:
    """The kind of a node class, independent of node names: `action` for ActionNode."""
    name = getattr(node_class, '__name__', 'node')
    return name.removesuffix('Node').lower()


class NodeClaim:
    """A node's claim to be the only one of its kind in its domain and namespace.

    `take` fails if another process on this machine holds the lock. `confirm` fails if a process on another machine
    announces in the graph that it holds the claim; of two nodes that start at once, the lower token wins. If the two
    did not notice each other at first, the loser learns of it later: `lost` then says who has the claim.
    """

    def __init__(self, node: LifecycleNode) -> None:
        self._node = node
        self._kind = kind_of(type(node))
        self._domain = node.context.get_domain_id()
        self._token = secrets.token_hex(8)
        self._lock: Claim | None = None
        self._confirmed = False
        self._until_s = 0.0
        self._rivals: dict[str, tuple[bool, str]] = {}
        self.lost: AlreadyRunningError | None = None
        self.refused: LuccaError | None = None

    def take(self) -> None:
        """Takes the lock and announces it in the graph. Does nothing if the lock is already held.

        Raises:
            AlreadyRunningError: another process on this machine holds it.
            StackError: the lock cannot be used.
        """
        if self._lock is not None:
            return
        self._lock = Claim(self._kind, self._domain, self._node.get_namespace())
        self._rivals.clear()
        self._publisher = self._node.create_publisher(String, TOPIC, LATCHED)
        self._subscription = self._node.create_subscription(String, TOPIC, self._on_claim, HEARD)
        self._say('claims')
        self._until_s = time.monotonic() + listening_s()

    def confirm(self) -> None:
        """Returns once no other claim was heard for long enough, counted from `take`.

        Raises:
            AlreadyRunningError: a process on another machine has the claim; this one is released.
        """
        while not self._confirmed:
            late = time.monotonic() > self._until_s
            self._hear()
            if who := self._who_is_first():
                break
            if late:
                self._confirmed = True
                self._say('holds')
                return
            time.sleep(_LOOK_S)
        if not self._confirmed:
            self.release()
            raise already_running(self._kind, self._domain, self._node.get_namespace(), who)

    def release(self) -> None:
        """Gives up the claim. A second call does nothing."""
        if self._lock is None:
            return
        # A node that starts at this moment may still receive our previous announcement.
        self._say('frees')
        self._node.destroy_publisher(self._publisher)
        self._node.destroy_subscription(self._subscription)
        self._confirmed = False
        self._lock.release()
        self._lock = None

    def _say(self, word: str) -> None:
        self._publisher.publish(String(data=f'{self._kind} {self._token} {word} {this_process()}'))

    def _hear(self) -> None:
        # Nobody spins the node while it activates itself. Otherwise its executor calls `_on_claim`.
        for msg, _ in take_messages(self._subscription, HEARD.depth):
            self._on_claim(msg)

    def _on_claim(self, msg: String) -> None:
        kind, token, word, who = (*str(msg.data)[:_MOST_CHARS].split(' ', 3), '', '', '', '')[:4]
        if kind != self._kind or not token or token == self._token:
            return
        if word == 'frees':
            self._rivals.pop(token, None)
            return
        self._rivals[token] = (word == 'holds', who)
        if self._confirmed and word == 'holds' and token < self._token:
            self.lost = already_running(self._kind, self._domain, self._node.get_namespace(), who)
            if (executor := self._node.executor) is not None:
                end_wait(executor)

    def _who_is_first(self) -> str:
        for token, (holds, who) in list(self._rivals.items()):
            if holds or token < self._token:
                return who or 'a process that did not say who it is'
        return ''


def claim_with_activation(node: LifecycleNode) -> NodeClaim:
    """Lets a node be active only while it holds the claim; otherwise its activation fails, with the reason in its log.

    The node's own transitions stay as they are. It can be activated once the other node has gone.
    """
    claim = NodeClaim(node)
    transitions = transition_callbacks(node)
    activate = transitions[State.TRANSITION_STATE_ACTIVATING]
    deactivate = transitions[State.TRANSITION_STATE_DEACTIVATING]

    def claimed(state: LifecycleState) -> TransitionCallbackReturn:
        result = TransitionCallbackReturn.ERROR
        try:
            claim.take()
            claim.confirm()
            result = activate(state)
        except LuccaError as error:
            claim.refused, result = error, TransitionCallbackReturn.FAILURE
            node.get_logger().error(f'not activated: {error}')
        finally:
            if result != TransitionCallbackReturn.SUCCESS:
                claim.release()
        return result

    def leaving(leave: Transition) -> Transition:
        def left(state: LifecycleState) -> TransitionCallbackReturn:
            result = TransitionCallbackReturn.ERROR
            try:
                result = leave(state)
            finally:
                # A node whose deactivation failed is still active.
                if result != TransitionCallbackReturn.FAILURE or leave is not deactivate:
                    claim.release()
            return result

        return left

    transitions[State.TRANSITION_STATE_ACTIVATING] = claimed
    for number in (
        State.TRANSITION_STATE_DEACTIVATING,
        State.TRANSITION_STATE_SHUTTINGDOWN,
        State.TRANSITION_STATE_ERRORPROCESSING,
    ):
        transitions[number] = leaving(transitions[number])
    return claim


def heard_claims(
    node: Node, kinds: Container[str], timeout_s: float, spins: Callable[[float], None] = time.sleep
) -> dict[str, str]:
    """The processes that run these kinds of nodes in the namespace of `node`, as heard within `timeout_s`.

    It returns as soon as any is heard. `spins` lets time pass while another thread spins the node.
    """
    found: dict[str, str] = {}

    def hear(msg: String) -> None:
        kind, _, word, who = (*str(msg.data)[:_MOST_CHARS].split(' ', 3), '', '', '', '')[:4]
        if word != 'frees' and kind in kinds:
            found[kind] = who

    subscription = node.create_subscription(String, TOPIC, hear, HEARD)
    end_s = time.monotonic() + timeout_s
    while not found and time.monotonic() < end_s:
        spins(_LOOK_S)
    node.destroy_subscription(subscription)
    return found
