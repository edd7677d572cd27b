"""The client of the memory of people, through the worker's ROS services."""

import threading
from collections.abc import Sequence
from typing import Any, TypeVar

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node

from coordinator_node.people.interface import Partner, SaidTurn
from lucca_core.errors import DeskRefusal, StackError
from lucca_core.protocol.people import (
    EndRequest,
    FeedbackRequest,
    ForgetRequest,
    IntroduceRequest,
    MeetRequest,
    RecallRequest,
    RecordedTurn,
    RememberRequest,
)
from lucca_core.protocol.refusal import DeskCode
from lucca_core.protocol.remembered import Kind, Recollection
from lucca_ros.callers import ServiceCaller
from lucca_ros.conversions.conversion import Service
from lucca_ros.conversions.people import (
    END_CONVERSATION,
    FEEDBACK,
    FORGET,
    INTRODUCE,
    MEET,
    RECALL,
    RECORD_TURN,
    REMEMBER,
)

Q = TypeVar('Q')
A = TypeVar('A')


class PeopleServiceClient:
    """See PeopleInterface. If a restarted worker no longer knows a conversation, the client calls `meet` again."""

    def __init__(self, node: Node, group: CallbackGroup, timeout_s: float) -> None:
        """`timeout_s`: longest wait for one answer, in s of wall time."""
        self._timeout_s = timeout_s
        self._met: dict[str, tuple[str, str]] = {}
        self._lock = threading.Lock()

        def caller(service: Service[Any, Any], name: str, *, repeatable: bool) -> ServiceCaller:
            return ServiceCaller(node, service.kind, f'memory/{name}', callback_group=group, repeatable=repeatable)

        # Repeatable calls end at the first sign that another worker answers now, as they can be made again without
        # harm.
        self._meet = caller(MEET, 'meet', repeatable=True)
        self._recall = caller(RECALL, 'recall', repeatable=True)
        self._record = caller(RECORD_TURN, 'record_turn', repeatable=True)
        self._remember = caller(REMEMBER, 'remember', repeatable=True)
        self._forget = caller(FORGET, 'forget', repeatable=False)
        self._introduce = caller(INTRODUCE, 'introduce', repeatable=False)
        self._end = caller(END_CONVERSATION, 'end_conversation', repeatable=True)
        self._rate = caller(FEEDBACK, 'feedback', repeatable=False)

    def meet(self, source: str, person: str, conversation: str) -> Partner:
        """See PeopleInterface."""
        request = MeetRequest(source=source, person=person, conversation=conversation)
        met = self._call(self._meet, MEET, request)
        with self._lock:
            self._met[conversation] = source, person
        return Partner.of(met)

    def introduce(self, conversation: str, name: str) -> str:
        """See PeopleInterface."""
        return self._ask(self._introduce, INTRODUCE, IntroduceRequest(conversation=conversation, name=name)).person

    def recall(
        self, conversation: str, query: str, kinds: Sequence[Kind] = (), limit: int = 0
    ) -> tuple[Recollection, ...]:
        """See PeopleInterface. Searches the current conversation, too, as the prompt holds only its last turns."""
        request = RecallRequest(conversation=conversation, query=query, kinds=tuple(kinds), limit=limit)
        return self._ask(self._recall, RECALL, request).memories

    def record_turn(self, conversation: str, turn: SaidTurn) -> None:
        """See PeopleInterface. Retried once without an answer; the stamp shows memory that it has the turn already."""
        request = RecordedTurn(
            conversation=conversation,
            utterance=turn.utterance,
            stamp=turn.said,
            answer=turn.answer,
            answered=turn.answered,
            recalled=turn.recalled,
        )
        try:
            self._ask(self._record, RECORD_TURN, request)
        except StackError:
            self._ask(self._record, RECORD_TURN, request)

    def remember(self, conversation: str, text: str) -> str:
        """See PeopleInterface."""
        return self._ask(self._remember, REMEMBER, RememberRequest(conversation=conversation, text=text)).item_id

    def forget(self, conversation: str, item_ids: Sequence[str]) -> int:
        """See PeopleInterface."""
        return self._ask(self._forget, FORGET, ForgetRequest(conversation=conversation, ids=tuple(item_ids))).count

    def end(self, conversation: str) -> None:
        """See PeopleInterface."""
        with self._lock:
            self._met.pop(conversation, None)
        self._call(self._end, END_CONVERSATION, EndRequest(conversation=conversation))

    def rate(self, conversation: str, verdict: str) -> str:
        """See PeopleInterface."""
        return self._ask(self._rate, FEEDBACK, FeedbackRequest(conversation=conversation, verdict=verdict)).answer

    def destroy(self) -> None:
        """Destroys the service clients."""
        for caller in (
            self._meet,
            self._recall,
            self._record,
            self._remember,
            self._forget,
            self._introduce,
            self._end,
            self._rate,
        ):
            caller.destroy()

    def _ask(self, caller: ServiceCaller, service: Service[Q, A], request: Q) -> A:
        try:
            return self._call(caller, service, request)
        except DeskRefusal as refusal:
            asked: Any = request
            conversation: str = asked.conversation
            with self._lock:
                met = self._met.get(conversation)
            if refusal.code is not DeskCode.NOT_MET or met is None:
                raise
        self.meet(*met, conversation)
        return self._call(caller, service, request)

    def _call(self, caller: ServiceCaller, service: Service[Q, A], request: Q) -> A:
        reply = caller.call(service.request.to_msg(request), self._timeout_s)
        try:
            return service.answer_from_msg(reply)
        except ValueError as error:
            raise StackError(f'{service.kind.__name__} gave what is no answer: {error}') from error
