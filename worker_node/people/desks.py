"""The desks of a worker, and their answers to the requests about people."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from lucca_core.errors import DeskRefusal
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
    NetworkAnswer,
    NetworkRequest,
    PeopleRequest,
    Recalled,
    RecallRequest,
    RecordedTurn,
    Remembered,
    RememberRequest,
    TurnKept,
)
from lucca_core.protocol.refusal import DeskCode
from worker_node.network.desk import NetworkDesk
from worker_node.people.chores import ChoreThread
from worker_node.people.desk import PeopleDesk

A = TypeVar('A')


@dataclass(frozen=True, slots=True)
class Desks:
    """The parts that answer in a worker: the desk for people, the network (None if it is off), and the chore thread.

    `by_words_only`: there is no embedder.
    """

    people: PeopleDesk
    network: NetworkDesk | None
    keeper: ChoreThread
    by_words_only: bool = False

    def answer(self, request: PeopleRequest[A]) -> A:
        """The answer to a request of a conversation; see PeopleDesk."""
        answer: A = _ANSWERS[type(request)](self, request)
        return answer

    def answer_network(self, request: NetworkRequest) -> NetworkAnswer:
        """The answer to a command on the network.

        Raises:
            DeskRefusal: the network is off.
        """
        if self.network is None:
            raise DeskRefusal(DeskCode.UNAVAILABLE, 'the network is off; set network to true')
        return self.network.by_hand(request.command, request.folder, request.nodes)


def _introduced(desks: Desks, request: IntroduceRequest) -> Introduction:
    introduced = desks.people.introduce(request.conversation, request.name)
    return Introduction(person=introduced.person.name, renamed=introduced.renamed)


def _recalled(desks: Desks, request: RecallRequest) -> Recalled:
    found = desks.people.recall(
        request.conversation,
        request.query,
        kinds=request.kinds,
        token_budget=request.token_budget,
        limit=request.limit,
        skip_current=request.skip_current,
    )
    return Recalled(memories=found, by_words_only=desks.by_words_only)


def _turn_kept(desks: Desks, turn: RecordedTurn) -> TurnKept:
    ids = desks.people.record_turn(
        turn.conversation,
        turn.utterance,
        turn.answer,
        time=turn.stamp,
        answered=turn.answered,
        recalled=turn.recalled,
    )
    return TurnKept(ids=ids)


def _ended(desks: Desks, request: EndRequest) -> ConversationEnded:
    desks.people.end(request.conversation)
    return ConversationEnded()


_ANSWERS: Mapping[type, Callable[[Desks, Any], Any]] = {
    MeetRequest: lambda desks, asked: desks.people.meet(asked.source, asked.person, asked.conversation),
    IntroduceRequest: _introduced,
    RecallRequest: _recalled,
    RecordedTurn: _turn_kept,
    RememberRequest: lambda desks, asked: Remembered(item_id=desks.people.remember(asked.conversation, asked.text)),
    ForgetRequest: lambda desks, asked: ForgottenCount(count=desks.people.forget(asked.conversation, asked.ids)),
    FeedbackRequest: lambda desks, asked: FeedbackKept(answer=desks.people.feedback(asked.conversation, asked.verdict)),
    EndRequest: _ended,
}
