"""The run of one memory system through one scenario, session by session."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from lucca_core.errors import MemoryFault
from lucca_lab.forgetting.answering import Answer, AnswerJudge, Passage
from lucca_lab.forgetting.scenario import Scenario, ScenarioQuestion, ScenarioSession, ScenarioStatement
from lucca_lab.forgetting.system import System, bytes_of, fitting
from lucca_llm.limits.tokens import estimate_tokens


@dataclass(frozen=True, slots=True)
class Moment:
    """The state of a memory after a session.

    Attributes:
        introduced: number of facts told so far. `kept` of them are stated by the texts that the memory has kept.
            `critical_introduced` and `critical_kept` count only critical facts.
    """

    day: float
    bytes: int
    nodes: int
    introduced: int
    kept: int
    critical_introduced: int
    critical_kept: int


@dataclass(slots=True)
class AnswerOutcome:
    """The outcome of a scenario: every answer, what is left at the end, and the cost.

    Attributes:
        asked: each question with its session and answer; the exam's questions come last, with None as session.
        forgets: whether there is a budget. Without one, nothing counts as forgotten, even if it is no longer found.
        kept: ids of the facts that the texts left at the end state.
        history: for each question about the past, whether the value of that time was stated, with or without a mark.
        above: for each replaced value, whether the current value ranked above it when the current one was asked for.
        contexts: the contexts of the exam's questions, for another judge.
    """

    scenario: Scenario
    forgets: bool = True
    asked: list[tuple[int | None, ScenarioQuestion, Answer]] = field(default_factory=list)
    tasks: list[bool] = field(default_factory=list)
    history: list[bool] = field(default_factory=list)
    above: list[bool] = field(default_factory=list)
    kept: frozenset[int] = frozenset()
    moments: list[Moment] = field(default_factory=list)
    bytes: int = 0
    nodes: int = 0
    tokens: list[int] = field(default_factory=list)
    turn_s: list[float] = field(default_factory=list)
    query_s: list[float] = field(default_factory=list)
    contexts: list[tuple[ScenarioQuestion, tuple[Passage, ...]]] = field(default_factory=list)


class Run:
    """Takes a system through a scenario. With `budget_bytes` None, nothing has to be forgotten."""

    def __init__(self, scenario: Scenario, system: System, budget_bytes: int | None) -> None:
        self.scenario, self.system, self.budget_bytes = scenario, system, budget_bytes
        self.judge = AnswerJudge(scenario)
        self.outcome = AnswerOutcome(scenario, forgets=budget_bytes is not None)
        self._introduced: set[int] = set()

    def session(self, session: ScenarioSession) -> None:
        """Tells and asks everything in a session, and then lets the system forget."""
        waiting: list[ScenarioStatement] = []
        for event in session.events:
            if isinstance(event, ScenarioStatement):
                waiting.append(event)
                self._introduced.add(event.fact.fact_id)
                continue
            self._hear(waiting)
            waiting = []
            passages = self._ask(event.text, event.time)
            self.outcome.asked.append((session.number, event, self.judge.answer(event, passages, session.number)))
        self._hear(waiting)
        self.forget(session.events[-1].time if session.events else session.time)

    def forget(self, now: datetime) -> None:
        """Lets the memory forget down to its budget, and notes its state.

        Raises:
            MemoryFault: the memory keeps more than its budget.
        """
        if self.budget_bytes is not None:
            start = time.perf_counter()
            self.system.forget(now, self.budget_bytes)
            self.outcome.turn_s.append(time.perf_counter() - start)
        passages = self.system.passages()
        size = bytes_of(passages)
        if self.budget_bytes is not None and size > self.budget_bytes:
            raise MemoryFault(
                f'{type(self.system).__name__} keeps {size} bytes of text, the budget is {self.budget_bytes}'
            )
        kept = self.judge.given(passage.text for passage in passages)
        critical = {fact.fact_id for fact in self.scenario.critical} & self._introduced
        day = (now - self.scenario.sessions[0].time).total_seconds() / 86_400
        self.outcome.moments.append(
            Moment(
                day,
                size,
                self.system.nodes,
                len(self._introduced),
                len(kept & self._introduced),
                len(critical),
                len(kept & critical),
            )
        )
        self.outcome.kept, self.outcome.bytes, self.outcome.nodes = kept, size, self.system.nodes

    def finish(self) -> AnswerOutcome:
        """Asks the questions of the exam, the tasks, and the questions about the past.

        Raises:
            MemoryFault: the system answers from a text that it did not count as kept.
        """
        for asked in self.scenario.exam:
            passages = self._ask(asked.text, asked.time)
            hidden = self.judge.given(passage.text for passage in passages) - self.outcome.kept
            if hidden:
                raise MemoryFault(f'{type(self.system).__name__} answers from texts outside of the budget')
            self.outcome.asked.append((None, asked, self.judge.answer(asked, passages)))
            self.outcome.contexts.append((asked, passages))
        for asked in self.scenario.tasks:
            self.outcome.tasks.append(self.judge.answer(asked, self._ask(asked.text, asked.time)).correct)
        for asked, fact in self.scenario.history:
            passages = self._ask(asked.text, asked.time)
            self.outcome.history.append(fact.fact_id in self.judge.given(passage.text for passage in passages))
            self._compare(asked, fact.fact_id)
        return self.outcome

    def _compare(self, past: ScenarioQuestion, outdated: int) -> None:
        """Notes whether the current value ranks above the one that it replaced when the current one is asked for."""
        [valid] = past.facts
        passages = self._ask(valid.slot.question, past.time)
        places = {
            fact_id: next(
                (n for n, passage in enumerate(passages) if fact_id in self.judge.facts_in(passage.text)), None
            )
            for fact_id in (valid.fact_id, outdated)
        }
        first, second = places[valid.fact_id], places[outdated]
        if first is not None or second is not None:
            self.outcome.above.append(first is not None and (second is None or first < second))

    def _hear(self, told: Sequence[ScenarioStatement]) -> None:
        if told:
            start = time.perf_counter()
            self.system.hear(told)
            self.outcome.turn_s.append(time.perf_counter() - start)

    def _ask(self, question: str, now: datetime) -> tuple[Passage, ...]:
        start = time.perf_counter()
        found = self.system.context(question, now)
        self.outcome.query_s.append(time.perf_counter() - start)
        passages = fitting(found)
        self.outcome.tokens.append(sum(estimate_tokens(passage.text) for passage in passages))
        return passages


def run(scenario: Scenario, system: System, budget_bytes: int | None) -> AnswerOutcome:
    """Runs a system through a whole scenario.

    Raises:
        MemoryFault: the system keeps more than its budget, or answers from texts that it did not count as kept.
    """
    steps = Run(scenario, system, budget_bytes)
    for session in scenario.sessions:
        steps.session(session)
    return steps.finish()
