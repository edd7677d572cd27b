"""A scenario: weeks of sessions with statements and questions, and the ground truth for judging answers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

FAMILIES = ('research', 'planning', 'dialogue', 'evolution')
SPLITS = ('train', 'validation', 'test')


@dataclass(frozen=True, slots=True)
class Slot:
    """One attribute of one thing, such as where somebody lives.

    Attributes:
        name: unique within a scenario.
        subject: the thing, as it is named.
        thread: number of the affair that it belongs to.
        cues: beginnings of the words by which a text that gives the attribute is known.
        question: how it is asked for.
    """

    name: str
    subject: str
    thread: int
    cues: tuple[str, ...]
    question: str


@dataclass(frozen=True, slots=True)
class Fact:
    """One value of a slot. Values are unique within a scenario.

    Attributes:
        wordings: every way in which it is said, the one of its first telling first.
        session, last_session: when it is first told, and in which session another value takes its place; None: never.
        is_critical: it will be asked for at the end.
        is_once: critical, said once and not asked for in three weeks.
    """

    fact_id: int
    slot: Slot
    value: str
    wordings: tuple[str, ...]
    session: int
    last_session: int | None = None
    is_critical: bool = False
    is_once: bool = False

    @property
    def holds(self) -> bool:
        """True if no other value has taken its place by the end."""
        return self.last_session is None


@dataclass(frozen=True, slots=True)
class ScenarioStatement:
    """Somebody says a fact, for the first time or again."""

    fact: Fact
    text: str
    speaker: str
    time: datetime
    source: str


@dataclass(frozen=True, slots=True)
class ScenarioQuestion:
    """Somebody asks for what holds at that time. `facts`: it, or several for a slot or task with several values."""

    text: str
    facts: tuple[Fact, ...]
    time: datetime


@dataclass(frozen=True, slots=True)
class ScenarioSession:
    """What was said and asked in one sitting, in order."""

    number: int
    time: datetime
    events: tuple[ScenarioStatement | ScenarioQuestion, ...]


@dataclass(frozen=True)
class Scenario:
    """Weeks with one person.

    Attributes:
        name: unique over all splits.
        sessions: in order of time.
        exam: after the last session: each critical fact asked for once.
        tasks: after the exam: several critical facts of one affair, needed at once.
        history: slots of which one value took the place of another, asked for what held before.
    """

    name: str
    family: str
    split: str
    facts: tuple[Fact, ...]
    sessions: tuple[ScenarioSession, ...]
    exam: tuple[ScenarioQuestion, ...]
    tasks: tuple[ScenarioQuestion, ...]
    history: tuple[tuple[ScenarioQuestion, Fact], ...]

    @property
    def critical(self) -> tuple[Fact, ...]:
        """What the exam asks for."""
        return tuple(fact for fact in self.facts if fact.is_critical)

    @cached_property
    def introduced_bytes(self) -> int:
        """UTF-8 bytes of every fact once, in the wording of its first telling: what a budget is a share of."""
        return sum(len(fact.wordings[0].encode()) for fact in self.facts)

    @cached_property
    def by_slot(self) -> Mapping[str, tuple[Fact, ...]]:
        """The facts of each slot, in the order of their telling."""
        found: dict[str, tuple[Fact, ...]] = {}
        for fact in self.facts:
            found[fact.slot.name] = (*found.get(fact.slot.name, ()), fact)
        return found

    @cached_property
    def subjects(self) -> frozenset[str]:
        """Every thing that something is said about."""
        return frozenset(fact.slot.subject for fact in self.facts)

    def told(self) -> Iterator[ScenarioStatement]:
        """Everything that is said, in order."""
        for session in self.sessions:
            yield from (event for event in session.events if isinstance(event, ScenarioStatement))

    def asked(self) -> Iterator[ScenarioQuestion]:
        """Everything that is asked before the exam, in order."""
        for session in self.sessions:
            yield from (event for event in session.events if isinstance(event, ScenarioQuestion))
