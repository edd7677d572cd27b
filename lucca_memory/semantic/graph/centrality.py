"""The centrality term C(v): the probability, within [0, 1], that a statement is about something people ask about again.

Whether people return to a concept is inferred with a Poisson model: questions about such a concept arrive at a rate of
r_1 per statement about it, about others at r_0. After U questions, while W statements waited for one, the log-odds are

    logit C(c) = s · (ln(π / (1 − π)) + U(c) · ln(r_1 / r_0) − W(c) · (r_1 − r_0)),

where π is the prior share of such concepts. Evidence from related concepts is not independent and the model only
approximate, so s tempers the result. Concepts that are mentioned but never asked about rank below new ones, and these
below concepts that are asked about; without any questions, C orders by novelty.

People differ in how often they ask: somebody who talks for weeks and asks nothing has not judged what was said. The
model also holds only as far as people come back to the same things: if each thing is asked about once, a question is no
reason to expect another. So `asked_for` also says how much people ask and how much of it comes back (`QuestionHabits`).

- u(c): questions that named c, answered or not. w(c): statements mainly about c, each weighted by how long it has
  waited: 1 − exp(−age / wait). Forgotten statements still count, with an age from the middle of the period in which c
  was heard of, so that being forgotten does not make a concept new again.
- U and W: u and w of the concept and of concepts related to it in up to two steps, without returning. A step from d to
  c passes on reach · a(c, d) / √degree(d) (normalised as in Zhou et al. 2004), where a(c, d) = (T(c) · T(d))².
- T(c), topicality: number of different things said about c / number of statements about c. "The yearly fee" is always
  said in the same way, so it connects nothing; the harbour gala has a host, a venue and a budget.
- A statement is mainly about the fullest name in it; of equal ones, the one about which the most different things were
  said, then the rarest. Its C is that of this concept, times W(v, c) / W(full name) if that is not a full name. A
  superseded statement keeps `history_share` of it.

The sums are recomputed from the arrays in every pass, in time linear in the edges except for one sort of the names.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lucca_memory.semantic.config import ForgettingConfig
from lucca_memory.semantic.graph.change import CONCEPT, GENERAL, OPEN, STATEMENT, EdgeKind
from lucca_memory.semantic.graph.network import Floats, Ints, Mask, Network
from lucca_memory.semantic.language.extraction import NAME, PHRASE

MICROSECONDS_PER_H = 3_600_000_000
_TIE_SHARPNESS = 2
_RARENESS = 0.5
"""Weight of rarity beside topicality."""

_USUAL_RETURNS = 0.5
"""The share of questions that come back to the same thing, before any were asked."""
_USUAL_WEIGHT = 5.0
"""The weight of that assumption, in questions that each name one thing of which one statement tells."""

_Sums = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class QuestionHabits:
    """How people ask, as far as their questions show it.

    Attributes:
        amount: the number of questions relative to the number that r_1 and r_0 predict for so much waiting, at most 1.
        returning: how far the questions come back to what was asked about before, from 0 (no more than by chance) to 1.
    """

    amount: float = 1.0
    returning: float = 1.0

    @property
    def trust(self) -> float:
        """How far importance, which learns from questions, says what will be asked for; from 0 to 1."""
        return self.amount * self.returning

    @property
    def once(self) -> float:
        """How far people ask about each thing only once, and rather about what they said lately; from 0 to 1."""
        return self.amount * (1 - self.returning)


def asked_for(network: Network, now: int, config: ForgettingConfig) -> tuple[Floats, QuestionHabits]:
    """C of every row (meaningless for removed rows), and how people ask.

    Args:
        network: the graph.
        now: microseconds since 1970.
        config: the rates, and how far evidence spreads.
    """
    size, alive = len(network), network.column('alive')
    mentions = Mentions(network)
    statements, concepts = mentions.mainly
    # A removed row stays in the arrays for a while. Its questions are forgotten at once, as after a restart.
    is_concept = alive & (network.column('kinds') == CONCEPT)
    born, last = network.column('born'), network.column('last')
    gone = np.where(is_concept, np.maximum(network.column('told') - 1, 0), 0)
    # The statements in a general node are counted as forgotten ones.
    ages = np.where(network.column('kinds') == GENERAL, 0, now - born)
    middle = born + np.maximum(last - born, 0) // 2
    waited = gone * _waited(now - middle, config)
    waited += np.bincount(concepts, _waited(ages, config)[statements], minlength=size)
    asked = np.where(is_concept, np.maximum(network.column('used'), 0), 0).astype(np.float64)
    asking = QuestionHabits(
        _amount(float(asked.sum()), float(waited.sum()), config),
        _returning(asked, np.bincount(mentions.concepts, minlength=size) + gone, config),
    )
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
    return np.asarray(np.where(is_concept, probable, values), np.float32), asking


class Mentions:
    """The edges from living statements and general nodes to the living concepts they mention.

    Attributes:
        statements, concepts, weights: row, row and W of each edge.
        topicality: T of every row of the network; 1 if unknown.
        main: indices of the edges to the concept that a statement is mainly about.
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
        # A general node says several things at once.
        single = (network.column('valid_to') == OPEN) & (network.column('kinds') == STATEMENT)
        named = np.flatnonzero(self.weights >= NAME)
        named = named[single[self.statements[named]]]
        concepts, frames = self.concepts[named], network.column('keys')[self.statements[named]]
        count = np.bincount(concepts, minlength=len(network))
        # Concept and half of the frame's key in one number, for a single sort.
        pairs = (concepts.astype(np.int64) << 32) | (frames & 0xFFFFFFFF)
        pairs.sort()
        first = np.concatenate([pairs[:1] >= 0, pairs[1:] != pairs[:-1]])
        different = np.bincount(pairs[first] >> 32, minlength=len(network))
        # A concept is preferred only with evidence that different things are said about it.
        self._shown = different / (count + 1.0)
        return np.where(count > 0, different / np.maximum(1, count), 1.0)

    def _main(self, network: Network) -> Ints:
        named = np.bincount(self.concepts, minlength=len(network)) + np.maximum(network.column('told') - 1, 0)
        # A concept that is mentioned only once connects its statement to nothing.
        better = np.where(named > 1, self._shown + _RARENESS / np.maximum(1, named), 0) / 4
        score = better[self.concepts]
        score += np.minimum(self.weights, PHRASE)
        best = np.zeros(len(network), score.dtype)
        np.maximum.at(best, self.statements, score)
        return np.flatnonzero(score == best[self.statements])


