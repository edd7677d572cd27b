"""The desks of a worker, and their answers to the requests about people."""

from dataclasses import dataclass
from typing import TypeVar, assert_never, cast

from lucca_core.errors import DeskRefusal
from lucca_core.protocol.people import (
    AnyPeopleRequest,
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
        return cast(A, self._answered(cast(AnyPeopleRequest, request)))

    def _answered(self, request: AnyPeopleRequest) -> object:
        people = self.people
        match request:
            case MeetRequest():
                return people.meet(request.source, request.person, request.conversation)
            case IntroduceRequest():
                introduced = people.introduce(request.conversation, request.name)
                return Introduction(person=introduced.person.name, renamed=introduced.renamed)
            case RecallRequest():
                return self._recalled(request)
            case RecordedTurn():
                return self._turn_kept(request)
            case RememberRequest():
                return Remembered(item_id=people.remember(request.conversation, request.text))
            case ForgetRequest():
                return ForgottenCount(count=people.forget(request.conversation, request.ids))
            case FeedbackRequest():
                return FeedbackKept(answer=people.feedback(request.conversation, request.verdict))
            case EndRequest():
                people.end(request.conversation)
                return ConversationEnded()
            case _:
                assert_never(request)

    def _recalled(self, request: RecallRequest) -> Recalled:
        found = self.people.recall(
            request.conversation,
            request.query,
            kinds=request.kinds,
            token_budget=request.token_budget,
            limit=request.limit,
            skip_current=request.skip_current,
        )
        return Recalled(memories=found, by_words_only=self.by_words_only)

    def _turn_kept(self, turn: RecordedTurn) -> TurnKept:
        ids = self.people.record_turn(
            turn.conversation,
            turn.utterance,
            turn.answer,
            time=turn.stamp,
            answered=turn.answered,
            recalled=turn.recalled,
        )
        return TurnKept(ids=ids)

    def answer_network(self, request: NetworkRequest) -> NetworkAnswer:
        """The answer to a command on the network.

        Raises:
            DeskRefusal: the network is off.
        """
        if self.network is None:
            raise DeskRefusal(DeskCode.UNAVAILABLE, 'the network is off; set network to true')
        return self.network.by_hand(request.command, request.folder, request.nodes)
