"""The experiment that tells dialogues, session by session, to memories of a fixed size, and asks what is left.

With `end`, all questions come at the end and count as no use. With `spread`, each question comes once, after a random
session from that of its evidence on, and counts as a use from then on.
"""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby
from typing import Any

import numpy as np

from lucca_core.errors import MemoryFault
from lucca_lab.kept.kept_index import KeptIndex
from lucca_lab.kept.stores import NAMES, NEVER_FORGET, KeptText, LuccaStore, Store, content_of, stores
from lucca_lab.locomo.data import LocomoDialogue, LocomoQuestion
from lucca_memory.embedding.embedder import Embedder
from lucca_memory.semantic.config import ForgettingConfig
from lucca_memory.semantic.forgetting.compression import Compressor

ENOUGH = 0.9
"""The share of a turn's content words that a kept text must have for the turn to count as kept."""
ASKS = ('end', 'spread')


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was left for one question: all of its evidence (1 or 0), all of it verbatim (1 or 0), and the share of it
    among the first ten texts that are retrieved."""

    sample_id: str
    survived: float
    verbatim: float
    recall: float


def contest(
    dialogues: Sequence[LocomoDialogue],
    budgets: Sequence[float],
    asks: str,
    seed: int,
    embedder: Embedder,
    *,
    names: Sequence[str] = NAMES,
    compressor: Compressor | None = None,
    general_calls: int = ForgettingConfig.general_calls,
    on_progress: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Measures every memory at every budget. The result is what `lucca eval forgetting --dialogues --json` prints.

    Args:
        dialogues: dialogues in LoCoMo's format.
        budgets: shares of the bytes of a whole dialogue.
        asks: 'end' or 'spread'.
        seed: decides when questions are asked, and what random forgetting drops.
        embedder: used by our memory, and by the retriever that all share.
        names: names of the memories; recency is always added.
        compressor, general_calls: of `lucca_general`; see LuccaStore.
        on_progress: called with a message for each step.

    Raises:
        MemoryFault: a memory keeps more than its budget.
    """
    names = [name for name in NAMES if name in names or name == 'recency']
    table: dict[str, dict[str, Any]] = {}
    for share in budgets:
        found: dict[str, list[Outcome]] = {name: [] for name in names}
        sizes: dict[str, list[int]] = {name: [] for name in names}
        generals = Counter[str]()
        for dialogue in dialogues:
            on_progress(f'{share:g} of {dialogue.sample_id}')
            others = [other for other in dialogues if other is not dialogue]
            budget = int(share * sum(len(line.text.encode()) for line in dialogue.lines))
            made = stores(dialogue, others, embedder, seed, compressor, general_calls)
            for name, store in made.items():
                if name not in names:
                    continue
                limit = None if name == NEVER_FORGET else budget
                found[name] += _stream(store, name, dialogue, limit, asks, seed, embedder)
                sizes[name].append(store.size())
                if isinstance(store, LuccaStore) and store.generals_asked:
                    generals.update(asked=store.generals_asked, made=store.generals_made)
        recency = found['recency']
        table[f'{share:g}'] = {name: _row(found[name], recency, sizes[name]) for name in names}
        if generals:
            table[f'{share:g}']['lucca_general'].update({f'generals_{key}': n for key, n in generals.items()})
    return {
        'systems': table,
        'asks': asks,
        'seed': seed,
        'dialogues': len(dialogues),
        'questions': sum(len(dialogue.scored) for dialogue in dialogues),
        'embedding': embedder.spec,
    }


def _stream(
    store: Store,
    name: str,
    dialogue: LocomoDialogue,
    budget: int | None,
    asks: str,
    seed: int,
    embedder: Embedder,
) -> list[Outcome]:
    sessions = [list(lines) for _, lines in groupby(dialogue.lines, key=lambda line: line.session)]
    due = _moments(dialogue, [lines[0].session for lines in sessions], asks, seed)
    found: dict[LocomoQuestion, Outcome] = {}
    judge = _Judge(dialogue, embedder)
    for number, lines in enumerate(sessions):
        store.hear(lines)
        if budget is not None:
            store.forget(lines[-1].time, budget)
            if (size := store.size()) > budget:
                raise MemoryFault(f'{name} keeps {size} bytes of text, the budget is {budget}')
        for asked in due.get(number, ()):
            found[asked], best = judge.outcome(store.texts(), asked)
            if asks == 'spread':
                store.used(best, asked.text, lines[-1].time + timedelta(minutes=1))
    return [found[asked] for asked in dialogue.scored]


