"""The ROS services about people, on a node of their own, so that slow recalls never delay an intent."""

import threading
from collections.abc import Callable
from typing import Any, TypeVar

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node

from lucca_core.errors import DeskRefusal, LuccaError
from lucca_core.protocol.people import (
    ConversationEnded,
    EndRequest,
    FeedbackKept,
    FeedbackRequest,
    ForgetRequest,
    ForgottenCount,
    IntroduceRequest,
    Introduction,
    MeetRequest,
    Met,
    NetworkAnswer,
    NetworkRequest,
    Recalled,
    RecallRequest,
    RecordedTurn,
    Remembered,
    RememberRequest,
    TurnKept,
)
from lucca_core.protocol.refusal import CodedRefusal, DeskCode
from lucca_ros.companion import Companion
from lucca_ros.conversions.conversion import Service
from lucca_ros.conversions.people import (
    END_CONVERSATION,
    FEEDBACK,
    FORGET,
    INTRODUCE,
    MEET,
    NETWORK,
    RECALL,
    RECORD_TURN,
    REMEMBER,
)
from worker_node.people.opening import Desks
from worker_node.people.refusal import code_of

Q = TypeVar('Q')
A = TypeVar('A')

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

    def open(self, desks: Desks, *, by_words_only: bool) -> None:
        """Starts the services. `by_words_only`: the desks have no embedder."""
        desk = desks.people
        with self._changed:
            self._open = True

        def meet(request: MeetRequest) -> Met:
            return desk.meet(request.source, request.person, request.conversation).told

        def introduce(request: IntroduceRequest) -> Introduction:
            introduced = desk.introduce(request.conversation, request.name)
            return Introduction(person=introduced.person.name, renamed=introduced.renamed)

        def recall(request: RecallRequest) -> Recalled:
            found = desk.recall(
                request.conversation,
                request.query,
                kinds=request.kinds,
                token_budget=request.token_budget,
                limit=request.limit,
                skip_current=request.skip_current,
            )
            return Recalled(memories=found, by_words_only=by_words_only)

        def record_turn(turn: RecordedTurn) -> TurnKept:
            ids = desk.record_turn(
                turn.conversation,
                turn.utterance,
                turn.answer,
                time=turn.stamp,
                answered=turn.answered,
                recalled=turn.recalled,
            )
            return TurnKept(ids=ids)

        def remember(request: RememberRequest) -> Remembered:
            return Remembered(item_id=desk.remember(request.conversation, request.text))

        def forget(request: ForgetRequest) -> ForgottenCount:
            return ForgottenCount(count=desk.forget(request.conversation, request.ids))

        def feedback(request: FeedbackRequest) -> FeedbackKept:
            return FeedbackKept(answer=desk.feedback(request.conversation, request.verdict))

        def end(request: EndRequest) -> ConversationEnded:
            desk.end(request.conversation)
            return ConversationEnded()

        def network(request: NetworkRequest) -> NetworkAnswer:
            if desks.network is None:
                raise DeskRefusal(DeskCode.UNAVAILABLE, 'the network is off; set network to true')
            return desks.network.by_hand(request.command, request.folder, request.nodes)

        self._serve(RECALL, 'memory/recall', recall, self._recalling)
        self._serve(NETWORK, 'memory/network', network, self._by_hand)
        self._serve(MEET, 'memory/meet', meet, self._writing)
        self._serve(INTRODUCE, 'memory/introduce', introduce, self._writing)
        self._serve(RECORD_TURN, 'memory/record_turn', record_turn, self._writing)
        self._serve(REMEMBER, 'memory/remember', remember, self._writing)
        self._serve(FORGET, 'memory/forget', forget, self._writing)
        self._serve(FEEDBACK, 'memory/feedback', feedback, self._writing)
        self._serve(END_CONVERSATION, 'memory/end_conversation', end, self._writing)

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

    def _serve(self, service: Service[Q, A], name: str, answer: Callable[[Q], A], group: Any) -> None:
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
                code = code_of(error) if isinstance(error, LuccaError) else DeskCode.BAD_REQUEST
                return service.answer.to_msg(CodedRefusal(str(error), code))
            finally:
                with self._changed:
                    self._running -= 1
                    self._changed.notify_all()

        where = self._node.resolve_service_name(name)
        self._served.append(self._companion.node.create_service(service.kind, where, callback, callback_group=group))
