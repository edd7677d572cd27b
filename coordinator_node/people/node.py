"""The memory of people over the worker's services."""

import threading
from collections.abc import Sequence
from typing import Any

from lucca_interfaces.srv import (
    EndConversation,
    Feedback,
    Forget,
    Introduce,
    Meet,
    Recall,
    RecordTurn,
    Remember,
)
from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node

from coordinator_node.people.conversions import memory_from_msg, partner_from_msg, time_to_msg
from coordinator_node.people.ports import Kind, Memory, Partner, SaidTurn
from lucca_core.errors import MemoryFault, StackError
from lucca_ros.calling import ServiceCaller

_NOT_MET = 'not_met'


class WorkerPeople:
    """See PeoplePort. A conversation that a worker does not know any more, since it was started anew, is met again."""

    def __init__(self, node: Node, group: CallbackGroup, timeout_s: float) -> None:
        """`timeout_s`: longest wait for one answer, in s of wall time."""
        self._timeout_s = timeout_s
        self._met: dict[str, tuple[str, str]] = {}
        self._lock = threading.Lock()

        def caller(kind: Any, name: str, *, repeatable: bool) -> ServiceCaller:
            return ServiceCaller(node, kind, f'memory/{name}', callback_group=group, repeatable=repeatable)

        # What may be asked twice without harm ends at the first sign that another worker answers now.
        self._meet = caller(Meet, 'meet', repeatable=True)
        self._recall = caller(Recall, 'recall', repeatable=True)
        self._record = caller(RecordTurn, 'record_turn', repeatable=True)
        self._remember = caller(Remember, 'remember', repeatable=True)
        self._forget = caller(Forget, 'forget', repeatable=False)
        self._introduce = caller(Introduce, 'introduce', repeatable=False)
        self._end = caller(EndConversation, 'end_conversation', repeatable=True)
        self._rate = caller(Feedback, 'feedback', repeatable=False)

    def meet(self, source: str, person: str, conversation: str) -> Partner:
        """See PeoplePort."""
        request = Meet.Request(source=source, person=person, conversation=conversation)
        reply = _checked(self._meet.call(request, self._timeout_s))
        with self._lock:
            self._met[conversation] = source, person
        try:
            return partner_from_msg(reply)
        except ValueError as error:
            raise StackError(f'memory/meet gave what is no answer: {error}') from error

    def introduce(self, conversation: str, name: str) -> str:
        """See PeoplePort."""
        reply = self._ask(self._introduce, Introduce.Request(conversation=conversation, name=name))
        return str(reply.person)

    def recall(self, conversation: str, query: str, kinds: Sequence[Kind] = (), limit: int = 0) -> tuple[Memory, ...]:
        """See PeoplePort. This conversation counts as well: the prompt has its last turns only."""
        request = Recall.Request(conversation=conversation, query=query, kinds=list(kinds), limit=limit)
        reply = self._ask(self._recall, request)
        try:
            return tuple(map(memory_from_msg, reply.memories))
        except ValueError as error:
            raise StackError(f'memory/recall gave what is no answer: {error}') from error

    def record_turn(self, conversation: str, turn: SaidTurn) -> None:
        """See PeoplePort. Asked again where no answer came: the stamp tells a turn that is there already."""
        request = RecordTurn.Request(
            conversation=conversation,
            utterance=turn.utterance,
            stamp=time_to_msg(turn.said),
            answer=turn.answer,
            answered=time_to_msg(turn.answered),
            recalled=list(turn.recalled),
        )
        try:
            self._ask(self._record, request)
        except StackError:
            self._ask(self._record, request)

    def remember(self, conversation: str, text: str) -> str:
        """See PeoplePort."""
        return str(self._ask(self._remember, Remember.Request(conversation=conversation, text=text)).id)

    def forget(self, conversation: str, item_ids: Sequence[str]) -> int:
        """See PeoplePort."""
        return int(self._ask(self._forget, Forget.Request(conversation=conversation, ids=list(item_ids))).count)

    def end(self, conversation: str) -> None:
        """See PeoplePort."""
        with self._lock:
            self._met.pop(conversation, None)
        _checked(self._end.call(EndConversation.Request(conversation=conversation), self._timeout_s))

    def rate(self, conversation: str, verdict: str) -> str:
        """See PeoplePort."""
        return str(self._ask(self._rate, Feedback.Request(conversation=conversation, verdict=verdict)).answer)

    def destroy(self) -> None:
        """Gives the clients back."""
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

    def _ask(self, caller: ServiceCaller, request: Any) -> Any:
        reply = caller.call(request, self._timeout_s)
        with self._lock:
            met = self._met.get(request.conversation)
        if not reply.ok and reply.code == _NOT_MET and met is not None:
            self.meet(*met, request.conversation)
            reply = caller.call(request, self._timeout_s)
        return _checked(reply)


def _checked(reply: Any) -> Any:
    if not reply.ok:
        raise MemoryFault(str(reply.reason) or f'the memory of people says no ({reply.code})')
    return reply
