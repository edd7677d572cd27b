"""Ranking documents by the weighted sum of signals, with newer versions of a statement before older ones."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lucca_memory.embedding.embedder import Vectors
from lucca_memory.retrieval.analysis import asks_of_event, asks_of_past, asks_of_state, asks_when
from lucca_memory.retrieval.config import RetrievalConfig
from lucca_memory.retrieval.dates import TimeSpan
from lucca_memory.retrieval.enough import enough
from lucca_memory.retrieval.index import NO_TIME, Ints, ScopeIndex
from lucca_memory.retrieval.phrasing import Phrasing
from lucca_memory.retrieval.signals import Scores, Signals, scaled
from lucca_memory.retrieval.times import microseconds
from lucca_memory.retrieval.values import Hit

_LEAST_BEST = 0.2
"""Lower cosines carry no information."""


def signals_of(
    index: ScopeIndex, phrasing: Phrasing, query: Vectors | None, spans: Sequence[TimeSpan], config: RetrievalConfig
) -> dict[str, Scores]:
    """Every signal by name, scaled within the scope; without a query vector, those of meaning are missing."""
    raw = Signals(index, phrasing, config)
    words, words_nearby, group_words = raw.words()
    found = {
        'words': scaled(words, float(raw.attainable[0])),
        'words_nearby': scaled(words_nearby, float(raw.attainable[1])),
        'group_words': scaled(group_words, float(raw.attainable[2])),
        'speaker': raw.speaker(),
        'tells': index.column('tells'),
    }
    if asks_when(phrasing.without_names):
        found['tells_when'] = np.asarray(index.column('dated'), np.float32)
    if spans:
        found['date'] = raw.date(spans)
    if query is not None and query.size and index.has_vector.any():
        meaning, meaning_nearby = raw.meaning(query)
        # Documents without a vector are ranked by words alone, not as if they had a cosine of 0.
        known = index.has_vector
        found['meaning'] = np.where(known, scaled(meaning, _LEAST_BEST), found['words'])
        found['meaning_nearby'] = np.where(known, scaled(meaning_nearby, _LEAST_BEST), found['words_nearby'])
    if said := index.names.said_in(phrasing.without_names):
        found['named'] = np.zeros(len(index), np.float32)
        found['named'][list(said)] = 1
    share = raw.context_share()
    for alone, nearby in (('words', 'words_nearby'), ('meaning', 'meaning_nearby')):
        if nearby in found:
            found[nearby] = share * found[nearby] + (1 - share) * found[alone]
    found['opening'] = raw.opening(found.get('meaning', found['words']))
    if phrasing.telling:
        both = (found['words_nearby'] + found.get('meaning_nearby', found['words_nearby'])) / 2
        found['conversation'] = raw.conversation(both)
        found['recent'] = raw.recent()
    return found


def rank(
    index: ScopeIndex,
    phrasing: Phrasing,
    query: Vectors | None,
    spans: Sequence[TimeSpan],
    config: RetrievalConfig,
    limit: int,
    *,
    only_enough: bool = False,
) -> list[Hit]:
    """The best documents of an index, best first, at most `limit`.

    Args:
        query: the question's vector (d,), or with those of its sentences (1 + s, d); None to rank by words alone.
        spans: the time spans that the question mentions.
        only_enough: leave out documents that do not answer; see enough.py.
    """
    if not len(index):
        return []
    if only_enough:
        # To be by or about somebody is no answer.
        phrasing = replace(phrasing, text=phrasing.without_names)
    signals = signals_of(index, phrasing, query, spans, config)
    weights = {name: np.float32(getattr(config, name)) for name in signals}
    recent = signals.pop('recent', None)
    total = np.zeros(len(index), np.float32)
    for name, scores in signals.items():
        total += weights[name] * scores
    if recent is not None:
        # A share of the other signals, so that new documents that are unrelated to the message do not rise.
        signals['recent'] = recent * total
        total += weights['recent'] * signals['recent']
    weights['beside'] = np.float32(config.beside)
    signals['beside'] = Signals(index, phrasing, config).beside(total)
    total += weights['beside'] * signals['beside']
    rows = best_rows(total, max(limit, config.newest_first_among))
    # Questions about a certain time, the past or an event do not want the newest statement first.
    asked = phrasing.without_names
    current = asks_of_state(asked) if phrasing.own else not asks_of_past(asked) and not asks_of_event(asked)
    if current and all(_reaches_now(index, span) for span in spans):
        rows = newest_first(index, rows, total[rows], config, own=phrasing.own)
    rows = rows[:limit]
    if only_enough:
        rows = _enough(index, phrasing, query, rows, total, signals, config)
    names = list(signals)
    parts = np.stack([weights[name] * signals[name][rows] for name in names], axis=1)
    return [
        Hit(key, score, _why(names, shares))
        for key, score, shares in zip(
            index.column('keys')[rows].tolist(), total[rows].tolist(), parts.tolist(), strict=True
        )
    ]


def _reaches_now(index: ScopeIndex, span: TimeSpan) -> bool:
    """Whether a span, such as "this year", has no end before the newest document, so that it is about the present."""
    return bool(microseconds(span.end) >= index.column('times').max())


def _enough(
    index: ScopeIndex,
    phrasing: Phrasing,
    query: Vectors | None,
    rows: Ints,
    total: Scores,
    signals: Mapping[str, Scores],
    config: RetrievalConfig,
) -> Ints:
    asked = phrasing.without_names
    meaning = np.zeros(len(index), np.float32)
    if query is not None and query.size:
        whole = np.atleast_2d(query)[0]
        meaning = index.similarities(whole / max(float(np.linalg.norm(whole)), 1e-9))
    named = index.names.said_in(asked)
    return enough(index, rows, total, (signals['words'], meaning), named, asks_of_past(asked), config)


def best_rows(scores: Scores, count: int) -> Ints:
    """Rows of the highest scores, best first; of equal scores the older row."""
    count = min(count, len(scores))
    rows = np.argpartition(-scores, count - 1)[:count] if count < len(scores) else np.arange(len(scores))
    return np.asarray(rows[np.lexsort((rows, -scores[rows]))], np.int64)


def newest_first(index: ScopeIndex, rows: Ints, scores: Scores, config: RetrievalConfig, *, own: bool = False) -> Ints:
    """The rows, with versions of one statement sorted newest first within the places they occupy.

    Versions are lines of one speaker with similar vectors and similar scores: "I live in Bonn", "I live in Kiel now".
    People who ask about themselves (`own`) want the current state, so less similarity suffices. Rows after the first
    `newest_first_among` keep their places.
    """
    head = rows[: config.newest_first_among]
    if len(head) < 2 or not index.dimensions:
        return rows
    vectors = index.vectors_at(head)
    speakers = index.column('speakers')[head]
    likeness, share = (config.own_same_subject, config.own_as_good) if own else (config.same_subject, config.as_good)
    alike = (vectors @ vectors.T >= likeness) & (speakers[:, None] == speakers)
    # Without times, no row is newer than another.
    alike &= index.column('times')[head] != NO_TIME
    alike &= scores[None, : len(head)] >= share * scores[: len(head), None]
    order = _newest_first_within(alike, head)
    return np.concatenate([order, rows[len(head) :]])


def _newest_first_within(alike: NDArray[np.bool_], rows: Ints) -> Ints:
    placed = list(range(len(rows)))
    for place in range(len(rows)):
        versions = [later for later in range(place + 1, len(rows)) if alike[placed[place], placed[later]]]
        newest = max([place, *versions], key=lambda at: rows[placed[at]])
        if newest != place:
            # The newer row moves in front of the older one; the rows between them keep their order.
            placed.insert(place, placed.pop(newest))
    return rows[placed]


def _why(names: Sequence[str], parts: Sequence[float]) -> tuple[tuple[str, float], ...]:
    told = [(name, part) for name, part in zip(names, parts, strict=True) if part > 0]
    return tuple(sorted(told, key=lambda item: -item[1]))
