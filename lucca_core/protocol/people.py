"""What is asked of the memory of people, and what it answers. The conversation says whose memory it is about."""

from dataclasses import dataclass
from datetime import datetime

from lucca_core.protocol.remembered import Recollection


@dataclass(frozen=True, slots=True, kw_only=True)
class MeetRequest:
    """A conversation begins, or goes on. Only a trusted source names a person."""

    source: str
    person: str
    conversation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """Who a conversation is with. A guest is not known and has no name.

    Attributes:
        first_time: known, and nothing of an earlier conversation is kept.
        opening: what a greeting can take up, oldest first.
        current: what this conversation has said so far, oldest first.
    """

    person: str = ''
    known: bool = False
    first_time: bool = False
    opening: tuple[Recollection, ...] = ()
    current: tuple[Recollection, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class IntroduceRequest:
    """A guest says who they are."""

    conversation: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Introduction:
    """The name under which a new person is known; `renamed` where the one they gave was taken."""

    person: str
    renamed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """What memory has about something. No kinds: all of them; 0: the worker's setting."""

    conversation: str
    query: str
    kinds: tuple[str, ...] = ()
    token_budget: int = 0
    limit: int = 0
    skip_current: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """What memory has, best first. `by_words_only`: meanings were not searched."""

    memories: tuple[Recollection, ...]
    by_words_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedTurn:
    """What was said and answered, and when; `recalled`: ids of what the answer rests on."""

    conversation: str
    utterance: str
    stamp: datetime | None = None
    answer: str = ''
    answered: datetime | None = None
    recalled: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnKept:
    """The ids of the lines of a turn that is on the disk."""

    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberRequest:
    """Something that a person asks to be kept."""

    conversation: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """The id of what is kept."""

    item_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetRequest:
    """Lines that a person asks to be put away."""

    conversation: str
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenCount:
    """How many lines were put away."""

    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackRequest:
    """What a person thinks of the last answer: good or bad."""

    conversation: str
    verdict: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackKept:
    """The answer that was judged."""

    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EndRequest:
    """A conversation ends."""

    conversation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationEnded:
    """It has ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkRequest:
    """The operator's look at the semantic network of a data folder, or change of it."""

    command: str
    folder: str
    nodes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkAnswer:
    """A document in JSON, or how many nodes were changed."""

    document: str = ''
    count: int = 0
