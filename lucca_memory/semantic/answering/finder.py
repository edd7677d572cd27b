"""Finding the nodes that answer a question: by meaning, by spreading activation, and by importance.

S(v, Q) = cos(E(v), E(Q)) selects the seeds (the paper, section 1.4 b). Activation spreads from the concepts of the
question and of the best seeds (Collins and Loftus 1975), weighted by how informative each link is.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lucca_memory.embedding.embedder import Vectors
from lucca_memory.semantic.config import SemanticConfig
from lucca_memory.semantic.graph.change import CONCEPT, EdgeKind
from lucca_memory.semantic.graph.nearest import Nearest
from lucca_memory.semantic.graph.network import Floats, Ints, Mask, Network
from lucca_memory.semantic.language.extraction import Mention, concept_key
from lucca_memory.semantic.values import EVERYBODY

_MENTIONS = int(EdgeKind.MENTIONS)
"""A plain int, as it is compared with arrays very often."""
_SPREAD_FROM = 12
_MOST_EXTRA = 400
_SPREAD_MOST = 200
"""Concepts with more mentions do not spread activation, as they connect unrelated statements."""


@dataclass(frozen=True, slots=True)
class NetworkQuery:
    """A prepared question: its concepts, its vector (empty without an embedder), and its subjects."""

    mentions: tuple[Mention, ...]
    vector: Vectors
    speakers: tuple[str, ...] = ()
    owner: str = EVERYBODY


@dataclass(frozen=True, slots=True)
class FoundNodes:
    """The rows that answer a question, best first, their scores, and the question's concepts in the network."""

    rows: Ints
    scores: Floats
    concepts: tuple[int, ...] = ()


class NodeFinder:
    """Searches one network. No step visits every row, so the cost hardly grows with the network."""

    def __init__(self, network: Network, nearest: Nearest, config: SemanticConfig) -> None:
        self._network = network
        self._nearest = nearest
        self._config = config

    def find(self, asked: NetworkQuery, importance: Floats, limit: int) -> FoundNodes:
        """The best statements and general nodes for a question; `importance` has one value per row. Not thread-safe."""
        network, config = self._network, self._config
        owners = [number for name in {asked.owner, EVERYBODY} if (number := network.number_of_owner(name)) >= 0]

        def wanted(rows: Ints) -> Mask:
            return is_told(network, rows, owners)

        seeds, cosines = self._nearest.search(asked.vector, config.seeds, wanted)
        concepts = _concepts(network, asked)
        sharing, words = self._over_words(concepts)
        told = wanted(sharing)
        rows = _candidates(sharing[told], words[told], seeds[cosines > 0], config)
        if not len(rows):
            return FoundNodes(rows, np.empty(0, np.float32), tuple(concepts))
        scores = self._direct(asked, rows, sharing, words)
        reached, activation = self._spread(rows, scores)
        kept = wanted(reached)
        reached, activation = reached[kept], activation[kept]
        extra = np.flatnonzero(~np.isin(reached, rows))
        if len(extra) > _MOST_EXTRA:
            extra = extra[np.argpartition(-activation[extra], _MOST_EXTRA)[:_MOST_EXTRA]]
        if len(extra):
            scores = np.concatenate([scores, self._direct(asked, reached[extra], sharing, words)])
            rows = np.concatenate([rows, reached[extra]])
        spread = np.minimum(_looked_up(rows, reached, activation), 1)
        total = scores + np.float32(config.spread) * spread + np.float32(config.tie_breaker) * importance[rows]
        # Of equal scores the newer first: rows increase with time.
        order = np.lexsort((-rows, -total))[:limit]
        return FoundNodes(rows[order], np.asarray(total[order], np.float32), tuple(concepts))

    def _direct(self, asked: NetworkQuery, rows: Ints, sharing: Ints, words: Floats) -> Floats:
        """The direct score of rows: meaning, words and speaker."""
        network, config = self._network, self._config
        scores = np.float32(config.words) * _looked_up(rows, sharing, words)
        if asked.vector.size:
            scores = scores + np.float32(config.meaning) * np.maximum(self._nearest.cosines(asked.vector, rows), 0)
        if len(asked.speakers) == 1 and asked.speakers[0] in network.speakers:
            number = network.speakers.index(asked.speakers[0])
            scores = scores + np.float32(config.speaker) * (network.column('speakers')[rows] == number)
        return np.asarray(scores, np.float32)

    def _over_words(self, concepts: dict[int, float]) -> tuple[Ints, Floats]:
        """Rows that mention the question's concepts, and their share of its information: Σ w·idf over shared ones."""
        network = self._network
        a, _, kinds, _ = network.edges
        telling = max(2, len(network))
        mentions = {row: network.edges_to(row) for row in concepts}
        information = {
            row: weight * np.log(telling / min(max(1, len(mentions[row])), telling)) / np.log(telling)
            for row, weight in concepts.items()
        }
        whole = sum(information.values())
        parts = [
            (a[edges[kinds[edges] == _MENTIONS]], information[row] / whole)
            for row, edges in mentions.items()
            if whole > 0 and len(edges) <= self._config.hub
        ]
        return _summed(parts)

    def _spread(self, rows: Ints, scores: Floats) -> tuple[Ints, Floats]:
        """The rows linked to the best rows, and their activation; a row does not activate itself."""
        network, config = self._network, self._config
        a, b, kinds, weights = network.edges
        best = np.argsort(-scores, kind='stable')[:_SPREAD_FROM]
        top = float(scores[best[0]])
        parts: list[tuple[Ints, float]] = []
        # The best rows share most of their concepts.
        mentioning = dict[int, NDArray[Any]]()
        for at in best.tolist() if config.spread and top > 0 else ():
            row, share = int(rows[at]), float(scores[at]) / top
            out, into = network.edges_from(row), network.edges_to(row)
            named = kinds[out] == _MENTIONS
            for concept, weight in zip(b[out[named]].tolist(), weights[out[named]].tolist(), strict=True):
                ties = network.edges_to(concept)
                if 1 < len(ties) <= _SPREAD_MOST:
                    if concept not in mentioning:
                        mentioning[concept] = a[ties[kinds[ties] == _MENTIONS]]
                    others = mentioning[concept]
                    pull = 0.3 * share * min(1.0, weight) / (1 + math.log2(len(ties)))
                    parts.append((others[others != row], pull))
            parts.append((b[out[~named]], 0.25 * share))
            parts.append((a[into[kinds[into] != _MENTIONS]], 0.25 * share))
        return _summed(parts)


