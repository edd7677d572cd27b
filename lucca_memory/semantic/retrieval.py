"""What of the network answers a question: top-k by meaning, spreading over the edges, importance between equals.

S(v, Q) = cos(E(v), E(Q)) picks the seeds (the paper, section 1.4 b); activation spreads from the concepts that the question
names and from those of the best seeds (Collins and Loftus 1975), weighed by how much each link tells.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lucca_memory.embedding.ports import Vectors
from lucca_memory.semantic.changes import CONCEPT, EdgeKind
from lucca_memory.semantic.config import SemanticConfig
from lucca_memory.semantic.extraction import Mention, concept_key
from lucca_memory.semantic.nearest import Nearest
from lucca_memory.semantic.network import Floats, Ints, Mask, Network
from lucca_memory.semantic.ports import EVERYBODY

_SPREAD_FROM = 12
_SPREAD_MOST = 200
"""Mentions of a concept that activation spreads over; a concept with more ties nothing together."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question made ready: what it mentions, its vector (length 0: no meaning known), and whom it is about."""

    mentions: tuple[Mention, ...]
    vector: Vectors
    speakers: tuple[str, ...] = ()
    owner: str = EVERYBODY


@dataclass(frozen=True, slots=True)
class Found:
    """Rows that answer, best first, their scores, and the concepts of the question that were there."""

    rows: Ints
    scores: Floats
    concepts: tuple[int, ...] = ()


def find(
    network: Network, nearest: Nearest, asked: Asked, importance: Floats, config: SemanticConfig, limit: int
) -> Found:
    """The best statements and general nodes for a question; `importance` has a value for each row."""
    owners = [number for name in {asked.owner, EVERYBODY} if (number := network.number_of_owner(name)) >= 0]
    wanted = _wanted(network, owners)
    seeds, cosines = nearest.search(asked.vector, config.seeds, wanted)
    concepts = _concepts(network, asked)
    words = _over_words(network, concepts, wanted, config)
    seeded = seeds[cosines > 0]
    rows = np.unique(np.concatenate([seeded, np.fromiter(words, np.int64, len(words))]))
    if not len(rows):
        return Found(rows, np.empty(0, np.float32), tuple(concepts))
    rows = _cut(rows, words, cosines, seeds, config)
    meaning = np.maximum(nearest.cosines(asked.vector, rows), 0) if asked.vector.size else np.zeros(len(rows), np.float32)
    shared = np.array([words.get(row, 0.0) for row in rows.tolist()], np.float32)
    scores = np.float32(config.meaning) * meaning + np.float32(config.words) * shared
    reached = _spread(network, rows, scores, wanted, config)
    extra = np.array([row for row in reached if row not in set(rows.tolist())], np.int64)
    if len(extra):
        rows = np.concatenate([rows, extra])
        near = np.maximum(nearest.cosines(asked.vector, extra), 0) if asked.vector.size else np.zeros(len(extra))
        scores = np.concatenate([scores, np.float32(config.meaning) * near]).astype(np.float32)
    scores = scores + np.float32(config.spread) * np.array([reached.get(row, 0.0) for row in rows.tolist()], np.float32)
    if len(asked.speakers) == 1 and asked.speakers[0] in network.speakers:
        number = network.speakers.index(asked.speakers[0])
        scores = scores + np.float32(config.speaker) * (network.column('speakers')[rows] == number)
    scores = scores + np.float32(config.tie_breaker) * importance[rows]
    # Of equal ones the newer first: rows rise with time.
    order = np.lexsort((-rows, -scores))[:limit]
    return Found(rows[order], scores[order].astype(np.float32), tuple(concepts))


def _wanted(network: Network, owners: Sequence[int]) -> Mask:
    wanted = network.column('alive') & (network.column('kinds') != CONCEPT)
    if len(network.owners) > len(owners):
        wanted &= np.isin(network.column('owners'), owners)
    return np.asarray(wanted, np.bool_)


def _concepts(network: Network, asked: Asked) -> dict[int, float]:
    """Rows of the concepts that a question names, with how much each tells."""
    found: dict[int, float] = {}
    for mention in asked.mentions:
        for owner in {asked.owner, EVERYBODY}:
            row = network.concept_row(concept_key(owner, mention.key))
            if row is not None:
                found[row] = max(mention.weight, 0.05)
    return found


def _over_words(network: Network, concepts: dict[int, float], wanted: Mask, config: SemanticConfig) -> dict[int, float]:
    """Rows that mention what the question does, each with the share of the question's information that it has."""
    a, _, kinds, _ = network.edges
    telling = max(2.0, float(len(network)))
    information = {}
    for row, weight in concepts.items():
        edges = network.edges_to(row)
        information[row] = weight * np.log(telling / max(1, min(len(edges), telling))) / np.log(telling)
    whole = sum(information.values())
    scores: dict[int, float] = {}
    if whole <= 0:
        return scores
    for row, told in information.items():
        edges = network.edges_to(row)
        if len(edges) > config.hub:
            continue
        rows = a[edges[kinds[edges] == EdgeKind.MENTIONS]]
        for at in rows[wanted[rows]].tolist():
            scores[at] = scores.get(at, 0.0) + told / whole
    return scores


def _cut(rows: Ints, words: dict[int, float], cosines: Floats, seeds: Ints, config: SemanticConfig) -> Ints:
    """The rows worth a closer look, when a common word brings very many."""
    most = 20 * config.seeds
    if len(rows) <= most:
        return rows
    near = dict(zip(seeds.tolist(), cosines.tolist(), strict=True))
    rough = np.array([words.get(row, 0.0) + near.get(row, 0.0) for row in rows.tolist()])
    return np.sort(rows[np.argpartition(-rough, most)[:most]])


def _spread(network: Network, rows: Ints, scores: Floats, wanted: Mask, config: SemanticConfig) -> dict[int, float]:
    """Activation of the rows that the best rows are tied to, at most 1; none of a row's own comes back to it."""
    if not config.spread:
        return {}
    a, b, kinds, weights = network.edges
    best = np.argsort(-scores, kind='stable')[:_SPREAD_FROM]
    top = float(scores[best[0]])
    reached: dict[int, float] = {}
    if top <= 0:
        return reached
    for at in best.tolist():
        row, share = int(rows[at]), float(scores[at]) / top
        for edge in network.edges_from(row).tolist():
            other = int(b[edge])
            if kinds[edge] != EdgeKind.MENTIONS:
                _reach(reached, other, share * float(weights[edge]) * 0.5, wanted)
                continue
            ties = network.edges_to(other)
            if len(ties) > _SPREAD_MOST:
                continue
            pull = share * min(1.0, float(weights[edge])) / (1 + np.log2(max(1, len(ties))))
            for sibling in a[ties[kinds[ties] == EdgeKind.MENTIONS]].tolist():
                if sibling != row:
                    _reach(reached, sibling, 0.3 * pull, wanted)
        for edge in network.edges_to(row).tolist():
            if kinds[edge] != EdgeKind.MENTIONS:
                _reach(reached, int(a[edge]), share * float(weights[edge]) * 0.5, wanted)
    return reached


def _reach(reached: dict[int, float], row: int, activation: float, wanted: Mask) -> None:
    if wanted[row]:
        reached[row] = min(1.0, reached.get(row, 0.0) + activation)
