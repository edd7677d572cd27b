"""Subscriptions that match any publisher: a reliable one would miss sensors that publish as best effort."""

import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.subscription import Subscription

if TYPE_CHECKING:
    from lucca_ros.streams import Streams

_LOG = logging.getLogger(__name__)


def keep_last(depth: int, *, reliable: bool) -> QoSProfile:
    """A QoS that keeps the newest messages."""
    reliability = ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT
    return QoSProfile(depth=depth, history=HistoryPolicy.KEEP_LAST, reliability=reliability)


LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL, reliability=ReliabilityPolicy.RELIABLE)
"""A late subscriber still gets the last message of each living publisher, and none of dead ones."""

ANY_PUBLISHER = keep_last(10, reliable=False)
"""For frequent messages, where the next one makes up for a lost one. Deep enough for several publishers at once."""


class ReliableIfOffered:
    """Subscribes as reliable, so that large messages arrive whole; also as best effort if a publisher is."""

    def __init__(
        self, topics: 'Streams', kind: type, topic: str, callback: Callable[[Any], None], *, depth: int
    ) -> None:
        self._topics = topics
        self._subscriptions: list[Subscription] = []
        self._lock = threading.Lock()
        self._closed = False
        self._heard_others = False

        def hear(reliable: bool) -> None:
            events = SubscriptionEventCallbacks(incompatible_qos=hear_the_others if reliable else None)
            qos = keep_last(depth, reliable=reliable)
            self._subscriptions.append(topics.subscribe(kind, topic, callback, qos, event_callbacks=events))

        def hear_the_others(_: Any) -> None:
            with self._lock:
                if not (self._heard_others or self._closed):
                    self._heard_others = True
                    _LOG.info('%s also has a best-effort publisher, which is heard as well', topic)
                    hear(reliable=False)

        with self._lock:
            hear(reliable=True)

    def destroy(self) -> None:
        """Ends the subscriptions."""
        with self._lock:
            self._closed = True
        for subscription in self._subscriptions:
            self._topics.unsubscribe(subscription)