def _summed(parts: Sequence[tuple[NDArray[Any], float]]) -> tuple[Ints, Floats]:
    """Each row of the parts once, increasing, with the sum of its values."""
    parts = [part for part in parts if len(part[0])]
    if not parts:
        return np.empty(0, np.int64), np.empty(0, np.float32)
    rows = np.concatenate([part for part, _ in parts])
    values = np.repeat(np.array([value for _, value in parts], np.float32), [len(part) for part, _ in parts])
    # A stable sort is fast here, as the parts are nearly sorted runs.
    order = np.argsort(rows, kind='stable')
    rows = rows[order]
    starts = np.flatnonzero(np.concatenate([[True], rows[1:] != rows[:-1]]))
    return rows[starts].astype(np.int64), np.add.reduceat(values[order], starts)


def is_told(network: Network, rows: Ints, owners: Sequence[int]) -> Mask:
    """Which rows are living statements or general nodes of these owners."""
    told = network.column('alive')[rows] & (network.column('kinds')[rows] != CONCEPT)
    # A negative number means an owner without nodes.
    if sum(number >= 0 for number in owners) < len(network.owners):
        told &= np.isin(network.column('owners')[rows], owners)
    return np.asarray(told, np.bool_)


def _looked_up(rows: Ints, known: Ints, values: Floats) -> Floats:
    """The value of each row, 0 if it has none; `known` is sorted."""
    if not len(known):
        return np.zeros(len(rows), np.float32)
    at = np.minimum(np.searchsorted(known, rows), len(known) - 1)
    return np.where(known[at] == rows, values[at], np.float32(0))


def _candidates(sharing: Ints, words: Floats, seeds: Ints, config: SemanticConfig) -> Ints:
    """The seeds and the rows that share words with the question; only the best of them if there are very many."""
    most = 10 * config.seeds
    if len(sharing) > most:
        sharing = sharing[np.argpartition(-words, most)[:most]]
    return np.unique(np.concatenate([seeds, sharing]))


def _concepts(network: Network, asked: NetworkQuery) -> dict[int, float]:
    """The rows of the question's concepts, and how informative each is."""
    found: dict[int, float] = {}
    for mention in asked.mentions:
        for owner in {asked.owner, EVERYBODY}:
            row = network.concept_row(concept_key(owner, mention.key))
            if row is not None:
                found[row] = max(mention.weight, 0.05)
    return found
