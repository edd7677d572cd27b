"""A generator of scenarios: many similar affairs, of which a few turn out to matter.

A scenario has about twenty affairs (a project, an event, a person's life, a club), each with a few named things and
facts about them. All affairs are drawn from the same distributions: start, amount of talk, repetition and wording.
Then some affairs are chosen as the core, to which the person comes back. Facts of the core that are asked for at the
end are critical; all others are chatter. Wording, repetition and time therefore do not distinguish critical facts.
Past questions do, in part: about the fact itself, or about its affair. A few idle questions concern affairs to which
nobody comes back.
"""

import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from typing import Any

from lucca_core.errors import ConfigError
from lucca_lab.forgetting.question_times import after_silence, in_bursts
from lucca_lab.forgetting.scenario import (
    FAMILIES,
    SPLITS,
    Fact,
    Scenario,
    ScenarioQuestion,
    ScenarioSession,
    ScenarioStatement,
    Slot,
)
from lucca_lab.forgetting.vocabulary import Attribute, Vocabulary, vocabulary

START = datetime(2025, 1, 6, 9, 0, tzinfo=UTC)
AS_DRAWN = 'as drawn'
UPDATES = {'research': 0.08, 'planning': 0.12, 'dialogue': 0.08, 'evolution': 0.35}
"""The probability that a slot changes its value, by family. In `evolution`, about half of these change it twice."""


@dataclass(frozen=True, kw_only=True)
class Shape:
    """Sizes and rates of a scenario.

    Attributes:
        begins_within: share of the sessions within which every affair begins.
        spread_sessions: mean number of sessions from the start of an affair or thing to a fact about it.
        critical_share: share of critical facts among all; exact up to rounding.
        used_share: approximate share of critical facts among the valid facts of a core affair.
        repeats: mean number of repetitions of any fact.
        asks: mean number of questions for a critical fact before the end, after the first question.
        first_ask_sessions: mean number of sessions until the first question.
        once_share: share of critical facts that are said once and not asked for within `once_days`.
        idle_share: share of idle questions among those before the end.
        bursts: number of sessions in which an affair is asked about; 0: any.
        silent_sessions: sessions after the first question about an affair in which nobody asks about it; 20 are about
            53 days.
    """

    threads: int = 22
    sessions: int = 30
    days_between: tuple[int, ...] = (2, 3, 3)
    begins_within: float = 0.45
    spread_sessions: float = 6.0
    critical_share: float = 0.2
    used_share: float = 0.9
    repeats: float = 0.5
    asks: float = 1.0
    first_ask_sessions: float = 4.0
    once_share: float = 0.36
    once_days: int = 21
    idle_share: float = 0.1
    bursts: int = 0
    silent_sessions: int = 0
    exam_after_days: int = 3

    def __post_init__(self) -> None:
        for name in ('bursts', 'silent_sessions'):
            if getattr(self, name) < 0:
                raise ConfigError(f'{name} must be at least 0, got {getattr(self, name)}')


@dataclass(slots=True)
class _Draft:
    """A fact before it is decided whether it is critical."""

    slot: Slot
    attribute: Attribute
    value: str
    session: int
    last_session: int | None = None
    tellings: list[int] = field(default_factory=list)


def generate(family: str, split: str, seed: int, shape: Shape | None = None) -> Scenario:
    """Generates one scenario. The same arguments always give the same one.

    Raises:
        ValueError: the family or split is unknown, or no scenario with this shape can be drawn.
    """
    if family not in FAMILIES or split not in SPLITS:
        raise ValueError(f'family must be one of {FAMILIES} and split one of {SPLITS}, got {family!r}, {split!r}')
    shape = shape or Shape()
    for attempt in range(50):
        found = _attempt(family, split, seed, attempt, shape)
        if found is not None:
            return found
    raise ValueError(f'no scenario of this shape could be drawn: {shape}')


