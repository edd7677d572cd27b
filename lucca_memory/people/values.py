"""People, what they said, and the protocols through which it is kept and asked for."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

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
