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
_MOST_EXTRA = 400
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
    rows = _candidates(words, seeds[cosines > 0], cosines[cosines > 0], config)
    if not len(rows):
        return Found(rows, np.empty(0, np.float32), tuple(concepts))
    scores = _direct(network, nearest, asked, rows, words, config)
    reached = _spread(network, rows, scores, config) * wanted
    extra = np.flatnonzero(reached)
    extra = extra[~np.isin(extra, rows)]
    if len(extra) > _MOST_EXTRA:
        extra = extra[np.argpartition(-reached[extra], _MOST_EXTRA)[:_MOST_EXTRA]]
    if len(extra):
        scores = np.concatenate([scores, _direct(network, nearest, asked, extra, words, config)])
        rows = np.concatenate([rows, extra])
    scores = scores + np.float32(config.spread) * np.minimum(reached[rows], 1)
    scores = scores + np.float32(config.tie_breaker) * importance[rows]
    # Of equal ones the newer first: rows rise with time.
    order = np.lexsort((-rows, -scores))[:limit]
    return Found(rows[order], scores[order].astype(np.float32), tuple(concepts))


def _candidates(words: Floats, seeds: Ints, cosines: Floats, config: SemanticConfig) -> Ints:
    """The seeds and the rows that share words with the question, the best of them when a common word brings very many."""
    sharing = np.flatnonzero(words)
    most = 10 * config.seeds
    if len(sharing) > most:
        sharing = sharing[np.argpartition(-words[sharing], most)[:most]]
    return np.unique(np.concatenate([seeds, sharing]))


def _direct(
    network: Network, nearest: Nearest, asked: Asked, rows: Ints, words: Floats, config: SemanticConfig
) -> Floats:
    """What speaks for rows by themselves: meaning, words, and who said it."""
    scores = np.float32(config.words) * words[rows]
    if asked.vector.size:
        scores = scores + np.float32(config.meaning) * np.maximum(nearest.cosines(asked.vector, rows), 0)
    if len(asked.speakers) == 1 and asked.speakers[0] in network.speakers:
        number = network.speakers.index(asked.speakers[0])
        scores = scores + np.float32(config.speaker) * (network.column('speakers')[rows] == number)
    return np.asarray(scores, np.float32)


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


def _over_words(network: Network, concepts: dict[int, float], wanted: Mask, config: SemanticConfig) -> Floats:
    """For every row the share of the question's information that it mentions: Σ w·idf over what both mention."""
    a, _, kinds, _ = network.edges
    telling = max(2, len(network))
    scores = np.zeros(len(network), np.float32)
    mentions = {row: network.edges_to(row) for row in concepts}
    information = {
        row: weight * np.log(telling / min(max(1, len(mentions[row])), telling)) / np.log(telling)
        for row, weight in concepts.items()
    }
    whole = sum(information.values())
    if whole <= 0:
        return scores
    for row, edges in mentions.items():
        if len(edges) <= config.hub:
            # A statement mentions a concept once, so that no row is there twice.
            scores[a[edges[kinds[edges] == EdgeKind.MENTIONS]]] += np.float32(information[row] / whole)
    scores *= wanted
    return scores


def _spread(network: Network, rows: Ints, scores: Floats, config: SemanticConfig) -> Floats:
    """Activation of every row that the best rows are tied to; none of a row's own comes back to it."""
    reached = np.zeros(len(network), np.float32)
    a, b, kinds, weights = network.edges
    best = np.argsort(-scores, kind='stable')[:_SPREAD_FROM]
    top = float(scores[best[0]])
    if not config.spread or top <= 0:
        return reached
    for at in best.tolist():
        row, share = int(rows[at]), float(scores[at]) / top
        own, out = reached[row], network.edges_from(row)
        for edge in out[kinds[out] == EdgeKind.MENTIONS].tolist():
            ties = network.edges_to(int(b[edge]))
            if 1 < len(ties) <= _SPREAD_MOST:
                pull = 0.3 * share * min(1.0, float(weights[edge])) / (1 + np.log2(len(ties)))
                reached[a[ties[kinds[ties] == EdgeKind.MENTIONS]]] += np.float32(pull)
        beside = [b[out[kinds[out] != EdgeKind.MENTIONS]]]
        into = network.edges_to(row)
        beside.append(a[into[kinds[into] != EdgeKind.MENTIONS]])
        reached[np.concatenate(beside)] += np.float32(0.25 * share)
        reached[row] = own
    return reached
