"""A dialogue whose facts change: what was said, and questions with their valid and outdated facts."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Said:
    """One utterance."""

    text: str
    speaker: str
    time: datetime
    source: str


@dataclass(frozen=True, slots=True)
class Probe:
    """A question about one attribute of one thing, put after everything was said.

    Attributes:
        question: asks for what holds; `of_the_past` asks for what held before, and is empty if nothing did.
        valid: ids of the facts that hold; several if the attribute has several values.
        before: id of the fact that the valid one replaced; empty if there was none.
        outdated: ids of all facts of the attribute that no longer hold.
    """

    question: str
    of_the_past: str
    valid: tuple[str, ...]
    before: str
    outdated: tuple[str, ...]

    @property
    def changed(self) -> bool:
        """Whether the valid fact replaced another one."""
        return bool(self.before)


@dataclass(frozen=True)
class EvolutionDialogue:
    """A talk over weeks or months.

    Attributes:
        name: a name that is unique within a run.
        asked_at: the time at which the probes are put.
        facts_in: a rule that returns the ids of the facts that a text states.
    """

    name: str
    said: tuple[Said, ...]
    probes: tuple[Probe, ...]
    asked_at: datetime
    facts_in: Callable[[str], frozenset[str]]
