"""The run of one memory through one dialogue, and its scores."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lucca_lab.evolution.dialogue import EvolutionDialogue, Probe
from lucca_lab.forgetting.answering import Passage
from lucca_lab.forgetting.system import CONTEXT_TOKENS, fitting
from lucca_memory.embedding.embedder import Embedder
from lucca_memory.semantic.config import SemanticConfig
from lucca_memory.semantic.graph.change import CONCEPT, OPEN
from lucca_memory.semantic.memory import ConceptMemory
from lucca_memory.semantic.values import Statement

VARIANTS = {
    'lucca': SemanticConfig(),
    'no_doubt': SemanticConfig(doubt=False),
    'doubt_only': SemanticConfig(evolution=False, newest_first=False),
    'without': SemanticConfig(evolution=False, newest_first=False, doubt=False),
}
"""The memory as shipped, and with parts of knowledge evolution switched off."""

SHARES = {
    'valid': 'what changed: the valid value is in the context, not marked as outdated',
    'stale': 'what changed: an outdated value is in the context with no mark, of outdated or of doubt',
    'correct': 'what changed: valid and not stale',
    'history': 'asked for what held before: it is in the context',
    'history_marked': 'asked for what held before: it is there, and marked as what held before',
    'above': 'what changed: the valid value stands above every outdated one, where one of them was found',
    'steady': 'what never changed: every value is in the context, not marked',
    'doubted_wrongly': 'values that hold and that a context gives: they are given with a mark of doubt only',
    'recall_at_10': 'every question: share of the valid values among the first ten texts',
    'reciprocal_rank': 'every question: 1 / place of the first valid value',
    'closed_wrongly': 'facts that hold and that only texts give which are marked as outdated',
    'left_open': 'facts that do not hold and that a text gives which is not marked',
}


@dataclass(frozen=True, slots=True)
class EvolutionOutcome:
    """The counts of one dialogue: for each share, the sum of its cases and their number."""

    name: str
    counts: Mapping[str, tuple[float, int]]


def measure(dialogue: EvolutionDialogue, embedder: Embedder, settings: SemanticConfig) -> EvolutionOutcome:
    """Tells a memory everything, without forgetting, and puts every question to it.

    Raises:
        LuccaError: the embedder failed.
    """
    memory = ConceptMemory(embedder, settings=settings)
    for _, told in itertools.groupby(dialogue.said, key=lambda said: said.time.date()):
        memory.hear([Statement(text=s.text, speaker=s.speaker, time=s.time, source=s.source) for s in told])
    cases: dict[str, list[float]] = {name: [] for name in SHARES}
    for name, hits in _kept(dialogue, memory).items():
        cases[name] += hits
    for probe in dialogue.probes:
        _put(dialogue, memory, probe, cases)
    return EvolutionOutcome(dialogue.name, {name: (float(sum(hits)), len(hits)) for name, hits in cases.items()})


def _put(dialogue: EvolutionDialogue, memory: ConceptMemory, probe: Probe, cases: Mapping[str, list[float]]) -> None:
    passages = _context(dialogue, memory, probe.question)
    given = [(dialogue.facts_in(passage.text), passage.outdated or passage.doubtful) for passage in passages]
    unmarked = frozenset[str]().union(*(facts for facts, marked in given if not marked))
    hold = frozenset(fact for other in dialogue.probes for fact in other.valid)
    doubted = frozenset[str]().union(*(dialogue.facts_in(item.text) for item in passages if item.doubtful)) & hold
    cases['doubted_wrongly'] += [float(fact not in unmarked) for fact in sorted(doubted | unmarked & hold)]
    found = all(fact in unmarked for fact in probe.valid)
    stale = any(fact in unmarked for fact in probe.outdated)
    if probe.valid:
        places = [
            next((place for place, (facts, marked) in enumerate(given) if fact in facts and not marked), None)
            for fact in probe.valid
        ]
        cases['recall_at_10'].append(sum(place is not None and place < 10 for place in places) / len(places))
        firsts = [place for place in places if place is not None]
        cases['reciprocal_rank'].append(1 / (1 + min(firsts)) if firsts else 0.0)
    if not probe.changed:
        if probe.valid and not probe.outdated:
            cases['steady'].append(float(found))
        return
    cases['valid'].append(float(found))
    cases['stale'].append(float(stale))
    cases['correct'].append(float(found and not stale))
    first, outdated = _first(given, set(probe.valid)), _first(given, set(probe.outdated))
    if first is not None or outdated is not None:
        cases['above'].append(float(first is not None and (outdated is None or first < outdated)))
    past = _context(dialogue, memory, probe.of_the_past)
    there = [passage.outdated for passage in past if probe.before in dialogue.facts_in(passage.text)]
    cases['history'].append(float(bool(there)))
    cases['history_marked'].append(float(any(there)))


def _first(given: Sequence[tuple[frozenset[str], bool]], facts: set[str]) -> int | None:
    return next((place for place, (found, _) in enumerate(given) if found & facts), None)


def _context(dialogue: EvolutionDialogue, memory: ConceptMemory, question: str) -> tuple[Passage, ...]:
    found = memory.context(question, dialogue.asked_at, CONTEXT_TOKENS)
    return fitting(
        [Passage(item.text, outdated=item.valid_to is not None, doubtful=item.is_doubtful) for item in found.items]
    )


def _kept(dialogue: EvolutionDialogue, memory: ConceptMemory) -> dict[str, list[float]]:
    """For each fact, whether it is closed, judged from all texts in the memory."""
    network = memory.network
    telling = network.column('alive') & (network.column('kinds') != CONCEPT)
    open_facts, closed = set[str](), set[str]()
    for node in memory.store.nodes(network.column('ids')[telling].tolist()).values():
        (open_facts if node.valid_to == OPEN else closed).update(dialogue.facts_in(node.text))
    hold = {fact for probe in dialogue.probes for fact in probe.valid}
    ended = {fact for probe in dialogue.probes for fact in probe.outdated}
    return {
        'closed_wrongly': [float(fact in closed and fact not in open_facts) for fact in sorted(hold)],
        'left_open': [float(fact in open_facts) for fact in sorted(ended)],
    }


def pooled(outcomes: Sequence[EvolutionOutcome], share: str, draws: int = 2000, seed: int = 0) -> dict[str, Any]:
    """A share over dialogues: value, number of cases, and 95 % bootstrap interval (whole dialogues are resampled)."""
    counts = np.array([outcome.counts[share] for outcome in outcomes], float)
    hits, cases = counts.sum(axis=0)
    if not cases:
        return {'value': None, 'n': 0, 'ci': None}
    rng = np.random.default_rng(seed)
    sums = counts[rng.integers(0, len(counts), (draws, len(counts)))].sum(axis=1)
    sums = sums[sums[:, 1] > 0]
    low, high = np.percentile(sums[:, 0] / sums[:, 1], [2.5, 97.5])
    return {'value': float(hits / cases), 'n': int(cases), 'ci': [float(low), float(high)]}
