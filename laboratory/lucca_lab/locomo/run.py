"""The experiment of `lucca eval locomo`: the shipped retriever, baselines, ablations and fitted weights.

The shipped row uses the whole memory: each line of a dialogue is stored as a turn of one person, and each question is
put to that person's memory.
"""

import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from lucca_lab.locomo.baselines import DEPTH, baselines
from lucca_lab.locomo.data import LocomoDialogue
from lucca_lab.locomo.refit import CANDIDATES, Example, leave_one_out
from lucca_lab.locomo.replay import person_of, question_of, told_of
from lucca_lab.locomo.scoring import Ranked, by_category, interval, recalls, rounded
from lucca_memory.data_folder import DataFolder
from lucca_memory.embedding.embedder import Embedder, Vectors
from lucca_memory.people.memory import PeopleMemory
from lucca_memory.people.opening import open_people, open_store
from lucca_memory.people.person_source import scope_of, source_of_scope
from lucca_memory.people.store import PeopleStore
from lucca_memory.people.values import ROBOT
from lucca_memory.retrieval.config import RetrievalConfig
from lucca_memory.retrieval.dates import spans_asked_for
from lucca_memory.retrieval.index import ScopeIndex
from lucca_memory.retrieval.library import Library
from lucca_memory.retrieval.phrasing import phrase
from lucca_memory.retrieval.ranking import best_rows, rank, signals_of
from lucca_memory.retrieval.values import Document, Question

SIGNALS = (
    'words',
    'words_nearby',
    'group_words',
    'meaning',
    'meaning_nearby',
    'speaker',
    'date',
    'tells_when',
    'tells',
)
MANY_LINES = 10_000
TIMED_QUESTIONS = 200

ABLATIONS: dict[str, dict[str, float]] = {
    'without words alone': {'words': 0.0},
    'without words nearby': {'words_nearby': 0.0},
    'without group': {'group_words': 0.0},
    'without meaning alone': {'meaning': 0.0},
    'without meaning nearby': {'meaning_nearby': 0.0},
    'without neighbours': {'words_nearby': 0.0, 'meaning_nearby': 0.0, 'group_words': 0.0, 'beside': 0.0},
    'without speaker': {'speaker': 0.0},
    'without date': {'date': 0.0},
    'without telling when, and telling': {'tells_when': 0.0, 'tells': 0.0},
    'without newest first': {'newest_first_among': 0},
    'words only': {'meaning': 0.0, 'meaning_nearby': 0.0, 'newest_first_among': 0},
    'meaning only': {'words': 0.0, 'words_nearby': 0.0, 'group_words': 0.0},
}
"""The retriever settings that each row of the table changes."""


@dataclass(slots=True)
class LocomoReport:
    """All measurements. `rankings` are those of the shipped retriever, with 50 lines for each question."""

    rankings: list[Ranked]
    baselines: dict[str, list[Ranked]] = field(default_factory=dict)
    ablations: dict[str, list[Ranked]] = field(default_factory=dict)
    refit: list[Ranked] = field(default_factory=list)
    query_ms: dict[str, float] = field(default_factory=dict)
    write_ms: dict[str, float] = field(default_factory=dict)
    embedding: str = ''

    def as_json(self) -> dict[str, Any]:
        """The figures, rounded to four decimal places."""
        low, high = interval(self.rankings)
        return rounded(
            {
                **recalls(self.rankings),
                'interval_at_10': [round(low, 4), round(high, 4)],
                'questions': len(self.rankings),
                'dialogues': len({item.sample_id for item in self.rankings}),
                'embedding': self.embedding,
                'by_category': by_category(self.rankings),
                'baselines': {name: recalls(ranked) for name, ranked in self.baselines.items()},
                'leave_one_out': recalls(self.refit) if self.refit else None,
                'ablations': {name: recalls(ranked) for name, ranked in self.ablations.items()},
                'query_ms': self.query_ms,
                'write_ms': self.write_ms,
            }
        )


