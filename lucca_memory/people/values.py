"""The values of the memory of people (persons, lines, turns, summaries, verdicts) and the protocol `Summarizer`."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

ROBOT = 'robot'
"""The speaker of the robot's answers."""

Verdict = Literal['good', 'bad']


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A known person or a guest. A `person_id` is never reused; guests have negative ones."""

    person_id: int
    name: str
    since: datetime

    @property
    def is_guest(self) -> bool:
        """True for a person whose memory ends with the conversation."""
        return self.person_id < 0


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLine:
    """One thing said, not stored yet.

    Attributes:
        answers: true for the robot's reply to the preceding line.
        recalled: `item_id` of each recollection that a reply used.
    """

    conversation: str
    speaker: str
    text: str
    time: datetime
    answers: bool = False
    recalled: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.time.utcoffset() is None:
            raise ValueError(f'time must have a time zone, got {self.time!r}')


@dataclass(frozen=True, slots=True, kw_only=True)
class Line(NewLine):
    """A stored line. `line_id` increases with every line and is never reused."""

    line_id: int
    person_id: int


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """An utterance and the robot's answer; an interrupted turn has no answer."""

    utterance: Line
    answer: Line | None = None

    @property
    def lines(self) -> tuple[Line, ...]:
        """What was said, in order."""
        return (self.utterance,) if self.answer is None else (self.utterance, self.answer)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A summary of a person's lines from `first_line` to `last_line`. The lines are kept."""

    summary_id: int
    person_id: int
    text: str
    first_line: int
    last_line: int
    time: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenLine:
    """A line that was put away by the policy or on request, and can be restored."""

    line: Line
    reason: str
    time: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """A person's verdict on an answer, and the `item_id` of each recollection that the answer used."""

    person_id: int
    verdict: Verdict
    question: str
    answer: str
    recalled: tuple[str, ...]
    time: datetime


@dataclass(frozen=True, slots=True)
class Revision:
    """The newest line of a person, and a number that changes whenever an older line is removed."""

    last_line: int
    epoch: int


class Summarizer(Protocol):
    """Makes a summary of what was said."""

    def summarize(self, person: Person, lines: Sequence[Line]) -> str:
        """A summary of the lines, never empty.

        Raises:
            LuccaError: the summary failed; short-term memory is unchanged.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A turn to store: what a person said, what the robot answered, and when.

    `recalled` has the `item_id` of each recollection that the answer used; these are not stored again.
    """

    conversation: str
    utterance: str
    answer: str = ''
    time: datetime
    answered: datetime | None = None
    recalled: tuple[str, ...] = ()
    speaker: str = field(default='')
    """Who said the utterance, if not the person to whose memory it belongs."""
