"""Summaries as memories to recall, separate for each person."""

import threading
from dataclasses import replace

from lucca_core.protocol.remembered import Recollection
from lucca_memory.embedding.embedder import Embedder
from lucca_memory.people.memory import PeopleMemory
from lucca_memory.people.values import Person
from lucca_memory.retrieval.growing_texts import GrowingTexts
from lucca_memory.retrieval.values import Document, Question


class LongTermMemory:
    """Finds summaries of one person at a time. Safe to use from several threads.

    A summary is held back while any of its lines is forgotten, as it may say what must no longer be told.
    """

    def __init__(self, memory: PeopleMemory, embedder: Embedder) -> None:
        self._memory = memory
        self._embedder = embedder
        self._lock = threading.Lock()
        self._of: dict[int, GrowingTexts] = {}

    def recall(self, person: Person, question: Question) -> tuple[Recollection, ...]:
        """The summaries that answer a question, best first; a guest has none."""
        if person.is_guest:
            return ()
        away = [item.line.line_id for item in self._memory.forgotten(person)]
        summaries = self._memory.long_term(person)
        with self._lock:
            texts = self._of.setdefault(person.person_id, GrowingTexts(self._embedder))
        texts.add(
            [Document(key=item.summary_id, group='summaries', text=item.text, time=item.time) for item in summaries]
        )
        known = {
            item.summary_id: item
            for item in summaries
            if not any(item.first_line <= line <= item.last_line for line in away)
        }
        # Search for more, so that summaries held back leave no gap.
        question = replace(question, limit=question.limit + len(summaries) - len(known))
        return tuple(
            Recollection(
                kind='summary',
                item_id=f'summary:{hit.key}',
                text=known[hit.key].text,
                source=f'summary of {known[hit.key].time:%Y-%m-%d}',
                score=hit.score,
                why=tuple(name for name, _ in hit.why),
                time=known[hit.key].time,
            )
            for hit in texts.search(question)
            if hit.key in known
        )

    def embed_missing(self, most: int) -> int:
        """Embeds some summaries that have no vector yet, of people who were asked about; returns how many.

        Raises:
            ModelError: the embedder failed.
        """
        with self._lock:
            opened = list(self._of.values())
        return next((count for texts in opened if (count := texts.embed_missing(most))), 0)
