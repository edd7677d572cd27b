"""Recordings of what scenarios do to a memory that forgets nothing, so that forgetting can be replayed in milliseconds.

A recording runs the memory itself through the scenario and notes for each session what changed in its network: new
nodes, repeated statements, nodes that helped to answer, and closed statements. A replay applies these changes to the
same network, with a forgetting pass after each session; the memory's own code computes importance and decisions. A
replay leaves out retrieval: a kept node counts as found, and a forgotten one as lost. The policy is trained on replays
and evaluated on the memory itself.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lucca_lab.forgetting.answering import AnswerJudge
from lucca_lab.forgetting.generator import Shape, generate_split
from lucca_lab.forgetting.scenario import Scenario, ScenarioStatement
from lucca_memory.embedding.embedder import Embedder
from lucca_memory.retrieval.times import microseconds
from lucca_memory.semantic.config import ForgettingConfig, SemanticConfig
from lucca_memory.semantic.forgetting.decision import Decision, decide
from lucca_memory.semantic.graph.centrality import mentions_of
from lucca_memory.semantic.graph.change import CONCEPT, OPEN
from lucca_memory.semantic.graph.network import Network
from lucca_memory.semantic.memory import ConceptMemory
from lucca_memory.semantic.values import Statement

_WATCHED = ('told', 'used', 'last', 'valid_to')


@dataclass(frozen=True, slots=True)
class Step:
    """The changes of one session.

    Attributes:
        now: the end of the session, in microseconds since 1970.
        rows: number of rows after it.
        told, used: rows that were told (again) and how often; rows that were used and how much.
        last: rows whose last time of telling or use changed, with the new time.
        closed: rows that no longer hold, with the time since when.
        query: mean of the questions' vectors; zeros if there are no questions.
        asked: number of questions.
    """

    now: int
    rows: int
    told: tuple[NDArray[np.int64], NDArray[np.int32]]
    used: tuple[NDArray[np.int64], NDArray[np.float32]]
    last: tuple[NDArray[np.int64], NDArray[np.int64]]
    closed: tuple[NDArray[np.int64], NDArray[np.int64]]
    query: NDArray[np.float32]
    asked: int


@dataclass(frozen=True, slots=True)
class MemoryTrace:
    """A recorded scenario: its network at the end, the steps, and the facts that each row states."""

    scenario: Scenario
    network: Network
    steps: tuple[Step, ...]
    facts: tuple[frozenset[int], ...]


def record(scenario: Scenario, embedder: Embedder) -> MemoryTrace:
    """Runs a memory without budget through a scenario and records it."""
    # Spreading changes only which texts fill up a context, not which one answers best.
    memory = ConceptMemory(embedder, settings=SemanticConfig(spread=0.0))
    steps = []
    before = {name: np.zeros(0, np.float64) for name in _WATCHED}
    for session in scenario.sessions:
        questions = []
        for event in session.events:
            if isinstance(event, ScenarioStatement):
                memory.hear([Statement(text=event.text, speaker=event.speaker, time=event.time, source=event.source)])
            else:
                memory.context(event.text, event.time)
                questions.append(event.text)
        network = memory.network
        after = {name: network.column(name).copy() for name in _WATCHED}
        end = microseconds(session.events[-1].time if session.events else session.time)
        vectors = embedder.embed(questions)
        query = vectors.mean(axis=0) if len(vectors) else np.zeros(embedder.dimensions, np.float32)
        steps.append(_step(before, after, end, np.asarray(query, np.float32), len(questions)))
        before = after
    network, judge = memory.network, AnswerJudge(scenario)
    nodes = memory.store.nodes(network.column('ids').tolist())
    facts = tuple(
        frozenset() if nodes[node_id].kind == CONCEPT else judge.facts_in(nodes[node_id].text)
        for node_id in network.column('ids').tolist()
    )
    return MemoryTrace(scenario, network, tuple(steps), facts)


def record_shapes(
    shapes: Mapping[str, Shape], split: str, seed: int, per_family: int, embedder: Embedder
) -> dict[str, list[MemoryTrace]]:
    """Records new scenarios of each shape, by its name; the first has the seed, and each further one the next."""
    # All are drawn before any is recorded: a shape of which none can be drawn is refused at once.
    drawn = {
        name: list(generate_split(split, seed + number, per_family, shape))
        for number, (name, shape) in enumerate(shapes.items())
    }
    return {name: [record(scenario, embedder) for scenario in scenarios] for name, scenarios in drawn.items()}


class Replay:
    """Replays a trace, with a forgetting pass after each session. `budget` is the share of all introduced bytes."""

    def __init__(self, trace: MemoryTrace, budget: float) -> None:
        self.trace = trace
        self.budget_bytes = int(trace.scenario.introduced_bytes * budget)
        begin = {'alive': False, 'told': 0, 'used': 0.0, 'last': 0, 'valid_to': OPEN}
        self.network = trace.network.frozen(copied=begin)
        for name, value in begin.items():
            self.network.column(name)[:] = value
        self.number = 0

    @property
    def is_done(self) -> bool:
        """Whether the last session has been played."""
        return self.number == len(self.trace.steps)

    def session(self) -> Step:
        """Plays the next session, without its forgetting pass."""
        step = self.trace.steps[self.number]
        before = self.trace.steps[self.number - 1].rows if self.number else 0
        self.number += 1
        alive, told, used, last, valid_to = map(self.network.column, ('alive', 'told', 'used', 'last', 'valid_to'))
        alive[before : step.rows] = True
        # A forgotten statement that is told again starts from zero.
        alive[step.told[0]] = True
        told[step.told[0]] += step.told[1]
        for (rows, values), column in ((step.used, used), (step.last, last), (step.closed, valid_to)):
            there = alive[rows]
            if column is used:
                column[rows[there]] += values[there]
            else:
                column[rows[there]] = values[there]
        return step

    def forget(self, config: ForgettingConfig) -> Decision:
        """Runs the forgetting pass after a session, without compression, since a replay has no texts."""
        now = self.trace.steps[self.number - 1].now
        decision = decide(self.network, now, config, budget_bytes=self.budget_bytes)
        gone = np.concatenate([decision.pruned, *decision.groups]).astype(np.int64)
        rows, counts, last = mentions_of(self.network, gone)
        self.network.column('told')[rows] += counts.astype(np.int32)
        self.network.column('last')[rows] = last
        for name in ('alive', 'used', 'told'):
            self.network.column(name)[gone] = 0
        return decision

    @property
    def bytes(self) -> int:
        """Size of all texts that are left."""
        return int(self.network.column('sizes')[self._telling()].astype(np.int64).sum())

    def kept(self) -> frozenset[int]:
        """Ids of the facts that the rows left state."""
        return frozenset().union(*(self.trace.facts[row] for row in np.flatnonzero(self._telling()).tolist()))

    def _telling(self) -> NDArray[np.bool_]:
        return np.asarray(self.network.column('alive') & (self.network.column('kinds') != CONCEPT), np.bool_)


def _step(
    before: dict[str, NDArray[np.float64]],
    after: dict[str, NDArray[np.float64]],
    now: int,
    query: NDArray[np.float32],
    asked: int,
) -> Step:
    count = len(after['told'])
    old = {
        name: np.concatenate([before[name], np.full(count - len(before[name]), OPEN if name == 'valid_to' else 0)])
        for name in _WATCHED
    }
    changed = {name: np.flatnonzero(after[name] != old[name]) for name in _WATCHED}

    def values(name: str, dtype: type) -> tuple[NDArray[np.int64], NDArray[np.generic]]:
        rows = changed[name]
        difference = after[name][rows] - old[name][rows] if name in ('told', 'used') else after[name][rows]
        return rows, difference.astype(dtype)

    return Step(
        now=now,
        rows=count,
        told=values('told', np.int32),  # type: ignore[arg-type]
        used=values('used', np.float32),  # type: ignore[arg-type]
        last=values('last', np.int64),  # type: ignore[arg-type]
        closed=values('valid_to', np.int64),  # type: ignore[arg-type]
        query=query,
        asked=asked,
    )
