"""The services of the desk, in a companion of the worker's node: no intent waits behind a recall or an embedding."""

import threading
from collections.abc import Callable
from typing import Any

from lucca_interfaces.srv import (
    EndConversation,
    Feedback,
    Forget,
    Introduce,
    Meet,
    Network,
    Recall,
    RecordTurn,
    Remember,
)
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node

from lucca_core.errors import LuccaError
from lucca_ros.companion import Companion
from worker_node.people.conversions import memories_to_msg, stamp_from_msg
from worker_node.people.opening import Desks
from worker_node.people.refusal import DeskCode, DeskRefusal, code_of

_THREADS = 3
_PATIENCE_S = 3.0
"""Longest wait of `shut` for calls that run."""


class PeopleServices:
    """memory/meet, introduce, recall, record_turn, remember, forget, feedback, end_conversation and network.

    They are there between `open` and `shut`. Made in the node's constructor, and closed in its `destroy_node`.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._companion = Companion(node, 'people', threads=_THREADS)
        # What is said is stored though a recall takes its time.
        self._writing = MutuallyExclusiveCallbackGroup()
        self._recalling = MutuallyExclusiveCallbackGroup()
        # A pin waits for the step of consolidation that is under way, and nobody waits for a pin.
        self._by_hand = MutuallyExclusiveCallbackGroup()
        self._served: list[Any] = []
        self._open = False
        self._running = 0
        self._changed = threading.Condition()
        self._companion.start()

    def open(self, desks: Desks, *, by_words_only: bool) -> None:
        """Serves the desks. `by_words_only`: they have no embedder."""
        desk = desks.people
        with self._changed:
            self._open = True

        def meet(request: Meet.Request, response: Meet.Response) -> None:
            met = desk.meet(request.source, request.person, request.conversation)
            response.person = '' if met.person.is_guest else met.person.name
            response.known = not met.person.is_guest
            response.first_time = met.first_time
            response.opening = memories_to_msg(met.opening)
            response.current = memories_to_msg(met.current)

        def introduce(request: Introduce.Request, response: Introduce.Response) -> None:
            introduced = desk.introduce(request.conversation, request.name)
            response.person = introduced.person.name
            response.renamed = introduced.renamed

        def recall(request: Recall.Request, response: Recall.Response) -> None:
            found = desk.recall(
                request.conversation,
                request.query,
                kinds=list(request.kinds),
                token_budget=request.token_budget,
                limit=request.limit,
                skip_current=request.skip_current,
            )
            response.memories = memories_to_msg(found)
            response.by_words_only = by_words_only

        def record_turn(request: RecordTurn.Request, response: RecordTurn.Response) -> None:
            response.ids = desk.record_turn(
                request.conversation,
                request.utterance,
                request.answer,
                time=stamp_from_msg(request.stamp),
                answered=stamp_from_msg(request.answered),
                recalled=list(request.recalled),
            )

        def remember(request: Remember.Request, response: Remember.Response) -> None:
            response.id = desk.remember(request.conversation, request.text)

        def forget(request: Forget.Request, response: Forget.Response) -> None:
            response.count = desk.forget(request.conversation, list(request.ids))

        def feedback(request: Feedback.Request, response: Feedback.Response) -> None:
            response.answer = desk.feedback(request.conversation, request.verdict)

        def end(request: EndConversation.Request, _response: EndConversation.Response) -> None:
            desk.end(request.conversation)

        def network(request: Network.Request, response: Network.Response) -> None:
            if desks.network is None:
                raise DeskRefusal(DeskCode.UNAVAILABLE, 'the network is off; set network to true')
            done = desks.network.by_hand(request.command, request.folder, list(request.nodes))
            response.json, response.count = done.document, done.count

        self._serve(Recall, 'memory/recall', recall, self._recalling)
        self._serve(Network, 'memory/network', network, self._by_hand)
        for kind, name, answer in (
            (Meet, 'memory/meet', meet),
            (Introduce, 'memory/introduce', introduce),
            (RecordTurn, 'memory/record_turn', record_turn),
            (Remember, 'memory/remember', remember),
            (Forget, 'memory/forget', forget),
            (Feedback, 'memory/feedback', feedback),
            (EndConversation, 'memory/end_conversation', end),
        ):
            self._serve(kind, name, answer, self._writing)

    def shut(self) -> None:
        """Ends the services, and waits for calls that run: the desk may be taken away then. The second call does nothing."""
        with self._changed:
            self._open = False
            if not self._changed.wait_for(lambda: not self._running, _PATIENCE_S):
                self._node.get_logger().error(
                    f'{self._running} calls about people still run after {_PATIENCE_S:g} s; they will fail'
                )
        # Only now: a service that is gone sends no answer.
        for service in self._served:
            self._companion.node.destroy_service(service)
        self._served.clear()

    def close(self) -> None:
        """Ends it all, running calls first. The second call does nothing."""
        self.shut()
        self._companion.close()

    def _serve(self, kind: Any, name: str, answer: Callable[[Any, Any], None], group: Any) -> None:
        def callback(request: Any, response: Any) -> Any:
            with self._changed:
                if not self._open:
                    # It was waiting for its turn when the services ended.
                    return kind.Response(code=DeskCode.UNAVAILABLE, reason='the worker is not active')
                self._running += 1
            try:
                answer(request, response)
                response.ok = True
            except (LuccaError, ValueError) as error:
                # Begun anew: what was filled in before the error is not to be taken for an answer.
                response = kind.Response()
                response.code = code_of(error) if isinstance(error, LuccaError) else DeskCode.BAD_REQUEST
                response.reason = str(error)
                # Not the request: what was said is nobody's business but the speaker's.
                self._node.get_logger().warning(f'{name}: {error}')
            finally:
                with self._changed:
                    self._running -= 1
                    self._changed.notify_all()
            return response

        where = self._node.resolve_service_name(name)
        self._served.append(self._companion.node.create_service(kind, where, callback, callback_group=group))
