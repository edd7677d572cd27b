"""Data of a dialogue whose facts change: what was said, and questions with their valid and outdated facts."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Said:
    """Something that was said."""

    text: str
    speaker: str
    time: datetime
    source: str


@dataclass(frozen=True, slots=True)
class Probe:
    """A question after all was said, for one attribute of one thing.

    Attributes:
        question: for what holds; `of_the_past` for what held before, empty if nothing did.
        valid: ids of the facts that hold; several for an attribute of several values.
        before: id of the fact that the valid one took the place of; empty: there was none.
        outdated: ids of all facts of the attribute that do not hold any more.
    """

    question: str
    of_the_past: str
    valid: tuple[str, ...]
    before: str
    outdated: tuple[str, ...]

    @property
    def changed(self) -> bool:
        """True if what holds took the place of something."""
        return bool(self.before)


@dataclass(frozen=True)
class EvolutionDialogue:
    """A talk over weeks or months.

    Attributes:
        name: unique within a run.
        asked_at: when the probes are put.
        facts_in: ids of the facts that a text gives, by rule.
    """

    name: str
    said: tuple[Said, ...]
    probes: tuple[Probe, ...]
    asked_at: datetime
    facts_in: Callable[[str], frozenset[str]]