def evaluate(
    dialogues: Sequence[LocomoDialogue],
    embedder: Embedder,
    *,
    full: bool = True,
    on_progress: Callable[[str], None] = lambda _: None,
) -> LocomoReport:
    """Measures the shipped retriever and, with `full`, everything that it is compared with.

    Args:
        dialogues: the dialogues; at least two are needed for the row with fitted weights.
        embedder: the memory's embedder.
        full: whether to measure baselines, ablations and the fit too.
        on_progress: called with a message for each step.
    """
    with (
        tempfile.TemporaryDirectory(prefix='lucca-locomo-') as name,
        DataFolder.open(Path(name), write=True) as folder,
    ):
        store = open_store(folder)
        with open_people(folder, embedder, store=store) as memory:
            on_progress(f'remembering {sum(len(dialogue.lines) for dialogue in dialogues)} lines')
            dia_ids, write_s = _remember(memory, dialogues)
            on_progress(f'asking {sum(len(dialogue.scored) for dialogue in dialogues)} questions')
            report = LocomoReport(_ask(memory, dialogues, dia_ids), embedding=embedder.spec)
            report.write_ms = _percentiles(write_s)
            bench = _LocomoBench(store, embedder, dialogues, dia_ids, memory)
            report.query_ms = bench.query_ms()
            if full:
                on_progress('baselines')
                report.baselines = baselines(dialogues, embedder)
                on_progress('ablations')
                report.ablations = {
                    name: bench.ranked(replace(RetrievalConfig(), **changes))  # type: ignore[arg-type]
                    for name, changes in ABLATIONS.items()
                }
                if len(dialogues) > 1:
                    on_progress('weights fitted leaving one dialogue out')
                    shipped = np.array([getattr(RetrievalConfig(), signal) for signal in SIGNALS])
                    report.refit = leave_one_out(bench.examples(), shipped)
    return report


def _remember(memory: PeopleMemory, dialogues: Sequence[LocomoDialogue]) -> tuple[dict[int, str], list[float]]:
    dia_ids, seconds = {}, []
    for dialogue in dialogues:
        person = person_of(memory, dialogue)
        for line in dialogue.lines:
            told = told_of(dialogue, line, person)
            start = time.perf_counter()
            turn = memory.remember(person, told)
            seconds.append(time.perf_counter() - start)
            dia_ids[turn.utterance.line_id] = line.dia_id
    return dia_ids, seconds


def _ask(memory: PeopleMemory, dialogues: Sequence[LocomoDialogue], dia_ids: dict[int, str]) -> list[Ranked]:
    ranked = []
    for dialogue in dialogues:
        person = person_of(memory, dialogue)
        for asked in dialogue.scored:
            recalled = memory.recall(person, question_of(dialogue, asked, person, DEPTH))
            names = tuple(dia_ids[int(item.item_id.removeprefix('said:'))] for item in recalled)
            ranked.append(Ranked(dialogue.sample_id, asked, names))
    return ranked