def shape_of(changes: Sequence[str]) -> Shape:
    """The default shape with some changes, such as 'used_share=0.65'.

    Raises:
        ConfigError: there is no such rate, or its value is not a number.
    """
    rates = {item.name: item.type for item in fields(Shape) if item.type in (int, float)}
    values: dict[str, Any] = {}
    for change in changes:
        name, _, text = change.partition('=')
        if name not in rates:
            raise ConfigError(f'a shape has {", ".join(rates)}, got {change!r}')
        try:
            values[name] = rates[name](text)
        except ValueError as error:
            raise ConfigError(f'{name} must be a number, got {text!r}') from error
    return Shape(**values)


def shapes_of(texts: Sequence[str]) -> dict[str, Shape]:
    """The shapes that texts such as 'used_share=0.65,bursts=3' name; the default one if there are none.

    Raises:
        ConfigError: as for `shape_of`.
    """
    return {text: shape_of(text.split(',')) for text in texts} or {AS_DRAWN: Shape()}


def generate_split(split: str, seed: int, per_family: int, shape: Shape | None = None) -> Iterator[Scenario]:
    """Generates the scenarios of a split, family by family."""
    for family in FAMILIES:
        for number in range(per_family):
            yield generate(family, split, seed * 1000 + number, shape)


def _attempt(family: str, split: str, seed: int, attempt: int, shape: Shape) -> Scenario | None:
    chance = random.Random(f'{family}/{split}/{seed}/{attempt}')
    days = [0]
    while len(days) < shape.sessions:
        days.append(days[-1] + chance.choice(shape.days_between))
    times = [START + timedelta(days=day, hours=chance.uniform(0, 8)) for day in days]
    exam_time = times[-1] + timedelta(days=shape.exam_after_days)
    drafts = _Drafter(family, vocabulary(split), chance, shape).drafts()
    in_time = [(exam_time - time).days >= shape.once_days for time in times]
    fates = _fates(drafts, in_time, chance, shape)
    if fates is None:
        return None
    critical, once = fates
    facts = tuple(
        Fact(
            fact_id=number,
            slot=draft.slot,
            value=draft.value,
            wordings=_wordings(draft, chance),
            session=draft.session,
            last_session=draft.last_session,
            is_critical=number in critical,
            is_once=number in once,
        )
        for number, draft in enumerate(drafts)
    )
    asked = _questions(facts, critical, once, chance, shape)
    sessions = _sessions(facts, drafts, asked, times, chance)
    name = f'{split}-{family}-{seed}'
    exam = [ScenarioQuestion(fact.slot.question, (fact,), exam_time) for fact in facts if fact.is_critical]
    chance.shuffle(exam)
    return Scenario(
        name=name,
        family=family,
        split=split,
        facts=facts,
        sessions=sessions,
        exam=tuple(exam),
        tasks=_tasks(facts, exam_time, chance),
        history=_history(facts, exam_time),
    )


