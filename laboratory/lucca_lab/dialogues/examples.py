"""The signals of the best lines for every question, on any set of dialogues.

They are those of the shipped retriever, computed without the store, so that weights can be fitted to them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from lucca_lab.locomo.data import LocomoDialogue, LocomoQuestion, SaidLine
from lucca_lab.locomo.refit import CANDIDATES, Example
from lucca_lab.locomo.replay import in_order, question_of, told_of
from lucca_lab.locomo.run import SIGNALS as LOCOMO_SIGNALS
from lucca_lab.locomo.scoring import Ranked
from lucca_memory.embedding.embedder import Embedder
from lucca_memory.people.values import ROBOT, Person
from lucca_memory.retrieval.config import RetrievalConfig
from lucca_memory.retrieval.dates import spans_asked_for
from lucca_memory.retrieval.index import ScopeIndex
from lucca_memory.retrieval.library import query_vectors
from lucca_memory.retrieval.phrasing import phrase
from lucca_memory.retrieval.ranking import best_rows, signals_of
from lucca_memory.retrieval.signals import Signals
from lucca_memory.retrieval.values import Document

SIGNALS = (*LOCOMO_SIGNALS, 'opening', 'conversation', 'recent', 'beside')
"""The signals whose weights are fitted: all but `named`, which lines of a dialogue do not have."""


def shipped_weights() -> np.ndarray:
    """The shipped weights of `SIGNALS`."""
    return np.array([getattr(RetrievalConfig(), name) for name in SIGNALS])


def examples_of(dialogues: Sequence[LocomoDialogue], embedder: Embedder) -> list[Example]:
    """The signals of every question's best lines by the shipped weights.

    Raises:
        LuccaError: the embedder failed.
    """
    return [example for dialogue in dialogues for example in _Replay(dialogue, embedder).examples()]


@dataclass(slots=True)
class _Replay:
    """A dialogue whose questions are asked in order, each knowing only the sessions that it may."""

    dialogue: LocomoDialogue
    embedder: Embedder
    lines: list[SaidLine] = field(default_factory=list)

    def examples(self) -> list[Example]:
        index = ScopeIndex(self.embedder.dimensions)
        found = []
        for session, questions in in_order(self.dialogue):
            self._hear(index, session)
            found += [self._example(index, asked) for asked in questions if self.lines]
        return found

    @property
    def _person(self) -> Person:
        return Person(person_id=1, name=f'dialogue {self.dialogue.sample_id}', since=self.dialogue.lines[0].time)

    def _hear(self, index: ScopeIndex, session: Sequence[SaidLine]) -> None:
        first = len(self.lines) + 1
        told = [told_of(self.dialogue, line, self._person) for line in session]
        index.add(
            Document(key=key, group=turn.conversation, text=turn.utterance, speaker=turn.speaker, time=turn.time)
            for key, turn in enumerate(told, first)
        )
        if told and self.embedder.dimensions:
            index.set_vectors(dict(enumerate(self.embedder.embed([turn.utterance for turn in told]), first)))
        self.lines += session

    def _example(self, index: ScopeIndex, asked: LocomoQuestion) -> Example:
        question = question_of(self.dialogue, asked, self._person, CANDIDATES)
        phrasing = phrase(asked.text, index.speakers, asker=question.asker, robot=ROBOT)
        vector = None
        if self.embedder.dimensions:
            vector = query_vectors(phrasing, self.embedder)
        spans = spans_asked_for(asked.text, question.now)
        found = signals_of(index, phrasing, vector, spans, RetrievalConfig())
        nothing = np.zeros(len(index), np.float32)
        columns = np.stack([found.get(name, nothing) for name in SIGNALS], axis=1)
        weights, recent, beside = shipped_weights().astype(np.float32), SIGNALS.index('recent'), SIGNALS.index('beside')
        # In the ranking, newness counts as a share of the signals before, and neighbours by all that they have.
        columns[:, recent] *= columns[:, :recent] @ weights[:recent]
        total = np.asarray(columns[:, :beside] @ weights[:beside], np.float32)
        columns[:, beside] = Signals(index, phrasing, RetrievalConfig()).beside(total)
        best = best_rows(np.asarray(columns @ weights, np.float32), CANDIDATES)
        names = tuple(self.lines[row].dia_id for row in best)
        is_evidence = np.array([name in asked.evidence for name in names])
        return Example(Ranked(self.dialogue.sample_id, asked, names), columns[best], names, is_evidence)