def _between_living(network: Network, wanted: Mask) -> Ints:
    """Which of the wanted edges have two living ends."""
    a, b, _, _ = network.edges
    alive = network.column('alive')
    here = np.flatnonzero(wanted)
    return here if alive.all() else here[alive[a[here]] & alive[b[here]]]


class _Ties:
    """The edges between related concepts, as the transition matrix of a walk."""

    def __init__(self, network: Network, topicality: _Sums, reach: float) -> None:
        # Imported here: this takes half a second, for which a worker that starts again would not answer.
        from scipy.sparse import coo_array

        a, b, kinds, weights = network.edges
        here = _between_living(network, kinds == EdgeKind.RELATED)
        a, b = a[here], b[here]
        tie = np.minimum(weights[here], 1) * (topicality[a] * topicality[b]) ** _TIE_SHARPNESS
        one_way = coo_array((tie, (a, b)), shape=(len(network), len(network))).tocsr()
        self._ties, self._reach = one_way + one_way.T, reach
        self._share = 1 / np.sqrt(np.maximum(1, self._ties.sum(axis=1)))
        self._back = self._share * (self._ties.power(2) @ self._share)

    def pooled(self, values: _Sums) -> _Sums:
        """Each concept's value plus those reaching it in one and two steps, without its own coming back."""
        first = self._step(values)
        second = np.maximum(self._step(first) - self._back * values, 0)
        return np.asarray(values + self._reach * first + self._reach**2 * second)

    def _step(self, values: _Sums) -> _Sums:
        return np.asarray(self._ties @ (values * self._share))


def mentions_of(network: Network, rows: Ints) -> tuple[Ints, Ints, Ints]:
    """Statistics of the concepts mentioned by rows that are about to be put away.

    Returns:
        (c,) rows of the living concepts; (c,) number of these rows mainly about each; (c,) when each was last heard of,
        in microseconds since 1970.
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


def _amount(asked: float, waited: float, config: ForgettingConfig) -> float:
    """How much people ask, from the number of questions and of statements that waited for one."""
    least = config.per_wait / np.expm1(config.per_question)
    expected = waited * (least + config.asked_share * config.per_wait)
    return min(1.0, asked / expected) if expected > 0 else 1.0


def _returning(asked: _Sums, told: Ints, config: ForgettingConfig) -> float:
    """How far questions come back.

    A question about a word that many statements have says little about each of them, and comes back by chance.

    Args:
        asked: questions that named each concept.
        told: statements that name it, and forgotten ones that were mainly about it.
        config: the shares between which questions come back more than by chance.
    """
    weights = 1 / np.maximum(told, 1)
    questions = float(asked @ weights) + _USUAL_WEIGHT
    returns = float(np.maximum(asked - 1, 0) @ weights) + _USUAL_WEIGHT * _USUAL_RETURNS
    span = config.sure_returns - config.chance_returns
    return float(np.clip((returns / questions - config.chance_returns) / span, 0, 1))


def _waited(age: Ints, config: ForgettingConfig) -> _Sums:
    return np.asarray(1 - np.exp(-np.maximum(age, 0) / MICROSECONDS_PER_H / config.wait_h))
