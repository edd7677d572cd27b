"""The ROS services about people, on a node of their own, so that slow recalls never delay an intent."""

import threading
from collections.abc import Callable
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node

from lucca_core.errors import DeskRefusal, LuccaError
from lucca_core.protocol.people import RecallRequest
from lucca_core.protocol.refusal import CodedRefusal, DeskCode
from lucca_ros.companion import Companion
from lucca_ros.conversions import people
from lucca_ros.conversions.conversion import Service
from worker_node.people.desks import Desks

_THREADS = 3
_PATIENCE_S = 3.0
"""Longest time that `shut` waits for running calls."""


class PeopleServices:
    """Serves memory/meet, introduce, recall, record_turn, remember, forget, feedback, end_conversation and network.

    The services exist between `open` and `shut`. Create this in the node's constructor and close it in `destroy_node`.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._companion = Companion(node, 'people', threads=_THREADS)
        # Separate groups, so that a slow recall does not delay storing what is said.
        self._writing = MutuallyExclusiveCallbackGroup()
        self._recalling = MutuallyExclusiveCallbackGroup()
        # Separate, as a command may have to wait for a running consolidation step, and no other service waits for a
        # command.
        self._by_hand = MutuallyExclusiveCallbackGroup()
        self._served: list[Any] = []
        self._open = False
        self._running = 0
        self._changed = threading.Condition()
        self._companion.start()

    def open(self, desks: Desks) -> None:
        """Starts the services."""
        with self._changed:
            self._open = True
        for request, (name, service) in people.SERVICES.items():
            group = self._recalling if request is RecallRequest else self._writing
            self._serve(service, name, desks.answer, group)
        self._serve(people.NETWORK, 'memory/network', desks.answer_network, self._by_hand)

    def shut(self) -> None:
        """Ends the services and waits for running calls; then the desk may be closed. The second call does nothing."""
        with self._changed:
            self._open = False
            if not self._changed.wait_for(lambda: not self._running, _PATIENCE_S):
                self._node.get_logger().error(
                    f'{self._running} calls about people still run after {_PATIENCE_S:g} s; they will fail'
                )
        # Only now, as a destroyed service sends no answers.
        for service in self._served:
            self._companion.node.destroy_service(service)
        self._served.clear()

    def close(self) -> None:
        """Ends everything, running calls first. The second call does nothing."""
        self.shut()
        self._companion.close()

    def _serve(self, service: Service[Any, Any], name: str, answer: Callable[[Any], Any], group: Any) -> None:
        def callback(request: Any, _: Any) -> Any:
            with self._changed:
                if not self._open:
                    # The call was still waiting for its turn when the services ended.
                    return service.answer.to_msg(CodedRefusal('the worker is not active', DeskCode.UNAVAILABLE))
                self._running += 1
            try:
                return service.answer.to_msg(answer(service.request.from_msg(request)))
            except (LuccaError, ValueError) as error:
                # The request itself is not logged: what was said is private to the speaker.
                self._node.get_logger().warning(f'{name}: {error}')
                return service.answer.to_msg(CodedRefusal(str(error), _code_of(error)))
            finally:
                with self._changed:
                    self._running -= 1
                    self._changed.notify_all()

        where = self._node.resolve_service_name(name)
        self._served.append(self._companion.node.create_service(service.kind, where, callback, callback_group=group))


def _code_of(error: LuccaError | ValueError) -> DeskCode:
    if isinstance(error, DeskRefusal):
        return error.code
    return DeskCode.UNAVAILABLE if isinstance(error, LuccaError) else DeskCode.BAD_REQUEST
