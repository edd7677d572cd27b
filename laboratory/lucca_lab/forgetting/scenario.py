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
        name: a name that is unique within a scenario.
        subject: the thing, as it is named.
        thread: number of the affair to which the thing belongs.
        cues: beginnings of words by which a text about the attribute is recognised.
        question: the question for the value.
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
        wordings: every way in which the fact is said; the wording of its first telling comes first.
        session, last_session: the session in which it is first told, and the one in which another value replaces it
            (None: never).
        is_critical: it will be asked for at the end.
        is_once: it is critical, is said once and is not asked for in three weeks.
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
        """Whether no other value has replaced it by the end."""
        return self.last_session is None


@dataclass(frozen=True, slots=True)
class ScenarioStatement:
    """A telling of a fact, for the first time or again."""

    fact: Fact
    text: str
    speaker: str
    time: datetime
    source: str


@dataclass(frozen=True, slots=True)
class ScenarioQuestion:
    """A question for what holds at its time. `facts` has several facts for a slot or task with several values."""

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
    """Several weeks with one person.

    Attributes:
        name: a name that is unique over all splits.
        sessions: the sessions in order of time.
        exam: one question for each critical fact, after the last session.
        tasks: questions for several critical facts of one affair at once, after the exam.
        history: questions for the value before the current one, for slots that changed.
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
        """The facts for which the exam asks."""
        return tuple(fact for fact in self.facts if fact.is_critical)

    @cached_property
    def introduced_bytes(self) -> int:
        """UTF-8 bytes of every fact in the wording of its first telling. Budgets are shares of this."""
        return sum(len(fact.wordings[0].encode()) for fact in self.facts)

    @cached_property
    def by_slot(self) -> Mapping[str, tuple[Fact, ...]]:
        """The facts of each slot, in the order in which they are told."""
        found: dict[str, tuple[Fact, ...]] = {}
        for fact in self.facts:
            found[fact.slot.name] = (*found.get(fact.slot.name, ()), fact)
        return found

    @cached_property
    def subjects(self) -> frozenset[str]:
        """Every thing about which a fact exists."""
        return frozenset(fact.slot.subject for fact in self.facts)

    def told(self) -> Iterator[ScenarioStatement]:
        """Everything that is said, in order."""
        for session in self.sessions:
            yield from (event for event in session.events if isinstance(event, ScenarioStatement))

    def asked(self) -> Iterator[ScenarioQuestion]:
        """Every question before the exam, in order."""
        for session in self.sessions:
            yield from (event for event in session.events if isinstance(event, ScenarioQuestion))
