"""Requests to the memory of people and its answers. The conversation determines whose memory is meant."""

from dataclasses import dataclass
from datetime import datetime
from typing import Generic, Protocol, TypeVar

from lucca_core.protocol.remembered import Recollection

A = TypeVar('A')


class PeopleRequest(Generic[A]):
    """A request of a conversation; `A` is the class of its answer."""

    __slots__ = ()
    conversation: str


class Ask(Protocol):
    """Takes a request to the memory of people: over a service, or to the desks in this process."""

    def __call__(self, request: PeopleRequest[A]) -> A:
        """The answer.

        Raises:
            StackError: memory cannot be reached.
            MemoryFault: memory refuses; nothing was kept.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class MeetRequest(PeopleRequest['Met']):
    """A conversation begins or goes on. `person` is used only if the source is trusted."""

    source: str
    person: str
    conversation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """The person that a conversation is with. A guest is not known and has no name.

    Attributes:
        first_time: the person is known, but no earlier conversation with them is kept.
        opening: memories that a greeting can take up, oldest first.
        current: what was said in this conversation so far, oldest first.
    """

    person: str = ''
    known: bool = False
    first_time: bool = False
    opening: tuple[Recollection, ...] = ()
    current: tuple[Recollection, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class IntroduceRequest(PeopleRequest['Introduction']):
    """A guest gives their name."""

    conversation: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Introduction:
    """The name under which a new person is known; `renamed` if the name that they gave was taken."""

    person: str
    renamed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest(PeopleRequest['Recalled']):
    """A search in memory. Without `kinds`, in all kinds. A `token_budget` or `limit` of 0: the worker's setting."""

    conversation: str
    query: str
    kinds: tuple[str, ...] = ()
    token_budget: int = 0
    limit: int = 0
    skip_current: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """What was found, best first. `by_words_only`: the search did not compare meanings."""

    memories: tuple[Recollection, ...]
    by_words_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedTurn(PeopleRequest['TurnKept']):
    """What was said and answered, and when. `recalled`: ids of the memories that the answer is based on."""

    conversation: str
    utterance: str
    stamp: datetime | None = None
    answer: str = ''
    answered: datetime | None = None
    recalled: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnKept:
    """The ids of the lines of a turn, which are now on the disk."""

    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberRequest(PeopleRequest['Remembered']):
    """Something that a person asks the robot to remember."""

    conversation: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """The id of the new memory."""

    item_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetRequest(PeopleRequest['ForgottenCount']):
    """Lines that a person asks the robot to forget."""

    conversation: str
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenCount:
    """How many lines were forgotten."""

    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackRequest(PeopleRequest['FeedbackKept']):
    """What a person thinks of the last answer: good or bad."""

    conversation: str
    verdict: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackKept:
    """The answer that was judged."""

    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EndRequest(PeopleRequest['ConversationEnded']):
    """A conversation ends."""

    conversation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationEnded:
    """The conversation has ended."""


AnyPeopleRequest = (
    MeetRequest
    | IntroduceRequest
    | RecallRequest
    | RecordedTurn
    | RememberRequest
    | ForgetRequest
    | FeedbackRequest
    | EndRequest
)
"""All requests of a conversation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkRequest:
    """The operator views or changes the semantic network of a data folder."""

    command: str
    folder: str
    nodes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkAnswer:
    """A JSON document, or the number of nodes that were changed."""

    document: str = ''
    count: int = 0
