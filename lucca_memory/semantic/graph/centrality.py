"""C(v): how probable it is that a statement is about something that people come back to; within [0, 1].

What is asked for and what is not are told apart by Poisson's law: a thing that people come back to is asked about at a rate
of r_1 per statement about it, another one at r_0. Having been asked about U times, with W statements that waited for it, the
odds of the first kind are

    logit C(c) = s · (ln(π / (1 − π)) + U(c) · ln(r_1 / r_0) − W(c) · (r_1 − r_0)),

π being the share of such things before anything is known. The evidence of things that have to do with each other is no
independent evidence, and the law only nearly holds, so it is tempered by s. What is talked about and never asked for falls
behind what is new, and that behind what is asked for; with nobody asking, C orders by novelty alone.

- u(c): questions that named c, whether or not there was an answer. w(c): statements that are mainly about c, each as far as
  it has waited: 1 − exp(−age / wait). Those that were forgotten count on, their age taken from the middle of the time in
  which c was heard of: so a thing does not seem new again for having been forgotten.
- U and W: u and w of the concept, and of what it is related to over two steps and not back again. A step from d to c passes
  reach · a(c, d) / √degree(d) on (normalised as in Zhou et al. 2004), where a(c, d) = (T(c) · T(d))².
- T(c), topicality: different things that are said of c / all that is said of c. One and the same is said of "the yearly fee"
  wherever it occurs: it ties nothing together. The harbour gala has a host, a venue and a budget.
- A statement is mainly about the fullest name in it, of equal ones that of which the most different things were said, then
  the rarest; its C is that of this concept, less if that is no full name: times W(v, c) / W(full name). A statement whose
  place was taken keeps `history_share` of it.

The sums are made anew from the arrays at every pass, in time linear in the edges but for one sort of the names.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

from lucca_memory.semantic.config import ForgettingConfig
from lucca_memory.semantic.graph.change import CONCEPT, GENERAL, OPEN, STATEMENT, EdgeKind
from lucca_memory.semantic.graph.network import Floats, Ints, Mask, Network
from lucca_memory.semantic.language.extraction import NAME, PHRASE

MICROSECONDS_PER_H = 3_600_000_000
_TIE_SHARPNESS = 2
_RARENESS = 0.5
"""How much being rare counts beside topicality."""

_Sums = NDArray[np.float64]


def centrality(network: Network, now: int, config: ForgettingConfig) -> Floats:
    """C of every row; of rows that are gone as well, where it means nothing.

    Args:
        network: the graph.
        now: microseconds since 1970.
        config: the rates, and how far evidence reaches.
    """
    size, alive = len(network), network.column('alive')
    mentions = Mentions(network)
    statements, concepts = mentions.mainly
    is_concept = network.column('kinds') == CONCEPT
    born, last = network.column('born'), network.column('last')
    gone = np.where(is_concept, np.maximum(network.column('told') - 1, 0), 0)
    # A general node stands for statements that are counted among the forgotten ones.
    ages = np.where(network.column('kinds') == GENERAL, 0, now - born)
    middle = born + np.maximum(last - born, 0) // 2
    waited = gone * _waited(now - middle, config)
    waited += np.bincount(concepts, _waited(ages, config)[statements], minlength=size)
    asked = np.where(is_concept, np.maximum(network.column('used'), 0), 0).astype(np.float64)
    ties = _Ties(network, mentions.topicality, config.reach)
    logit = (
        np.log(config.asked_share / (1 - config.asked_share))
        + config.per_question * ties.pooled(asked)
        - config.per_wait * ties.pooled(waited)
    )
    probable = 1 / (1 + np.exp(-np.clip(config.temper * logit, -30, 30)))
    values = np.zeros(size, np.float64)
    np.maximum.at(
        values,
        statements,
        probable[concepts] * np.minimum(mentions.weights[mentions.main].astype(np.float64) / PHRASE, 1),
    )
    values[network.column('valid_to') != OPEN] *= config.history_share
    return np.asarray(np.where(is_concept, np.where(alive, probable, 0), values), np.float32)


class Mentions:
    """The edges from living statements and general nodes to the living concepts that they mention.

    Attributes:
        statements, concepts, weights: row, row and W of each.
        topicality: T of every row of the network; 1 for what nothing is known of.
        main: which of the edges, by number, lead to what a statement is mainly about.
        mainly: their statements and concepts.
    """

    def __init__(self, network: Network) -> None:
        a, b, kinds, weights = network.edges
        here = _between_living(network, kinds == EdgeKind.MENTIONS)
        self.statements, self.concepts, self.weights = a[here], b[here], weights[here]
        self.topicality = self._topicality(network)
        self.main = self._main(network)
        self.mainly = self.statements[self.main], self.concepts[self.main]

    def _topicality(self, network: Network) -> _Sums:
        # A general node says many things at once.
        single = (network.column('valid_to') == OPEN) & (network.column('kinds') == STATEMENT)
        named = np.flatnonzero(self.weights >= NAME)
        named = named[single[self.statements[named]]]
        concepts, frames = self.concepts[named], network.column('keys')[self.statements[named]]
        count = np.bincount(concepts, minlength=len(network))
        # Concept and half of the frame's key as one number, to be sorted once.
        pairs = (concepts.astype(np.int64) << 32) | (frames & 0xFFFFFFFF)
        pairs.sort()
        first = np.concatenate([pairs[:1] >= 0, pairs[1:] != pairs[:-1]])
        different = np.bincount(pairs[first] >> 32, minlength=len(network))
        # That different things are said of a concept has to be shown before it is preferred.
        self._shown = different / (count + 1.0)
        return np.where(count > 0, different / np.maximum(1, count), 1.0)

    def _main(self, network: Network) -> Ints:
        named = np.bincount(self.concepts, minlength=len(network)) + np.maximum(network.column('told') - 1, 0)
        # What is named once ties its statement to nothing.
        better = np.where(named > 1, self._shown + _RARENESS / np.maximum(1, named), 0) / 4
        score = better[self.concepts]
        score += np.minimum(self.weights, PHRASE)
        best = np.zeros(len(network), score.dtype)
        np.maximum.at(best, self.statements, score)
        return np.flatnonzero(score == best[self.statements])


def _between_living(network: Network, wanted: Mask) -> Ints:
    """Which of the wanted edges have two ends that live."""
    a, b, _, _ = network.edges
    alive = network.column('alive')
    here = np.flatnonzero(wanted)
    return here if alive.all() else here[alive[a[here]] & alive[b[here]]]


class _Ties:
    """The edges between related concepts, as one step of a walk."""

    def __init__(self, network: Network, topicality: _Sums, reach: float) -> None:
        a, b, kinds, weights = network.edges
        here = _between_living(network, kinds == EdgeKind.RELATED)
        a, b = a[here], b[here]
        tie = np.minimum(weights[here], 1) * (topicality[a] * topicality[b]) ** _TIE_SHARPNESS
        one_way = coo_array((tie, (a, b)), shape=(len(network), len(network))).tocsr()
        self._ties, self._reach = one_way + one_way.T, reach
        self._share = 1 / np.sqrt(np.maximum(1, self._ties.sum(axis=1)))
        self._back = self._share * (self._ties.power(2) @ self._share)

    def pooled(self, values: _Sums) -> _Sums:
        """What a concept has together with what reaches it over one step and over two; nothing of its own comes back."""
        first = self._step(values)
        second = np.maximum(self._step(first) - self._back * values, 0)
        return np.asarray(values + self._reach * first + self._reach**2 * second)

    def _step(self, values: _Sums) -> _Sums:
        return np.asarray(self._ties @ (values * self._share))


def mentions_of(network: Network, rows: Ints) -> tuple[Ints, Ints, Ints]:
    """What concepts have of rows that are to be put away.

    Returns:
        (c,) rows of the living concepts that these mention; (c,) how many of them are mainly about each; (c,) when each was
        last heard of, in microseconds since 1970.
    """
    mentions = Mentions(network)
    marked = np.zeros(len(network), np.bool_)
    marked[rows] = True
    theirs = marked[mentions.statements]
    statements, main = mentions.mainly
    single = marked[statements] & (network.column('kinds')[statements] != GENERAL)
    counts = np.bincount(main[single], minlength=len(network))
    last = network.column('last').copy()
    np.maximum.at(last, mentions.concepts[theirs], network.column('last')[mentions.statements[theirs]])
    concepts = np.unique(mentions.concepts[theirs]).astype(np.int64)
    return concepts, counts[concepts], last[concepts]


def _waited(age: Ints, config: ForgettingConfig) -> _Sums:
    return np.asarray(1 - np.exp(-np.maximum(age, 0) / MICROSECONDS_PER_H / config.wait_h))
