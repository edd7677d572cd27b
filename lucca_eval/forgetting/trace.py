"""What a scenario does to a memory that forgets nothing, recorded once, so that passes can be tried in milliseconds.

Recording runs the memory itself through the scenario and notes, session by session, what changed in its network: which
nodes came, what was told again, what was of use to a question, what was closed. Replaying plays these changes on the same
network with a forgetting pass after each session; importance and decision are the memory's own code. What a replay leaves
out is retrieval: a node that is kept is taken to be found, and one that is forgotten is of no use any more. So the policy
is learned on replays and judged on the memory itself.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lucca_eval.forgetting.answering import Judge
from lucca_eval.forgetting.scenario import Scenario, Told
from lucca_memory.embedding.ports import Embedder
from lucca_memory.retrieval.times import microseconds
from lucca_memory.semantic.changes import CONCEPT, OPEN
from lucca_memory.semantic.config import ForgettingConfig, SemanticConfig
from lucca_memory.semantic.memory import ConceptMemory
from lucca_memory.semantic.network import Network
from lucca_memory.semantic.ports import Statement

_WATCHED = ('told', 'used', 'last', 'valid_to')


@dataclass(frozen=True, slots=True)
class Step:
    """What one session changed.

    Attributes:
        now: of its end, microseconds since 1970.
        rows: how many rows there are after it.
        told: rows told (again), and how often; `used`: rows of use, and how much; both with the time of the last.
        closed: rows that hold no more, and since when.
        query: mean of the questions' vectors, zeros without any.
        asked: how many questions.
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
class Trace:
    """A recorded scenario: its network at the end, the steps, and which facts each row gives."""

    scenario: Scenario
    network: Network
    steps: tuple[Step, ...]
    facts: tuple[frozenset[int], ...]


def record(scenario: Scenario, embedder: Embedder) -> Trace:
    """Runs a memory without budget through a scenario."""
    # Spreading changes which texts fill up a context, not what answers best.
    memory = ConceptMemory(embedder, settings=SemanticConfig(spread=0.0))
    steps = []
    before = {name: np.zeros(0, np.float64) for name in _WATCHED}
    for session in scenario.sessions:
        questions = []
        for event in session.events:
            if isinstance(event, Told):
                memory.hear(
                    [Statement(text=event.text, speaker=event.speaker, time=event.time, source=event.source)]
                )
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
    network, judge = memory.network, Judge(scenario)
    nodes = memory.store.nodes(network.column('ids').tolist())
    facts = tuple(
        frozenset() if nodes[node_id].kind == CONCEPT else judge.facts_in(nodes[node_id].text)
        for node_id in network.column('ids').tolist()
    )
    return Trace(scenario, network, tuple(steps), facts)


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
