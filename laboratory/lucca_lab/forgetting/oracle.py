"""An upper bound for a memory with a budget: an oracle that reads every signal perfectly but does not see the future.

The oracle knows the rates from which scenarios are drawn, the affair of each fact and which value replaced which, and
it sees everything told and asked so far. It does not know which affairs will matter. By Bayes' rule it computes the
probability that each fact is critical, and keeps the most probable facts, in their shortest wordings, until the budget
is full. It finds everything that it keeps.
"""

import math
from collections import Counter
from dataclasses import dataclass

from lucca_lab.forgetting.generator import Shape
from lucca_lab.forgetting.scenario import Fact, Scenario, ScenarioQuestion, ScenarioStatement


@dataclass(frozen=True, slots=True)
class Ceiling:
    """The oracle's scores in one scenario, as (numerator, denominator) like those of `ForgettingScore`."""

    mrs: tuple[int, int]
    fp: tuple[int, int]


def ceiling(scenario: Scenario, budget_bytes: int) -> Ceiling:
    """Runs the oracle through a scenario."""
    oracle = _Oracle(_Rates.of(scenario))
    for session in scenario.sessions:
        for event in session.events:
            if isinstance(event, ScenarioStatement):
                oracle.tell(event.fact, session.number)
            else:
                oracle.ask(event)
        oracle.forget(session.number, budget_bytes)
    critical = {fact.fact_id for fact in scenario.critical}
    forgotten = {fact.fact_id for fact in scenario.facts} - set(oracle.kept)
    return Ceiling((len(critical & set(oracle.kept)), len(critical)), (len(forgotten - critical), len(forgotten)))


@dataclass(frozen=True, slots=True)
class _Rates:
    """The rates from which a scenario was drawn. They do not reveal which affairs or facts are critical.

    Attributes:
        core: share of the affairs that matter.
        critical: share of critical facts among the valid facts of these affairs.
        once: share of the critical facts that are not asked for before the end.
        core_questions, idle_questions: mean number of questions for a fact before the end, if its affair matters and
            if it does not.
    """

    core: float
    critical: float
    once: float
    core_questions: float
    idle_questions: float
    first_ask_sessions: float

    @classmethod
    def of(cls, scenario: Scenario) -> '_Rates':
        core = {fact.slot.thread for fact in scenario.critical}
        in_core = [fact for fact in scenario.facts if fact.slot.thread in core]
        aside = len(scenario.facts) - len(in_core)
        asked = [item.facts[0].slot.thread in core for item in scenario.asked()]
        return cls(
            core=len(core) / len({fact.slot.thread for fact in scenario.facts}),
            critical=len(scenario.critical) / sum(fact.holds for fact in in_core),
            once=sum(fact.is_once for fact in scenario.facts) / len(scenario.critical),
            core_questions=sum(asked) / len(in_core),
            # It is never 0, since the oracle's computation divides by it.
            idle_questions=max(len(asked) - sum(asked), 0.5) / max(aside, 1),
            first_ask_sessions=Shape().first_ask_sessions,
        )


class _Oracle:
    def __init__(self, rates: _Rates) -> None:
        self._rates = rates
        self._told: dict[int, tuple[Fact, int]] = {}
        self._asked: set[int] = set()
        self._questions: Counter[int] = Counter()
        self.kept: dict[int, Fact] = {}

    def tell(self, fact: Fact, session: int) -> None:
        self._told.setdefault(fact.fact_id, (fact, session))
        self.kept[fact.fact_id] = fact

    def ask(self, asked: ScenarioQuestion) -> None:
        for fact in asked.facts:
            self._asked.add(fact.fact_id)
            self._questions[fact.slot.thread] += 1

    def forget(self, session: int, budget_bytes: int) -> None:
        """Keeps the facts that are most probably critical, as many as fit."""
        matters = self._matters(session)
        worth = {key: self._worth(fact, matters[fact.slot.thread], session) for key, fact in self.kept.items()}
        left, kept = budget_bytes, {}
        for key in sorted(self.kept, key=lambda key: (-worth[key], _size(self.kept[key]), key)):
            if _size(self.kept[key]) <= left:
                left -= _size(self.kept[key])
                kept[key] = self.kept[key]
        self.kept = kept

    def _matters(self, session: int) -> dict[int, float]:
        """For each affair, the probability that it matters. It falls while questions that are due do not come."""
        weights: dict[int, float] = {}
        for fact, told in self._told.values():
            thread = fact.slot.thread
            weights[thread] = weights.get(thread, 0.0) + (1 - self._waiting(told, session))
        prior = math.log(self._rates.core / (1 - self._rates.core))
        core, idle = self._rates.core_questions, self._rates.idle_questions
        odds = {
            thread: prior + self._questions[thread] * math.log(core / idle) - weight * (core - idle)
            for thread, weight in weights.items()
        }
        return {thread: 1 / (1 + math.exp(-value)) for thread, value in odds.items()}

    def _waiting(self, told: int, session: int) -> float:
        """The probability that the first question for a fact, if there is one, has not come yet."""
        return math.exp(-(session - told) / self._rates.first_ask_sessions)

    def _worth(self, fact: Fact, matters: float, session: int) -> float:
        """The probability that a fact is critical."""
        if fact.last_session is not None and fact.last_session <= session:
            return 0.0
        if fact.fact_id in self._asked:
            return matters
        told = self._told[fact.fact_id][1]
        unasked = self._rates.once + (1 - self._rates.once) * self._waiting(told, session)
        critical = self._rates.critical
        return matters * critical * unasked / (critical * unasked + 1 - critical)


def _size(fact: Fact) -> int:
    return min(len(wording.encode()) for wording in fact.wordings)