@dataclass(slots=True)
class _LocomoBench:
    """Asks about the same lines again with other settings. The vectors of the questions are computed only once."""

    store: PeopleStore
    embedder: Embedder
    dialogues: Sequence[LocomoDialogue]
    dia_ids: dict[int, str]
    memory: PeopleMemory
    _vectors: dict[tuple[str, str], Vectors | None] = field(default_factory=dict)

    def ranked(self, config: RetrievalConfig) -> list[Ranked]:
        """The ranking of every question with other settings."""
        library = Library(source_of_scope(self.store), self.embedder, config, robot=ROBOT)
        ranked = []
        for dialogue in self.dialogues:
            person = person_of(self.memory, dialogue)
            for asked in dialogue.scored:
                question = question_of(dialogue, asked, person, DEPTH)
                hits = library.search_with(
                    scope_of(person), question, self._vector(library, scope_of(person), question)
                )
                names = tuple(self.dia_ids[hit.key] for hit in hits)
                ranked.append(Ranked(dialogue.sample_id, asked, names))
        return ranked

    def examples(self) -> list[Example]:
        """The signals of every question's candidates."""
        examples = []
        for dialogue in self.dialogues:
            index, rows = self._index(dialogue), np.arange(len(dialogue.lines))
            person = person_of(self.memory, dialogue)
            for asked in dialogue.scored:
                question = question_of(dialogue, asked, person, DEPTH)
                phrasing = phrase(asked.text, index.speakers, asker=question.asker, robot=ROBOT)
                spans = spans_asked_for(asked.text, question.now)
                found = signals_of(
                    index, phrasing, self._vectors.get((scope_of(person), asked.text)), spans, RetrievalConfig()
                )
                signals = np.stack([found.get(name, np.zeros(len(index), np.float32)) for name in SIGNALS], axis=1)
                weights = np.array([getattr(RetrievalConfig(), name) for name in SIGNALS], np.float32)
                best = rows[best_rows(np.asarray(signals @ weights, np.float32), CANDIDATES)]
                names = tuple(dialogue.lines[row].dia_id for row in best)
                is_evidence = np.array([name in asked.evidence for name in names])
                examples.append(Example(Ranked(dialogue.sample_id, asked, names), signals[best], names, is_evidence))
        return examples

    def query_ms(self) -> dict[str, float]:
        """Time of a search without the encoder, in each dialogue and in one memory of 10,000 lines (ms)."""
        library = Library(source_of_scope(self.store), self.embedder, robot=ROBOT)
        seconds, many_seconds = [], []
        many = self._many_lines()
        for dialogue in self.dialogues:
            person = person_of(self.memory, dialogue)
            for asked in dialogue.scored[: TIMED_QUESTIONS // len(self.dialogues) + 1]:
                question = question_of(dialogue, asked, person, DEPTH)
                vector = self._vector(library, scope_of(person), question)
                start = time.perf_counter()
                library.search_with(scope_of(person), question, vector)
                between = time.perf_counter()
                rank(
                    many,
                    phrase(asked.text, many.speakers, asker=question.asker, robot=ROBOT),
                    vector,
                    spans_asked_for(asked.text, question.now),
                    RetrievalConfig(),
                    DEPTH,
                )
                seconds.append(between - start)
                many_seconds.append(time.perf_counter() - between)
        at_many = {f'{name}_at_{MANY_LINES}': value for name, value in _percentiles(many_seconds).items()}
        return _percentiles(seconds) | at_many

    def _vector(self, library: Library, scope: str, question: Question) -> Vectors | None:
        key = (scope, question.text)
        if key not in self._vectors:
            self._vectors[key] = library.vector_of(scope, question)
        return self._vectors[key]

    def _index(self, dialogue: LocomoDialogue, shift: int = 0, into: ScopeIndex | None = None) -> ScopeIndex:
        index = ScopeIndex(self.embedder.dimensions) if into is None else into
        person = person_of(self.memory, dialogue)
        lines = self.store.lines(person.person_id)
        index.add(
            Document(
                key=line.line_id + shift,
                group=f'{shift}/{line.conversation}',
                text=line.text,
                speaker=line.speaker,
                time=line.time,
            )
            for line in lines
        )
        known = self.store.vectors(person.person_id, self.embedder.spec)
        index.set_vectors({key + shift: vector for key, vector in known.items()})
        return index

    def _many_lines(self) -> ScopeIndex:
        """All dialogues, repeated, as the memory of one person."""
        index = ScopeIndex(self.embedder.dimensions)
        total = max(self.dia_ids)
        for number in range(MANY_LINES):
            dialogue = self.dialogues[number % len(self.dialogues)]
            if len(index) + len(dialogue.lines) > MANY_LINES:
                break
            self._index(dialogue, shift=number // len(self.dialogues) * total, into=index)
        return index


def _percentiles(seconds: Sequence[float]) -> dict[str, float]:
    low, high = 1e3 * np.percentile(seconds, [50, 95])
    return {'p50': float(low), 'p95': float(high)}
