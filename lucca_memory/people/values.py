"""People, what they said, and the protocols through which it is kept and asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol, Self

from lucca_memory.embedding.embedder import Vectors
from lucca_memory.people.name_eraser import NameEraser
from lucca_memory.retrieval.values import Question, Recollection

ROBOT = 'robot'
"""The speaker of every answer."""

Verdict = Literal['good', 'bad']


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody the robot knows, or a guest. `person_id` is never given to anybody else; guests have negative ones."""

    person_id: int
    name: str
    since: datetime

    @property
    def is_guest(self) -> bool:
        """True for somebody whose memory ends with the conversation."""
        return self.person_id < 0


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLine:
    """One thing said, not stored yet.

    `answers` is true for the robot's reply to the line before it; `recalled` has the `item_id` of each recollection that
    a reply rests on.
    """

    conversation: str
    speaker: str
    text: str
    time: datetime
    answers: bool = False
    recalled: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.time.utcoffset() is None:
            raise ValueError(f'time must carry its zone, got {self.time!r}')


@dataclass(frozen=True, slots=True, kw_only=True)
class Line(NewLine):
    """One thing said, as stored. `line_id` rises in the order of storing and is never used twice."""

    line_id: int
    person_id: int


@dataclass(frozen=True, slots=True)
class Turn:
    """An utterance and the robot's answer to it; a turn that was cut short has no answer."""

    utterance: Line
    answer: Line | None = None

    @property
    def lines(self) -> tuple[Line, ...]:
        """What was said, in order."""
        return (self.utterance,) if self.answer is None else (self.utterance, self.answer)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What the lines `first_line` to `last_line` of a person came to, in short. The lines themselves stay."""

    summary_id: int
    person_id: int
    text: str
    first_line: int
    last_line: int
    time: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """A line that was put away by the policy or by request, and can be restored."""

    line: Line
    reason: str
    time: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """What a person thought of an answer, and which memories it rested on (`item_id` of each recollection)."""

    person_id: int
    verdict: Verdict
    question: str
    answer: str
    recalled: tuple[str, ...]
    time: datetime


@dataclass(frozen=True, slots=True)
class Revision:
    """How a person's lines stand: the newest line, and a number that changes whenever an older one was taken away."""

    last_line: int
    epoch: int


