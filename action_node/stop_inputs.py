"""What stops the arms from outside: the emergency stop, the stop word, and the service `action/stop`."""

import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol

from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import Bool, Empty
from std_srvs.srv import Trigger

from action_node.stop.stop_copies import Arrival, StopCopies

LET_GO_S = 0.5
"""Wall time for which a reset waits until a stop is no longer asserted."""

STOP_QOS = tuple(
    QoSProfile(depth=10, durability=durability, reliability=reliability)
    for durability, reliability in (
        (DurabilityPolicy.TRANSIENT_LOCAL, ReliabilityPolicy.RELIABLE),
        (DurabilityPolicy.VOLATILE, ReliabilityPolicy.RELIABLE),
        (DurabilityPolicy.VOLATILE, ReliabilityPolicy.BEST_EFFORT),
    )
)
"""QoS profiles with one subscription each, so that every publisher of a stop matches at least one of them.

A publisher is thereby heard with the strongest guarantees that it offers: a stop that it keeps also reaches a node that
is just being restarted. The depth is more than one, so that a stop that is withdrawn at once still counts as a stop.

A message may arrive once for each profile; it is one stop, see `StopCopies`.
"""


_BUTTON = 'emergency stop'
_WORD = 'stop word'


class StopArms(Protocol):
    """Stops the arms. Never raises."""

    def __call__(self, why: str, *, wait_for_disk: bool) -> tuple[bool, str]:
        """Stops because of `why`; returns whether the stop is whole, as far as it waited, and what was done."""
        ...


class StopInputs:
    """Receives stops from all sources, in every state of the action node, because nobody repeats a stop.

    While it is not connected, a stop is remembered, and carried out when it is connected. `action/stop` is offered only
    while it is connected: a node that cannot hold the arms must not answer in place of one that can.

    Args:
        node: the action node, which resolves the names.
        stopping: the node that receives the stops; nothing else delays its callbacks.
    """

    def __init__(self, node: Node, stopping: Node) -> None:
        self._node = node
        self._stopping = stopping
        self._connecting = threading.Lock()
        self._stop_arms: StopArms | None = None
        self._copies = _no_copies()
        self._subscriptions = 0
        self._remembered = ''
        self._pressed = False
        # Counting publishers does not remap names.
        self._button = node.resolve_topic_name('emergency_stop')
        self._subscribe(Bool, self._button, self._on_button)
        # A spoken word or a call cannot be held down like a button. It stops the robot and need not be withdrawn.
        self._subscribe(Empty, node.resolve_topic_name('speech/stop'), self._on_word)

    def _subscribe(self, kind: type, topic: str, receive: Callable[[Any, Arrival], None]) -> None:
        for qos in STOP_QOS:
            events = SubscriptionEventCallbacks(incompatible_qos=lambda _: None)
            self._subscriptions += 1
            callback = partial(_receive, receive, self._subscriptions)
            self._stopping.create_subscription(kind, topic, callback, qos, event_callbacks=events)

    def connect(self, stop_arms: StopArms) -> None:
        """Carries out stops from now on, first the one that is remembered, and offers `action/stop`."""
        with self._connecting:
            self._stop_arms = stop_arms
            remembered, self._remembered = self._remembered, ''
        if remembered:
            # Nothing is missed meanwhile, so the disk may take its time.
            stop_arms(f'{remembered} before the node was configured', wait_for_disk=True)
        self._service = self._stopping.create_service(
            Trigger, self._node.resolve_service_name('action/stop'), self._on_call
        )

    def disconnect(self) -> None:
        """Only remembers stops from now on, and no longer offers `action/stop`."""
        self._stopping.destroy_service(self._service)
        with self._connecting:
            self._stop_arms = None
            # What was held until now says nothing about what will be held after the next `connect`.
            self._copies = _no_copies()

    def let_go(self, ending: threading.Event) -> bool:
        """True if no stop is asserted any more. Waits up to `LET_GO_S`, because its release may still be arriving."""
        deadline_s = time.monotonic() + LET_GO_S
        while self._pressed and self._node.count_publishers(self._button) > 0:
            if time.monotonic() > deadline_s or ending.wait(0.02):
                return False
        return True

    def _stop(self, why: str, *, wait_for_disk: bool) -> tuple[bool, str]:
        with self._connecting:
            stop_arms = self._stop_arms
            if stop_arms is None:
                self._remembered = why
                return False, 'the action node is not configured; once it is, nothing moves until action/reset'
        return stop_arms(why, wait_for_disk=wait_for_disk)

    def _stop_once(self, why: str, arrival: Arrival) -> None:
        """Stops for a message, unless it is the copy of one for which everything was held.

        Nobody is told the result of a message, so it does not wait for the disk, and the next one is heard at once.
        """
        copies = self._copies[why]
        if copies.is_copy(arrival):
            return
        whole, _ = self._stop(why, wait_for_disk=False)
        if whole:
            copies.note(arrival)

    def _on_word(self, msg: Empty, arrival: Arrival) -> None:
        self._stop_once(_WORD, arrival)

    def _on_button(self, msg: Bool, arrival: Arrival) -> None:
        self._pressed = bool(msg.data)
        if msg.data:
            self._stop_once(_BUTTON, arrival)

    def _on_call(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        """Stops the arms. The answer is true if holds were sent and the stop is safe on the disk."""
        response.success, response.message = self._stop('action/stop', wait_for_disk=True)
        return response


def _no_copies() -> dict[str, StopCopies]:
    return {_BUTTON: StopCopies(), _WORD: StopCopies()}


def _receive(receive: Callable[[Any, Arrival], None], subscription: int, msg: Any, info: Mapping[str, Any]) -> None:
    """Passes a message on with what tells it from its copies; the times are 0 where the middleware does not tell."""
    receive(msg, Arrival(subscription, info.get('source_timestamp', 0), info.get('received_timestamp', 0)))