class _Drafter:
    """Draws the facts of all affairs, from the same distributions."""

    def __init__(self, family: str, words: Vocabulary, chance: random.Random, shape: Shape) -> None:
        self._family, self._words, self._chance, self._shape = family, words, chance, shape
        self._taken: set[str] = set()

    def drafts(self) -> list[_Draft]:
        """Every fact, affair by affair."""
        return [draft for thread in range(self._shape.threads) for draft in self._thread(thread)]

    def _thread(self, thread: int) -> Iterator[_Draft]:
        kind, attributes = self._words.families[self._family]
        head = self._unique(kind)
        begin = self._chance.randrange(max(1, round(self._shape.sessions * self._shape.begins_within)))
        for attribute in self._some(attributes, 7):
            for draft in self._slot(thread, head, attribute, begin):
                yield draft
                if attribute.link and draft.last_session is None:
                    for inner in self._some(self._words.kinds[attribute.link], 2):
                        yield from self._slot(thread, draft.value, inner, draft.session)

    def _some(self, attributes: tuple[Attribute, ...], number: int) -> list[Attribute]:
        """`number` random attributes, sometimes one more, in their usual order."""
        number = min(len(attributes), number + self._chance.randint(0, 1))
        return sorted(self._chance.sample(attributes, number), key=attributes.index)

    def _slot(self, thread: int, subject: str, attribute: Attribute, begin: int) -> Iterator[_Draft]:
        question = self._chance.choice(attribute.ask).format(s=subject)
        slot = Slot(f'{thread}/{subject}/{attribute.key}', subject, thread, attribute.cues, question)
        last = self._shape.sessions - 2
        sessions = [min(last, begin + int(self._chance.expovariate(1 / self._shape.spread_sessions)))]
        values = self._chance.randint(1, 2) if attribute.many else 1
        if attribute.many:
            sessions += [min(last, sessions[0] + self._chance.randint(1, 5)) for _ in range(values - 1)]
        else:
            self._add_updates(sessions, last)
        for number, session in enumerate(sessions):
            ends = None if attribute.many or number + 1 == len(sessions) else sessions[number + 1]
            draft = _Draft(slot, attribute, self._unique(attribute.value), session, ends)
            draft.tellings = self._tellings(session, ends)
            yield draft

    def _add_updates(self, sessions: list[int], last: int) -> None:
        chance = UPDATES[self._family]
        while sessions[-1] < last and len(sessions) < 3 and self._chance.random() < chance:
            sessions.append(self._chance.randint(sessions[-1] + 1, last))
            chance = max(chance, 0.0) * (1.5 if self._family == 'evolution' else 0.2)

    def _tellings(self, session: int, ends: int | None) -> list[int]:
        """The sessions in which a fact is said. It is repeated only while it holds."""
        until = self._shape.sessions - 1 if ends is None else ends - 1
        if until <= session:
            return [session]
        again = _poisson(self._shape.repeats, self._chance)
        return [session, *sorted(self._chance.randint(session + 1, until) for _ in range(again))]

    def _unique(self, kind: str) -> str:
        """A value that has not been used in this scenario yet."""
        for _ in range(1000):
            value = self._words.value(kind, self._chance)
            if value not in self._taken:
                self._taken.add(value)
                return value
        raise ValueError(f'the vocabulary has too few values of kind {kind!r} for so many affairs')


def _fates(
    drafts: list[_Draft], in_time: list[bool], chance: random.Random, shape: Shape
) -> tuple[set[int], set[int]] | None:
    """The critical facts, and those of them that are said once and not asked for; None if this draw has too few."""
    wanted = round(shape.critical_share * len(drafts))
    core = _core(drafts, wanted / shape.used_share, chance)
    critical = set(chance.sample(core, wanted))
    # A slot with several values is excluded: its question asks for all of them.
    able = [
        n
        for n in sorted(critical)
        if len(drafts[n].tellings) == 1 and in_time[drafts[n].session] and not drafts[n].attribute.many
    ]
    number = math.ceil(shape.once_share * wanted)
    return (critical, set(chance.sample(able, number))) if len(able) >= number else None


def _core(drafts: list[_Draft], size: float, chance: random.Random) -> list[int]:
    """The valid facts of enough random affairs to reach a size; the smallest of ten such draws."""
    holding: dict[int, list[int]] = {}
    for number, draft in enumerate(drafts):
        if draft.last_session is None:
            holding.setdefault(draft.slot.thread, []).append(number)
    draws = []
    for _ in range(10):
        threads = sorted(holding)
        chance.shuffle(threads)
        core: list[int] = []
        while len(core) < size:
            core += holding[threads.pop()]
        draws.append(core)
    return min(draws, key=len)


def _wordings(draft: _Draft, chance: random.Random) -> tuple[str, ...]:
    said = list(draft.attribute.say)
    chance.shuffle(said)
    texts = (text.format(s=draft.slot.subject, v=draft.value) for text in said)
    return tuple(text[0].upper() + text[1:] for text in texts)


