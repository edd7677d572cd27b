"""Frequent topics and urgent services of a node, served beside its own executor."""

from collections.abc import Callable
from typing import Any

from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.service import Service
from rclpy.subscription import Subscription

from lucca_ros.callers import ActionCaller, ServiceCaller
from lucca_ros.companion import Companion
from lucca_ros.rclpy_internals import LockedActionClient, move_clock
from lucca_ros.topic_reader import TopicReader

_SIM_TIME = 'use_sim_time'


class Streams:
    """Two further nodes beside a node, for the clock, other frequent topics, and services that must not wait.

    For each incoming message, rclpy's executor checks all entities of a node. If a node serves actions and services and
    also receives a clock at 100 Hz and joint states at 50 Hz, these checks take most of its time, and its clients wait.
    Here, frequent topics are read without an executor by `NAME_streams`, and services and clients of `NAME_services`
    have their own executor with few entities to check. Callbacks of each run one after the other and have to be short.
    Services and clients are about twice as fast here.

    It is made in the node's constructor and closed in its `destroy_node`.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        sim_time = bool(node.get_parameter(_SIM_TIME).value)
        self._topics = TopicReader(node, 'streams', sim_time=sim_time)
        if sim_time:
            # Otherwise both nodes would receive the clock.
            move_clock(node, self._topics.node)
        self._companion = Companion(node, 'services')
        self._clients: dict[tuple[type, str], LockedActionClient] = {}
        self._topics.start()
        self._companion.start()

    def subscribe(
        self,
        kind: type,
        topic: str,
        callback: Callable[[Any], None],
        qos: Any,
        *,
        event_callbacks: SubscriptionEventCallbacks | None = None,
    ) -> Subscription:
        """Subscribes to a topic, named as the node would name it."""
        return self._topics.subscribe(kind, topic, callback, qos, event_callbacks=event_callbacks)

    def published(self, topic: str) -> bool:
        """Whether somebody publishes a topic, named as the node would name it, as far as is known now."""
        return bool(self._companion.node.count_publishers(self._node.resolve_topic_name(topic)))

    def serve(self, kind: type, name: str, callback: Callable[[Any, Any], Any]) -> Service:
        """Serves a service, named as the node would name it."""
        return self._companion.node.create_service(kind, self._node.resolve_service_name(name), callback)

    def unserve(self, service: Service) -> None:
        """Ends a service."""
        self._companion.node.destroy_service(service)

    def caller(self, kind: type, name: str, *, repeatable: bool = False) -> ServiceCaller:
        """A caller of a service, named as the node would name it; `repeatable` as for ServiceCaller."""
        return ServiceCaller(self._companion.node, kind, self._node.resolve_service_name(name), repeatable=repeatable)

    def action_caller(self, kind: type, name: str) -> ActionCaller:
        """A caller of an action, named as the node would name it. Like an `action_client`, it is kept until `close`."""
        client = self.action_client(kind, name)
        return ActionCaller(self._companion.node, client, self._node.resolve_service_name(name))

    def action_client(self, kind: type, name: str) -> LockedActionClient:
        """The client of an action, named as the node would name it; its answers are received here.

        There is one client per action. It is kept until `close`, because rclpy's executor fails if an action client is
        destroyed while the executor waits for it.
        """
        full = self._node.resolve_service_name(name)
        if (kind, full) not in self._clients:
            self._clients[kind, full] = LockedActionClient(self._companion.node, kind, full)
        return self._clients[kind, full]

    def unsubscribe(self, subscription: Subscription) -> None:
        """Ends a subscription."""
        self._topics.unsubscribe(subscription)

    def close(self) -> None:
        """Ends both threads and nodes. A second call does nothing."""
        self._companion.close()
        self._topics.close()