def _moments(
    dialogue: LocomoDialogue, sessions: Sequence[int], asks: str, seed: int
) -> Mapping[int, Sequence[LocomoQuestion]]:
    """For each session, by its index, the questions that are asked after it."""
    chance = random.Random(f'{seed}/{dialogue.sample_id}')
    session_of = {line.dia_id: sessions.index(line.session) for line in dialogue.lines}
    due: dict[int, list[LocomoQuestion]] = {}
    for asked in dialogue.scored:
        told = max(session_of[name] for name in asked.evidence)
        at = len(sessions) - 1 if asks == 'end' else chance.randint(told, len(sessions) - 1)
        due.setdefault(at, []).append(asked)
    return due


class _Judge:
    """Finds how much of a question's evidence is left, and what a retriever finds among the remaining texts."""

    def __init__(self, dialogue: LocomoDialogue, embedder: Embedder) -> None:
        self._lines = {line.dia_id: line for line in dialogue.lines}
        self._content = {line.dia_id: content_of(line.text) for line in dialogue.lines}
        self._sample_id = dialogue.sample_id
        self._texts: Sequence[KeptText] = ()
        self._index = KeptIndex(dialogue, embedder)
        self._whole: frozenset[str] = frozenset()
        self._verbatim: frozenset[str] = frozenset()

    def outcome(self, texts: Sequence[KeptText], asked: LocomoQuestion) -> tuple[Outcome, str]:
        """The outcome, and a turn of the text that is found first; an empty name if there is none."""
        if list(texts) != list(self._texts):
            self._read(texts)
        found = self._index.found(asked.text, 10)
        first = [text for text in found[:1] if text.dia_ids]
        told = frozenset[str]().union(*(text.dia_ids for text in found)) & self._whole
        outcome = Outcome(
            self._sample_id,
            float(asked.evidence <= self._whole),
            float(asked.evidence <= self._verbatim),
            len(asked.evidence & told) / len(asked.evidence),
        )
        return outcome, min(first[0].dia_ids) if first else ''

    def _read(self, texts: Sequence[KeptText]) -> None:
        self._texts = texts
        whole, verbatim = set[str](), set[str]()
        for text in texts:
            words = content_of(text.text)
            for name in text.dia_ids & self._lines.keys():
                wanted = self._content[name]
                if len(wanted & words) >= ENOUGH * len(wanted):
                    whole.add(name)
                if self._lines[name].text in text.text:
                    verbatim.add(name)
        self._whole, self._verbatim = frozenset(whole), frozenset(verbatim)
        self._index.read(texts)


def _row(outcomes: Sequence[Outcome], recency: Sequence[Outcome], sizes: Sequence[int]) -> dict[str, Any]:
    names = [outcome.sample_id for outcome in outcomes]
    survived = np.array([outcome.survived for outcome in outcomes])
    ratio, spans = _over(survived, np.array([outcome.survived for outcome in recency]), names)
    return {
        'evidence_all': round(float(survived.mean()), 4),
        'interval': [round(value, 4) for value in spans[0]],
        'evidence_verbatim': round(float(np.mean([outcome.verbatim for outcome in outcomes])), 4),
        'recall_at_10': round(float(np.mean([outcome.recall for outcome in outcomes])), 4),
        'bytes': sum(sizes),
        'over_recency': None if ratio is None else round(ratio, 3),
        'over_recency_interval': None if ratio is None else [round(value, 3) for value in spans[1]],
    }


def _over(
    ours: np.ndarray, theirs: np.ndarray, names: Sequence[str], draws: int = 2000
) -> tuple[float | None, tuple[list[float], list[float]]]:
    """The ratio of two means, with 95 % intervals of our mean and of the ratio.

    Dialogues are resampled, or questions if there is only one dialogue.
    """
    groups = {name: place for place, name in enumerate(dict.fromkeys(names))}
    rows = np.arange(len(names)) if len(groups) == 1 else np.array([groups[name] for name in names])
    sums = np.stack([np.bincount(rows, values) for values in (ours, theirs, np.ones(len(names)))], axis=1)
    drawn = sums[np.random.default_rng(0).integers(0, len(sums), (draws, len(sums)))].sum(axis=1)
    span = np.percentile(drawn[:, 0] / drawn[:, 2], [2.5, 97.5]).tolist()
    if not theirs.sum():
        return None, (span, [])
    likely = drawn[drawn[:, 1] > 0]
    return float(ours.sum() / theirs.sum()), (span, np.percentile(likely[:, 0] / likely[:, 1], [2.5, 97.5]).tolist())
