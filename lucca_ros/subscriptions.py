"""Subscriptions that match any publisher: a reliable one would miss sensors that publish as best effort."""

from collections.abc import Callable
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.qos import HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.subscription import Subscription


def keep_last(depth: int, *, reliable: bool) -> QoSProfile:
    """A QoS that keeps the newest messages."""
    reliability = ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT
    return QoSProfile(depth=depth, history=HistoryPolicy.KEEP_LAST, reliability=reliability)


ANY_PUBLISHER = keep_last(10, reliable=False)
"""For frequent messages, where the next one makes up for a lost one. Deep enough for several publishers at once."""


class ReliableIfOffered:
    """Subscribes as reliable, so that large messages arrive whole; also as best effort if a publisher is."""

    def __init__(
        self,
        node: Node,
        kind: type,
        topic: str,
        callback: Callable[[Any], None],
        *,
        depth: int,
        callback_group: CallbackGroup,
    ) -> None:
        self._node = node
        self._subscriptions: list[Subscription] = []
        self._closed = False

        def hear(reliable: bool) -> None:
            events = SubscriptionEventCallbacks(incompatible_qos=hear_the_others if reliable else None)
            self._subscriptions.append(
                node.create_subscription(
                    kind,
                    topic,
                    callback,
                    keep_last(depth, reliable=reliable),
                    callback_group=callback_group,
                    event_callbacks=events,
                )
            )

        def hear_the_others(_: Any) -> None:
            if len(self._subscriptions) == 1 and not self._closed:
                node.get_logger().info(f'{topic} also has a best-effort publisher, which is heard as well')
                hear(reliable=False)

        hear(reliable=True)

    def destroy(self) -> None:
        """Ends the subscriptions."""
        self._closed = True
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)
