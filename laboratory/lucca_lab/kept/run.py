"""The experiment that tells dialogues, session by session, to memories of a fixed size, and asks what is left.

With `end`, all questions come at the end and count as no use. With `spread`, each question comes once, after a random
session from that of its evidence on, and counts as a use from then on.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from lucca_core.errors import MemoryFault
from lucca_lab.kept.kept_index import KeptIndex
from lucca_lab.kept.progress import KeptMeasurements, Measured, Outcome
from lucca_lab.kept.stores import NAMES, NEVER_FORGET, KeptText, LuccaStore, Store, content_of, stores
from lucca_lab.locomo.data import LocomoDialogue, LocomoQuestion
from lucca_memory.embedding.embedder import Embedder
from lucca_memory.semantic.config import ForgettingConfig
from lucca_memory.semantic.forgetting.compression import Compressor

ENOUGH = 0.9
"""The share of a turn's content words that a kept text must have for the turn to count as kept."""
ASKS = ('end', 'spread')


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
    folder: Path | None = None,
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
        folder: of the run; what was already measured in it is not measured again. None to keep nothing.
        on_progress: called with a message for each step.

    Raises:
        MemoryFault: a memory keeps more than its budget.
        ConfigError: the folder has a run with other settings, or cannot be used.
    """
    names = [name for name in NAMES if name in names or name == 'recency']
    progress = KeptMeasurements(folder)
    progress.begin(
        {
            'dialogues': _digest(dialogues),
            'asks': asks,
            'seed': seed,
            'embedding': embedder.spec,
            'compressor': type(compressor).__name__,
            'general_calls': general_calls,
        }
    )
    table: dict[str, dict[str, Any]] = {}
    for share in budgets:
        for dialogue in dialogues:
            missing = [name for name in names if (share, dialogue.sample_id, name) not in progress.measured]
            if not missing:
                continue
            on_progress(f'{share:g} of {dialogue.sample_id}')
            others = [other for other in dialogues if other is not dialogue]
            budget = int(share * sum(len(line.text.encode()) for line in dialogue.lines))
            made = stores(dialogue, others, embedder, seed, compressor, general_calls)
            for name in missing:
                limit = None if name == NEVER_FORGET else budget
                outcomes = _stream(made[name], name, dialogue, limit, asks, seed, embedder)
                progress.note((share, dialogue.sample_id, name), _measured(made[name], outcomes))
        found = {name: [progress.measured[share, item.sample_id, name] for item in dialogues] for name in names}
        table[f'{share:g}'] = {name: _row(found[name], found['recency']) for name in names}
    return {
        'systems': table,
        'asks': asks,
        'seed': seed,
        'dialogues': len(dialogues),
        'questions': sum(len(dialogue.scored) for dialogue in dialogues),
        'embedding': embedder.spec,
    }


def _digest(dialogues: Sequence[LocomoDialogue]) -> str:
    told = [
        (item.sample_id, item.lines, [(asked.text, sorted(asked.evidence)) for asked in item.scored])
        for item in dialogues
    ]
    return sha256(repr(told).encode('utf-8', 'surrogatepass')).hexdigest()


def _measured(store: Store, outcomes: Sequence[Outcome]) -> Measured:
    if isinstance(store, LuccaStore):
        return Measured(tuple(outcomes), store.size(), store.generals_asked, store.generals_made)
    return Measured(tuple(outcomes), store.size())


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


def _row(memories: Sequence[Measured], recency: Sequence[Measured]) -> dict[str, Any]:
    outcomes = [outcome for memory in memories for outcome in memory.outcomes]
    names = [outcome.sample_id for outcome in outcomes]
    survived = np.array([outcome.survived for outcome in outcomes])
    by_recency = np.array([outcome.survived for memory in recency for outcome in memory.outcomes])
    ratio, spans = _over(survived, by_recency, names)
    row = {
        'evidence_all': round(float(survived.mean()), 4),
        'interval': [round(value, 4) for value in spans[0]],
        'evidence_verbatim': round(float(np.mean([outcome.verbatim for outcome in outcomes])), 4),
        'recall_at_10': round(float(np.mean([outcome.recall for outcome in outcomes])), 4),
        'bytes': sum(memory.size for memory in memories),
        'over_recency': None if ratio is None else round(ratio, 3),
        'over_recency_interval': None if ratio is None else [round(value, 3) for value in spans[1]],
    }
    if asked := sum(memory.generals_asked for memory in memories):
        row |= {'generals_asked': asked, 'generals_made': sum(memory.generals_made for memory in memories)}
    return row


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
