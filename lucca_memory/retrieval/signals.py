"""Ranking signals of the documents of a scope: words, meaning, neighbours, speaker and date, one array each."""

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta

import numpy as np
from numpy.typing import NDArray

from lucca_memory.embedding.embedder import Vectors
from lucca_memory.retrieval.analysis import terms_of
from lucca_memory.retrieval.config import RetrievalConfig
from lucca_memory.retrieval.dates import TimeSpan
from lucca_memory.retrieval.index import NO_TIME, Postings, ScopeIndex
from lucca_memory.retrieval.phrasing import Phrasing
from lucca_memory.retrieval.times import microseconds

Scores = NDArray[np.float32]

_HALF_LIFE = timedelta(days=3)
"""Decay time after a day in which people still talk about it (before the day: half of it)."""

_COMPARED = 5_000
"""Most documents that are compared with each sentence of a message, as this takes time."""


class Signals:
    """The unscaled signals of one question; each array has one score per row."""

    def __init__(self, index: ScopeIndex, phrasing: Phrasing, config: RetrievalConfig) -> None:
        self._index = index
        self._phrasing = phrasing
        self._config = config
        self._groups = index.column('groups')
        self._same_group = np.asarray(self._groups[1:] == self._groups[:-1], np.float32)

    def words(self) -> tuple[Scores, Scores, Scores]:
        """BM25 (Robertson and Zaragoza 2009, eq. 3.15) of each document, of its context, and of its group."""
        index, groups = self._index, self._groups
        alone = np.zeros(len(index), np.float32)
        nearby, grouped = alone.copy(), np.zeros(int(groups[-1]) + 1 if len(index) else 0, np.float32)
        lengths = index.column('lengths').astype(np.float32)
        lengths_nearby = self._with_neighbours(lengths)
        lengths_grouped = np.bincount(groups, lengths).astype(np.float32)
        norms = [self._norm(values) for values in (lengths, lengths_nearby, lengths_grouped)]
        self.attainable = np.zeros(3, np.float32)
        for term, weight in Counter(terms_of(self._phrasing.text)).items():
            found = self._postings(term)
            if not len(found.rows):
                self.attainable += [weight * self._rarity(0, total) for total in (len(index), len(index), len(grouped))]
                continue
            # Dense from here on, as a common word is in most rows and numpy is fastest on whole arrays.
            dense = np.zeros(len(index), np.float32)
            dense[found.rows] = found.counts
            alone += weight * self._bm25(dense, norms[0], len(found.rows), len(index))
            dense = self._with_neighbours(dense)
            near = int(np.count_nonzero(dense))
            nearby += weight * self._bm25(dense, norms[1], near, len(index))
            counts = np.bincount(groups[found.rows], found.counts, len(grouped)).astype(np.float32)
            there = np.flatnonzero(counts)
            grouped[there] += weight * self._bm25(counts[there], norms[2][there], len(there), len(grouped))
            self.attainable += [
                weight * self._rarity(*held)
                for held in ((len(found.rows), len(index)), (near, len(index)), (len(there), len(grouped)))
            ]
        return alone, nearby, np.asarray(grouped[groups], np.float32)

    def meaning(self, query: Vectors) -> tuple[Scores, Scores]:
        """Cosine of the question with each document, and with its context.

        With the vectors of sentences, half of a document's cosine is that of the sentence it is closest to: a message
        that tells several things may be about a document with one of them only. In a large scope, only the closest
        documents are compared with the sentences.

        Args:
            query: the question's vector (d,), or with those of its sentences (1 + s, d); of any lengths.
        """
        rows = np.atleast_2d(query)
        rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        alone = self._index.similarities(rows[0])
        if len(rows) > 1:
            near = np.arange(len(alone))
            if len(alone) > _COMPARED:
                near = np.argpartition(-alone, _COMPARED)[:_COMPARED]
            best = (self._index.vectors_at(near) @ np.asarray(rows[1:], np.float32).T).max(axis=1)
            alone[near] = (alone[near] + best) / 2
        return alone, self._index.pooled(alone)

    def speaker(self) -> Scores:
        """For the rows of each speaker that the question is about, how much it tells that they said it; else 0.

        The information of a speaker in bits, at most 1: 1 for one who said half of the rows or less, little for one who
        said nearly all. Reduced for messages that tell something, as these continue what either one said. A row of one
        counted word counts half, and "I do!" not at all: it tells little of its speaker.
        """
        speakers = self._index.column('speakers')
        told = np.zeros(len(self._index.speakers), np.float32)
        for name in self._phrasing.speakers:
            number = self._index.speakers.index(name)
            share = np.count_nonzero(speakers == number) / max(len(speakers), 1)
            told[number] = min(1.0, np.log2(1 / share)) if share else 1.0
        lengths = self._index.column('lengths').astype(np.float32)
        return np.asarray(np.float32(1 - self._phrasing.telling) * told[speakers] * lengths / (lengths + 1), np.float32)

    def recent(self) -> Scores:
        """How new each row is, scaled by the message's share of telling; 0 for rows that nobody said.

        Age is measured in conversations and in days; the one that makes a row older counts.
        """
        times = self._index.column('times')
        said = self._said()
        dated = (said > 0) & (times != NO_TIME)
        if not dated.any():
            return np.zeros(len(self._index), np.float32)
        newest_us, newest_group = times[dated].max(), self._groups[dated].max()
        days = (newest_us - times.astype(np.float64)) / (timedelta(days=1) / timedelta(microseconds=1))
        conversations = newest_group - self._groups
        halves = np.maximum(conversations / self._config.recent_conversations, days / self._config.recent_days)
        return np.asarray(self._phrasing.telling * said / (1 + np.maximum(halves, 0)), np.float32)

    def opening(self, scores: Scores) -> Scores:
        """For the first document of each group, if somebody said it, the best score in the group, else 0.

        A conversation's first request says what the rest is about, often in words that no question repeats. The first
        entry of a log or the first passage of a file does not. For a question the signal is halved, as it asks for one
        line and not for the topic of a conversation.
        """
        share = np.float32((1 + self._phrasing.telling) / 2)
        begins = np.concatenate([[True], self._same_group == 0])
        return np.asarray(share * begins * self._best_in_group(scores) * self._said(), np.float32)

    def conversation(self, scores: Scores) -> Scores:
        """The best score in each row's group, if somebody said the row, scaled by the message's share of telling."""
        return np.asarray(self._phrasing.telling * self._best_in_group(scores) * self._said(), np.float32)

    def beside(self, scores: Scores) -> Scores:
        """The better score of each row's neighbours in a conversation, to the extent of `context_share`; else 0.

        What answers is often said in two turns: the line beside a good one explains it, asks for it or takes it up.
        """
        there = np.maximum(scores, 0)
        best = np.zeros_like(there)
        best[1:] = self._same_group * there[:-1]
        best[:-1] = np.maximum(best[:-1], self._same_group * there[1:])
        return np.asarray(self.context_share() * best * self._said(), np.float32)

    def context_share(self) -> Scores:
        """The share of the context in a document's nearby score: 1 for a document without words, half at
        `context_words`.

        A long document contains its own context, and its neighbours would only blur it.
        """
        most = np.float32(self._config.context_words)
        return np.asarray(most / (most + self._index.column('lengths')), np.float32)

    def date(self, spans: Sequence[TimeSpan]) -> Scores:
        """1 within a time span of the question, decaying around it, as people talk about a day afterwards."""
        times = self._index.column('times')
        best = np.zeros(len(times), np.float32)
        for span in spans:
            begin, end = map(microseconds, (span.begin, span.end))
            after, before = np.maximum(times - end, 0), np.maximum(begin - times, 0)
            away = (after + 2 * before) / (_HALF_LIFE / timedelta(microseconds=1))
            best = np.maximum(best, np.exp2(-np.minimum(away, 60)).astype(np.float32))
        return np.where(times == NO_TIME, np.float32(0), best)

    def _postings(self, term: int) -> Postings:
        """Where a term occurs. A word in the name of a speaker whom the question names is in every row of theirs: who
        said a row is worth the more, the fewer rows that is."""
        found, speakers = self._index.postings(term), self._index.speakers
        about = self._phrasing.speakers if self._phrasing.named else ()
        numbers = [speakers.index(name) for name in about if term in terms_of(name)]
        if not numbers:
            return found
        has_term = np.zeros(len(speakers), np.float32)
        has_term[numbers] = 1
        counts = has_term[self._index.column('speakers')]
        counts[found.rows] += found.counts
        rows = np.flatnonzero(counts).astype(np.int32)
        return Postings(rows, counts[rows])

    def _best_in_group(self, scores: Scores) -> Scores:
        first = np.flatnonzero(np.concatenate([[True], self._same_group == 0]))
        return np.asarray(np.maximum.reduceat(scores, first)[self._groups], np.float32)

    def _said(self) -> Scores:
        """1 for rows that somebody said, 0 for those of logs and files."""
        said = np.array([name != '' for name in self._index.speakers], np.float32)
        return np.asarray(said[self._index.column('speakers')], np.float32)

    def _with_neighbours(self, values: Scores) -> Scores:
        """Each value plus those of its two neighbours in the group."""
        total = values.copy()
        total[1:] += self._same_group * values[:-1]
        total[:-1] += self._same_group * values[1:]
        return total

    def _norm(self, lengths: Scores) -> Scores:
        mean = max(float(lengths.mean()) if len(lengths) else 0.0, 1.0)
        return np.asarray(self._config.k1 * (1 - self._config.b + self._config.b * lengths / mean), np.float32)

    def _rarity(self, with_term: int, total: int) -> np.float32:
        return np.float32(np.log1p((total - with_term + 0.5) / (with_term + 0.5)))

    def _bm25(self, counts: Scores, norms: Scores, with_term: int, total: int) -> Scores:
        rarity = self._rarity(with_term, total)
        share = counts + norms
        np.divide(counts, share, out=share)
        share *= rarity * np.float32(self._config.k1 + 1)
        return share


def scaled(scores: Scores, least_best: float = 0.0) -> Scores:
    """Scales scores linearly to between 0 and 1 (the best in the scope).

    Args:
        scores: 0 or less for rows without support.
        least_best: the best score is assumed to be at least this, so that noise among few rows is not amplified.
    """
    low = min(float(scores.min(initial=0.0)), 0.0)
    spread = max(float(scores.max(initial=0.0)), least_best) - low
    return np.asarray((scores - low) / spread, np.float32) if spread > 0 else np.zeros_like(scores)
