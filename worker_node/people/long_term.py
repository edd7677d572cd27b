"""Summaries as memories to recall, separate for each person."""

import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from lucca_core.protocol.remembered import Recollection
from lucca_memory.embedding.embedder import Embedder
from lucca_memory.item_ids import SAID
from lucca_memory.people.memory import PeopleMemory
from lucca_memory.people.values import Person, Summary
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
        hits = [hit for hit in texts.search(question) if hit.key in known]
        told = self._times(person, [known[hit.key] for hit in hits])
        return tuple(
            Recollection(
                kind='summary',
                item_id=f'summary:{hit.key}',
                text=known[hit.key].text,
                source=f'summary of {told[hit.key]:%Y-%m-%d}',
                score=hit.score,
                why=tuple(name for name, _ in hit.why),
                time=told[hit.key],
            )
            for hit in hits
        )

    def _times(self, person: Person, summaries: Sequence[Summary]) -> dict[int, datetime]:
        """When the last of its lines was said, by the number of each summary.

        That may be weeks before the summary was made, and "yesterday" in it is the day before its lines.
        """
        last = [f'{SAID}{item.last_line}' for item in summaries]
        said = {line.line_id: line.time for line in self._memory.lines(person, last)} if last else {}
        return {item.summary_id: said.get(item.last_line, item.time) for item in summaries}

    def embed_missing(self, most: int) -> int:
        """Embeds some summaries that have no vector yet, of people who were asked about; returns how many.

        Raises:
            ModelError: the embedder failed.
        """
        with self._lock:
            opened = list(self._of.values())
        return next((count for texts in opened if (count := texts.embed_missing(most))), 0)
