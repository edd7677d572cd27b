"""The ranking signals of every line for each question, kept in a file, so that weights can be tried afterwards.

With them, weights can be chosen on some sets of dialogues and measured on another one, without a model.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lucca_core.archive_errors import DAMAGED_ARCHIVE
from lucca_core.errors import ConfigError, MemoryFault
from lucca_lab.locomo.data import LocomoDialogue, LocomoQuestion, SaidLine
from lucca_lab.locomo.replay import question_of, speaker_of
from lucca_memory.embedding.embedder import Embedder
from lucca_memory.people.values import ROBOT, Person
from lucca_memory.retrieval.config import RetrievalConfig
from lucca_memory.retrieval.dates import spans_in
from lucca_memory.retrieval.index import ScopeIndex
from lucca_memory.retrieval.phrasing import phrase
from lucca_memory.retrieval.ranking import signals_of
from lucca_memory.retrieval.values import Document

WEIGHTED = (
    'words',
    'words_nearby',
    'meaning',
    'meaning_nearby',
    'opening',
    'conversation',
    'group_words',
    'speaker',
    'date',
    'tells_when',
    'tells',
)
"""Signals whose weighted sum is the score of a line; each is also the name of its weight in `RetrievalConfig`."""

RECENT = 'recent'
"""The signal that raises the score by a share."""

FIRST = 10


@dataclass(frozen=True, slots=True)
class SignalTable:
    """The signals of the lines that one question may find.

    Attributes:
        signals: shape (lines, signals), in the order of `WEIGHTED` and then `RECENT`.
        is_evidence: shape (lines,).
    """

    sample_id: str
    signals: NDArray[np.float32]
    is_evidence: NDArray[np.bool_]

    def recall(self, weights: NDArray[np.float32]) -> float:
        """The share of the evidence among the first ten lines by these weights, in the order of `signals`."""
        scores = (self.signals[:, :-1] @ weights[:-1]) * (1 + weights[-1] * self.signals[:, -1])
        first = np.argpartition(-scores, FIRST)[:FIRST] if len(scores) > FIRST else slice(None)
        return float(self.is_evidence[first].sum() / self.is_evidence.sum())


class SignalKeeper:
    """Follows a dialogue as a person's memory does, and computes the signals of its questions."""

    def __init__(self, dialogue: LocomoDialogue, person: Person, embedder: Embedder) -> None:
        self._dialogue = dialogue
        self._person = person
        self._embedder = embedder
        self._index = ScopeIndex(embedder.dimensions)
        self._dia_ids: list[str] = []

    def add(self, lines: Sequence[SaidLine]) -> None:
        """Adds lines that were said.

        Raises:
            LuccaError: the embedder failed.
        """
        first = len(self._dia_ids) + 1
        self._index.add(
            Document(
                key=key,
                group=str(line.session),
                text=line.text,
                speaker=speaker_of(self._dialogue, line, self._person),
                time=line.time,
            )
            for key, line in enumerate(lines, first)
        )
        self._index.set_vectors(dict(enumerate(self._embedder.embed([line.text for line in lines]), first)))
        self._dia_ids += [line.dia_id for line in lines]

    def table(self, asked: LocomoQuestion) -> SignalTable:
        """The signals of every line so far for a question.

        Raises:
            LuccaError: the embedder failed.
        """
        if not self._dia_ids:
            return SignalTable(
                self._dialogue.sample_id, np.zeros((0, len(WEIGHTED) + 1), np.float32), np.zeros(0, np.bool_)
            )
        question = question_of(self._dialogue, asked, self._person, FIRST)
        phrasing = phrase(question.text, self._index.speakers, asker=question.asker, robot=ROBOT)
        vector = None
        if self._embedder.dimensions:
            both = self._embedder.embed([phrasing.without_names, phrasing.first_person])
            vector = np.asarray(both.mean(axis=0), np.float32)
        spans = spans_in(question.text, question.now)
        found = signals_of(self._index, phrasing, vector, spans, RetrievalConfig())
        missing = np.zeros(len(self._index), np.float32)
        signals = np.stack([found.get(name, missing) for name in (*WEIGHTED, RECENT)], axis=1)
        is_evidence = np.array([name in asked.evidence for name in self._dia_ids], np.bool_)
        return SignalTable(self._dialogue.sample_id, np.asarray(signals, np.float32), is_evidence)


def weights_of(config: RetrievalConfig) -> NDArray[np.float32]:
    """The weights of a configuration, in the order of the signals."""
    return np.array([getattr(config, name) for name in (*WEIGHTED, RECENT)], np.float32)


def save_signals(file: Path, tables: Sequence[SignalTable]) -> None:
    """Writes the tables of all questions whose evidence is among their lines.

    Raises:
        MemoryFault: the file could not be written.
    """
    kept = [table for table in tables if table.is_evidence.any()]
    signals = np.concatenate([np.zeros((0, len(WEIGHTED) + 1), np.float32), *(table.signals for table in kept)])
    arrays: Mapping[str, NDArray[np.generic]] = {
        'names': np.array([*WEIGHTED, RECENT]),
        'samples': np.array([table.sample_id for table in kept]),
        'lengths': np.array([len(table.is_evidence) for table in kept], np.int64),
        'signals': signals.astype('f2'),
        'is_evidence': np.concatenate([np.zeros(0, np.bool_), *(table.is_evidence for table in kept)]),
    }
    try:
        with file.open('wb') as opened:
            np.savez_compressed(opened, **arrays)  # type: ignore[arg-type]
    except OSError as error:
        raise MemoryFault(f'{file} could not be written: {error}') from error


def load_signals(file: Path) -> list[SignalTable]:
    """Reads the tables that `save_signals` wrote.

    Raises:
        ConfigError: the file is missing, damaged or has other signals.
    """
    try:
        with np.load(file, allow_pickle=False) as kept:
            names, samples = kept['names'].tolist(), kept['samples'].tolist()
            if not samples:
                return []
            ends = np.cumsum(kept['lengths'])[:-1]
            signals = np.split(kept['signals'].astype(np.float32), ends)
            evidence = np.split(kept['is_evidence'], ends)
    except DAMAGED_ARCHIVE as error:
        raise ConfigError(f'these are no saved signals: {error!r}', file=str(file)) from error
    if names != [*WEIGHTED, RECENT]:
        raise ConfigError(f'the signals must be {[*WEIGHTED, RECENT]}, got {names}', file=str(file))
    return [SignalTable(*values) for values in zip(samples, signals, evidence, strict=True)]
