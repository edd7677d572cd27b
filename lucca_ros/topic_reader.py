"""Frequent topics, read in a thread of their own without an executor."""

import heapq
import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.exceptions import InvalidHandle
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.subscription import Subscription

from lucca_ros.companion import companion_node
from lucca_ros.crash_watch import tell_crash
from lucca_ros.rclpy_internals import (
    MessageWait,
    destroy_for_good,
    is_of_an_end,
    take_messages,
    takes_info,
)

_LOG = logging.getLogger(__name__)

Info = Mapping[str, Any]
"""What rclpy tells about a message, such as `source_timestamp`."""
Receive = Callable[[Any], None] | Callable[[Any, Info], None]

_EVENTS_S = 1.0
"""Events are looked at after this time at the latest, such as a publisher with an incompatible QoS."""


class TopicReader:
    """A node, `NAME_suffix`, that only has subscriptions, and a thread that reads them.

    For each message, rclpy's executors ask every entity of their nodes whether it is ready, which takes many times
    longer than to take the message. Here only the subscriptions are asked.

    With `period_s`, the thread looks at that period instead of waking up with each message. A watcher that wakes up
    with the messages of the nodes that it watches delays them on a computer with few cores.

    Callbacks run one after the other in that thread, and have to be short. Close this before the main node.

    Args:
        node: the main node; its context, namespace and remappings are used.
        suffix: of the name.
        sim_time: whether the reader's node follows `/clock`.
        period_s: wall time between two looks, in s; 0: messages are received at once.
        after_look: called after the messages of a look were received.
    """

    def __init__(
        self,
        node: Node,
        suffix: str,
        *,
        sim_time: bool = False,
        period_s: float = 0.0,
        after_look: Callable[[], None] = lambda: None,
    ) -> None:
        self._main = node
        self.node = companion_node(node, suffix, sim_time=sim_time)
        self._period_s = period_s
        self._after_look = after_look
        self._ending = threading.Event()
        self._messages = MessageWait(node.context)
        self._events_s = 0.0
        self._thread = threading.Thread(target=self._run, name=self.node.get_name(), daemon=True)

    def subscribe(
        self,
        kind: type,
        topic: str,
        receive: Receive,
        qos: QoSProfile | int,
        *,
        raw: bool = False,
        event_callbacks: SubscriptionEventCallbacks | None = None,
    ) -> Subscription:
        """Subscribes to a topic, named as the main node would name it.

        `receive` is called with the message, or with the message and rclpy's info. With `raw`, the message is
        serialized. With a period, events are told within a second, otherwise at once.
        """
        made = self.node.create_subscription(
            kind, self._main.resolve_topic_name(topic), receive, qos, raw=raw, event_callbacks=event_callbacks
        )
        self._messages.wake()
        return made

    def unsubscribe(self, subscription: Subscription) -> None:
        """Ends a subscription. A callback that has begun may still be running."""
        self.node.destroy_subscription(subscription)
        self._messages.wake()

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def close(self) -> None:
        """Ends the thread and the node. A second call does nothing."""
        if self._ending.is_set():
            return
        self._ending.set()
        self._messages.wake()
        if self._thread.ident is not None:
            self._thread.join()
        self._messages.destroy()
        destroy_for_good(self.node)

    def look(self) -> None:
        """Receives everything that has arrived, in the order of arrival."""
        self._receive(list(self.node.subscriptions))
        self._after_look()

    def _run(self) -> None:
        try:
            while not self._ending.is_set() and self.node.context.ok():
                if self._period_s:
                    self._ending.wait(self._period_s)
                    self.look()
                else:
                    ready = self._messages.wait(list(self.node.subscriptions), _EVENTS_S)
                    self._receive(ready)
                # A wait that ended with no message may have ended because of an event.
                if not (self._period_s or ready) or time.monotonic() - self._events_s > _EVENTS_S:
                    self._events_s = time.monotonic()
                    self._messages.take_events(list(self.node.subscriptions))
        except Exception as error:
            if is_of_an_end(error) and not self.node.context.ok():
                return  # the context was shut down between the check and a use of it
            # Without this thread nothing would be received, and nobody would notice.
            if not tell_crash(error, f'a callback of {self._thread.name}'):
                _LOG.exception('%s crashed', self._thread.name)
                self.node.context.try_shutdown()
            raise

    def _receive(self, subscriptions: list[Subscription]) -> None:
        found: list[list[tuple[Subscription, Any, Info]]] = []
        for subscription in subscriptions:
            try:
                # No more than waited: the others have their turn, however fast new ones arrive.
                taken = take_messages(subscription, max(1, subscription.qos_profile.depth))
                found.append([(subscription, *message) for message in taken])
            except InvalidHandle:
                continue  # it was just ended
        for subscription, message, info in heapq.merge(*found, key=lambda taken: received_s(taken[2])):
            if takes_info(subscription):
                subscription.callback(message, info)
            else:
                subscription.callback(message)


def received_s(info: Info) -> float:
    """The wall time (s) at which a message arrived at this computer; if the middleware does not tell, the present."""
    return info['received_timestamp'] / 1e9 or time.time()