def _questions(
    facts: tuple[Fact, ...], critical: set[int], once: set[int], chance: random.Random, shape: Shape
) -> list[tuple[int, Fact]]:
    """(session, fact asked for) before the end. The number of questions does not depend on when the fact was told."""
    asked = []
    for number in sorted(critical - once):
        told = facts[number].session
        first = told + 1 + int(chance.expovariate(1 / shape.first_ask_sessions))
        if first >= shape.sessions:
            first = chance.randint(told + 1, shape.sessions - 1)
        again = _poisson(shape.asks, chance)
        for session in (first, *(chance.randint(told + 1, shape.sessions - 1) for _ in range(again))):
            asked.append((session, facts[number]))
    core = {facts[number].slot.thread for number in critical}
    idle = [fact for fact in facts if fact.slot.thread not in core]
    for _ in range(round(len(asked) * shape.idle_share / (1 - shape.idle_share))):
        fact = chance.choice(idle)
        until = shape.sessions - 1 if fact.last_session is None else fact.last_session - 1
        if until > fact.session:
            asked.append((chance.randint(fact.session + 1, until), fact))
    silent = {facts[number].slot.name for number in once}
    replaced = [fact for fact in facts if not fact.holds and fact.slot.thread in core and fact.slot.name not in silent]
    # Whoever comes back to a thing also asked for it in the past, so that replaced values are asked for too.
    for fact in replaced:
        until = (fact.last_session or 0) - 1
        if until > fact.session:
            for _ in range(_poisson(shape.asks, chance)):
                asked.append((chance.randint(fact.session + 1, until), fact))
    if shape.bursts:
        asked = in_bursts(asked, shape.bursts, shape.sessions, chance)
    if shape.silent_sessions:
        asked = after_silence(asked, shape.silent_sessions, shape.sessions, chance)
    return asked


def _sessions(
    facts: tuple[Fact, ...],
    drafts: list[_Draft],
    asked: list[tuple[int, Fact]],
    times: list[datetime],
    chance: random.Random,
) -> tuple[ScenarioSession, ...]:
    said: list[list[tuple[Fact, str]]] = [[] for _ in times]
    for fact, draft in zip(facts, drafts, strict=True):
        for number, session in enumerate(draft.tellings):
            said[session].append((fact, fact.wordings[0] if number == 0 else chance.choice(fact.wordings)))
    sessions = []
    for number, time in enumerate(times):
        order: list[tuple[Fact, str] | Fact] = [*said[number], *(fact for session, fact in asked if session == number)]
        chance.shuffle(order)
        events: list[ScenarioStatement | ScenarioQuestion] = []
        for place, item in enumerate(order):
            at = time + timedelta(minutes=place)
            if isinstance(item, Fact):
                events.append(ScenarioQuestion(item.slot.question, (item,), at))
            else:
                fact, text = item
                events.append(ScenarioStatement(fact, text, 'you', at, f'{number}:{place}'))
        sessions.append(ScenarioSession(number, time, tuple(events)))
    return tuple(sessions)


def _tasks(facts: tuple[Fact, ...], time: datetime, chance: random.Random) -> tuple[ScenarioQuestion, ...]:
    """One task for every three critical facts of an affair."""
    tasks = []
    threads = Counter(fact.slot.thread for fact in facts if fact.is_critical)
    for thread, number in sorted(threads.items()):
        needed = [fact for fact in facts if fact.is_critical and fact.slot.thread == thread]
        chance.shuffle(needed)
        for first in range(0, number - 2, 3):
            group = tuple(needed[first : first + 3])
            tasks.append(ScenarioQuestion(' '.join(fact.slot.question for fact in group), group, time))
    return tuple(tasks)


def _history(facts: tuple[Fact, ...], time: datetime) -> tuple[tuple[ScenarioQuestion, Fact], ...]:
    """For each slot whose current value replaced another one: the question for the value before it."""
    asked = []
    for fact in facts:
        if fact.last_session is not None:
            [following] = [
                item for item in facts if item.slot.name == fact.slot.name and item.session == fact.last_session
            ]
            if following.holds:
                question = fact.slot.question
                asked.append(
                    (ScenarioQuestion(f'Before that: {question[0].lower()}{question[1:]}', (following,), time), fact)
                )
    return tuple(asked)


def _poisson(mean: float, chance: random.Random) -> int:
    """A number from a Poisson distribution, by Knuth's product of uniform numbers."""
    limit, product, number = math.exp(-mean), chance.random(), 0
    while product > limit:
        product *= chance.random()
        number += 1
    return number