class Store(Protocol):
    """Rows that survive: whatever a call has returned from is on the disk. Safe to use from several threads.

    Every method raises MemoryFault where the store cannot be read or written; a failed write changes nothing. A
    `person_id` that is not known is a MemoryFault as well.
    """

    @property
    def uid(self) -> str:
        """Identity of this store; what is derived from it carries it."""
        ...

    @property
    def address(self) -> str:
        """Where a store is that robots share; empty for one in the data folder."""
        ...

    def people(self) -> tuple[Person, ...]:
        """Everybody, by name."""
        ...

    def find(self, name: str) -> Person | None:
        """The person of this name; spelling with other case or spacing is the same name."""
        ...

    def create(self, name: str, since: datetime) -> Person:
        """A new person.

        Raises:
            NameTakenError: somebody has this name.
        """
        ...

    def append(self, person_id: int, lines: Sequence[NewLine]) -> tuple[Line, ...]:
        """Adds lines, all or none, after all that the person has."""
        ...

    def lines(self, person_id: int, *, after: int = 0, limit: int | None = None) -> tuple[Line, ...]:
        """Lines in order, from the first with a `line_id` above `after`."""
        ...

    def last_lines(self, person_id: int, count: int) -> tuple[Line, ...]:
        """The newest lines, in order."""
        ...

    def lines_by_id(self, person_id: int, line_ids: Sequence[int]) -> Mapping[int, Line]:
        """Those of the lines that this person has."""
        ...

    def revision(self, person_id: int) -> Revision:
        """How the person's lines stand."""
        ...

    def count_lines(self, person_id: int) -> int:
        """How many lines a person has."""
        ...

    def put_vectors(self, person_id: int, spec: str, vectors: Mapping[int, Vectors]) -> None:
        """Keeps the vector (d,) of each line under an embedder's spec; lines that are gone are left out."""
        ...

    def vectors(self, person_id: int, spec: str, *, after: int = 0, limit: int | None = None) -> Mapping[int, Vectors]:
        """Vectors (d,) by line, for lines above `after`, in order."""
        ...

    def without_vector(self, person_id: int, spec: str, limit: int) -> tuple[Line, ...]:
        """Lines, newest first, that have no vector of this spec yet."""
        ...

    def drop_vectors(self, *, keep_spec: str) -> None:
        """Lets go of the vectors of all other specs."""
        ...

    def summaries(self, person_id: int) -> tuple[Summary, ...]:
        """All summaries, oldest first."""
        ...

    def add_summary(self, person_id: int, text: str, first_line: int, last_line: int, time: datetime) -> Summary:
        """Stores a summary; its lines leave short-term memory in the same transaction.

        Raises:
            MemoryFault: short-term memory does not begin with `first_line` any more; nothing was stored.
        """
        ...

    def short_term(self, person_id: int) -> tuple[Line, ...]:
        """The lines that no summary covers yet."""
        ...

    def forget(self, person_id: int, line_ids: Sequence[int], reason: str, time: datetime) -> int:
        """Puts lines away, restorable, with their vectors; returns how many."""
        ...

    def forgotten(self, person_id: int) -> tuple[Forgotten, ...]:
        """What was put away, newest first."""
        ...

    def restore(self, person_id: int, line_ids: Sequence[int]) -> int:
        """Brings lines back to where they were; returns how many."""
        ...

    def erase(self, person_id: int) -> None:
        """Removes every row of a person for good and overwrites where they stood."""
        ...

    def mentions(self, eraser: NameEraser) -> Mapping[int, int]:
        """How often a name is in what is kept of each person, by id: in lines, summaries, forgotten lines and verdicts."""
        ...

    def blank(self, eraser: NameEraser) -> tuple[int, ...]:
        """Takes a name out of what is kept of everybody for good; returns the ids of those in whose memory it was."""
        ...

    def add_feedback(self, feedback: Feedback) -> None:
        """Keeps a verdict."""
        ...

    def feedback(self, person_id: int | None = None) -> tuple[Feedback, ...]:
        """Verdicts, oldest first, of one person or of all."""
        ...

    def close(self) -> None:
        """Ends the use of the store; closing twice is harmless."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


class Summarizer(Protocol):
    """Makes a summary of what was said."""

    def summarize(self, person: Person, lines: Sequence[Line]) -> str:
        """A summary of the lines, never empty.

        Raises:
            LuccaError: there is none now; short-term memory stays as it is.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A turn to remember: what a person said and what the robot answered. Times are when each was said.

    `recalled` has the `item_id` of each recollection that the answer rests on; they are never stored as if newly said.
    """

    conversation: str
    utterance: str
    answer: str = ''
    time: datetime
    answered: datetime | None = None
    recalled: tuple[str, ...] = ()
    speaker: str = field(default='')
    """Whoever said the utterance, where that is not the person whose memory it belongs to."""


class PersonalMemory(Protocol):
    """What the robot knows about people. Safe to use from several threads."""

    def people(self) -> tuple[Person, ...]:
        """Everybody who is no guest, by name."""
        ...

    def person(self, name: str) -> Person:
        """The person whom a trusted source names, known from now on if not before.

        Raises:
            MemoryFault: the name is empty, or memory cannot be written.
        """
        ...

    def guest(self, conversation: str) -> Person:
        """Somebody unknown, for as long as this conversation lasts."""
        ...

    def introduce(self, guest: Person, name: str) -> Person:
        """A guest becomes a new person and keeps what was said in this conversation.

        Where the name is taken the new person gets another one (`Anna 2`): an introduction never opens the memory of
        somebody who is known.
        """
        ...

    def remember(self, person: Person, told: Told) -> Turn:
        """Stores a turn; once this returns it is on the disk.

        Raises:
            MemoryFault: it is not.
        """
        ...

    def keep(self, person: Person, text: str) -> Line:
        """Stores what a person asks to be kept; asked for again, among the newest, it is there once.

        Raises:
            MemoryFault: it is not stored.
        """
        ...

    def end(self, conversation: str) -> None:
        """Ends a conversation: what a guest said in it is gone."""
        ...

    def current(self, person: Person, conversation: str) -> tuple[Line, ...]:
        """The conversation so far, word for word."""
        ...

    def last_conversation(self, person: Person, before: str = '') -> tuple[Line, ...]:
        """The newest conversation other than `before`: what a greeting can take up."""
        ...

    def short_term(self, person: Person) -> tuple[Line, ...]:
        """What was said and is not summarised yet, word for word."""
        ...

    def long_term(self, person: Person) -> tuple[Summary, ...]:
        """Summaries, oldest first."""
        ...

    def recall(self, person: Person, question: Question) -> tuple[Recollection, ...]:
        """What this person's memory has about a question, best first; never anything of another person."""
        ...

    def lines(self, person: Person, item_ids: Sequence[str]) -> tuple[Line, ...]:
        """Those of the named lines that this person has, oldest first.

        Raises:
            MemoryFault: an id names no line at all.
        """
        ...

    def rate(self, person: Person, verdict: Verdict) -> Feedback:
        """Keeps what a person thinks of the last answer to them, with the memories that it rested on.

        Raises:
            MemoryFault: nothing was answered yet, the person is a guest, or it could not be written.
        """
        ...

    def forget(self, person: Person, item_ids: Sequence[str], reason: str) -> int:
        """Puts recollections away, restorable; returns how many."""
        ...

    def forgotten(self, person: Person) -> tuple[Forgotten, ...]:
        """What was put away, newest first."""
        ...

    def restore(self, person: Person, item_ids: Sequence[str]) -> int:
        """Brings forgotten lines back; returns how many."""
        ...
