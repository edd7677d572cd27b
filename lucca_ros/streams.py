"""Frequent topics and urgent services of a node, served beside its own executor."""

from collections.abc import Callable
from typing import Any

from rclpy.node import Node
from rclpy.service import Service
from rclpy.subscription import Subscription

from lucca_ros.callers import ServiceCaller
from lucca_ros.companion import Companion
from lucca_ros.rclpy_internals import LockedActionClient, move_clock

_SIM_TIME = 'use_sim_time'


class Streams:
    """A companion of a node, `NAME_streams`: hears the clock and other frequent topics, and serves what must not wait.

    rclpy's executor looks through everything that a node has for each message that comes in. A node that serves actions
    and services as well as a clock of 100 Hz and joint states of 50 Hz spends its time on looking, and whoever asks it
    for something waits. Here frequent topics have an executor and a thread of their own, with little to look through;
    callbacks run there one after the other and have to be short. Services and clients here are about twice as fast.

    Made in the node's constructor, and closed in its `destroy_node`.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        sim_time = bool(node.get_parameter(_SIM_TIME).value)
        self._companion = Companion(node, 'streams', sim_time=sim_time)
        if sim_time:
            # Otherwise both would hear the clock.
            move_clock(node, self._companion.node)
        self._clients: dict[tuple[type, str], LockedActionClient] = {}
        self._companion.start()

    def subscribe(self, kind: type, topic: str, callback: Callable[[Any], None], qos: Any) -> Subscription:
        """Subscribes to a topic, named as the node would name it."""
        return self._companion.node.create_subscription(kind, self._node.resolve_topic_name(topic), callback, qos)

    def serve(self, kind: type, name: str, callback: Callable[[Any, Any], Any]) -> Service:
        """Serves a service, named as the node would name it."""
        return self._companion.node.create_service(kind, self._node.resolve_service_name(name), callback)

    def unserve(self, service: Service) -> None:
        """Ends a service."""
        self._companion.node.destroy_service(service)

    def caller(self, kind: type, name: str) -> ServiceCaller:
        """Calls a service, named as the node would name it."""
        return ServiceCaller(self._companion.node, kind, self._node.resolve_service_name(name))

    def action_client(self, kind: type, name: str) -> LockedActionClient:
        """The client of an action, named as the node would name it; its answers are heard here.

        It is kept until `close`, the same for the same action: rclpy's executor does not survive an action client
        that is destroyed while it waits.
        """
        full = self._node.resolve_service_name(name)
        if (kind, full) not in self._clients:
            self._clients[kind, full] = LockedActionClient(self._companion.node, kind, full)
        return self._clients[kind, full]

    def unsubscribe(self, subscription: Subscription) -> None:
        """Ends a subscription."""
        self._companion.node.destroy_subscription(subscription)

    def close(self) -> None:
        """Ends the thread and the companion. The second call does nothing."""
        self._companion.close()
