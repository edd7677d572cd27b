"""How important each node is: I(v) = α·R(v) + β·F(v) + γ·C(v), every term within [0, 1] (the paper, section 1.3 a).

R(v) = exp(−λ·(t − t_last)) with t_last the hour in which v was last heard or of use and λ per hour (1.3 b). It is
computed from t_last at every pass and never stored, so that any number of passes decays no more than one.

F(v) = u / (1 + u) with the use count u = w_told·(times told − 1) + uses. A use is graded: being what answered a question
counts 1, standing further down in a context less, being told again only w_told, since small talk is repeated as often as
facts are; a verdict counts as so many uses for or against.

C(v) = o / (1 + o) is how near v is to what people ask about: activation that starts from uses and spreads over the network
(Collins and Loftus 1975), the largest over all ways, so that one strong tie is enough. A concept c begins with
o(c) = (u_c + u_new) / (u_half + w_expected·e_c), where u_c are the uses of the statements that mention c and e_c counts these
statements, each as far as it has waited for a question: 1 − exp(−age / wait). So what is talked about and never asked for
falls behind what is new, and that behind what is asked for. Activation passes a tie with
ω(v,c) = W(v,c)^3 · (ln(N/n_c) / ln N)^0.9, W scaled to 1 for a full name, so that words which anything is said with tie
nothing together; and each further step costs the factor `reach`. With nobody asking, C orders by novelty alone.

A statement whose place was taken is history: its uses count for what took its place, so its F is 0, and its links tie
it to the network by `history_share` only.
"""

from dataclasses import dataclass

import numpy as np

from lucca_memory.semantic.changes import CONCEPT, OPEN, EdgeKind
from lucca_memory.semantic.config import Ablations, ForgettingConfig
from lucca_memory.semantic.extraction import PHRASE
from lucca_memory.semantic.network import Floats, Network

MICROSECONDS_PER_H = 3_600_000_000
_STEPS = 3
_SHARPNESS = 3
_COMMONNESS = 0.9


@dataclass(frozen=True, slots=True)
class Terms:
    """R, F, C and I of every row; of rows that are gone as well, where they mean nothing."""

    recency: Floats
    frequency: Floats
    centrality: Floats
    importance: Floats


def terms_of_importance(
    network: Network, now: int, config: ForgettingConfig, ablations: Ablations | None = None
) -> Terms:
    """The terms of every row.

    Args:
        network: the graph.
        now: microseconds since 1970.
        config: the weights; their sum scales I into [0, 1].
        ablations: terms that are switched off.
    """
    off = ablations or Ablations()
    r = np.ones(len(network), np.float32) if off.no_decay else recency(network, now, config)
    f = frequency(network, config)
    c = np.zeros(len(network), np.float32) if off.no_centrality else centrality(network, now, config)
    if off.no_frequency:
        f = np.zeros(len(network), np.float32)
    total = np.float32(1 / (config.alpha + config.beta + config.gamma))
    importance = total * (np.float32(config.alpha) * r + np.float32(config.beta) * f + np.float32(config.gamma) * c)
    return Terms(r, f, c, importance)


def recency(network: Network, now: int, config: ForgettingConfig) -> Floats:
    """R(v) = exp(−λ·(t − t_last)); 1 for what lies in the future."""
    hours = np.maximum(now - network.column('last'), 0) / MICROSECONDS_PER_H
    return np.asarray(np.exp(-config.decay_per_h * hours), np.float32)


def frequency(network: Network, config: ForgettingConfig) -> Floats:
    """F(v) = u / (1 + u)."""
    told = np.maximum(network.column('told') - 1, 0).astype(np.float32)
    uses = np.maximum(np.float32(config.told_again) * told + network.column('used'), 0)
    uses[network.column('valid_to') != OPEN] = 0
    return np.asarray(uses / (1 + uses), np.float32)


X = {'p': 0.9, 'q': 0.5, 'sharp': 3.0, 'form': 0, 'kappa': 1.0, 'main': 0}


def centrality(network: Network, now: int, config: ForgettingConfig) -> Floats:
    """C(v) as above, in time linear in the number of edges."""
    a, b, kinds, weights = network.edges
    alive, size = network.column('alive'), len(network)
    here = alive[a] & alive[b]
    counts = (kinds == EdgeKind.MENTIONS) & here
    is_concept = network.column('kinds') == CONCEPT
    gone = np.where(is_concept, np.maximum(network.column('told') - 1, 0), 0)
    ties = (kinds == EdgeKind.RELATED) & here
    c, d, strength = a[ties], b[ties], weights[ties]
    a, b, weights = a[counts], b[counts], weights[counts]
    mentions = np.bincount(b, minlength=size) + gone
    about = main_concepts(network, a, b, weights)
    telling = float(max(2, mentions.max(initial=0), int(np.count_nonzero(alive & ~is_concept))))
    idf = np.log(telling / np.clip(mentions, 1, telling)) / np.log(telling)
    age_h = np.maximum(now - network.column('born'), 0) / MICROSECONDS_PER_H
    waited = np.bincount(b[about], (1 - np.exp(-age_h / config.wait_h))[a[about]], minlength=size) + gone
    asked = np.where(is_concept, np.maximum(network.column('used'), 0), 0)
    tie = np.minimum(strength, 1) * (idf[c] * idf[d]) ** X['q']
    uses, waited = _pooled(asked, c, d, tie, config.reach), _pooled(waited, c, d, tie, config.reach)
    if X['form']:
        logit = X['prior'] + X['per_use'] * uses - X['per_wait'] * waited
        concepts = 1 / (1 + np.exp(-np.clip(logit * X['scale'], -50, 50)))
    else:
        concepts = (uses + config.new_use) / (config.half_use + config.expected_use * waited)
        concepts = concepts / (1 + concepts)
    statements = np.zeros(size, np.float64)
    if X['main']:
        a, b, weights = a[about], b[about], weights[about]
    np.maximum.at(statements, a, concepts[b] * np.minimum(weights / PHRASE, 1) ** X['sharp'] * (idf ** X['p'])[b])
    statements[network.column('valid_to') != OPEN] *= np.float32(config.history_share)
    values = np.where(is_concept, np.where(mentions > 1, concepts, 0), statements)
    return np.asarray(values, np.float32)


def main_concepts(network, a, b, weights):
    """Which mentions are of what a statement is most about: of the fullest names in it the one that is named least, but
    more than once."""
    named = np.bincount(b, minlength=len(network)) + network.column('told') - 1
    score = np.minimum(weights, PHRASE) + np.where(named > 1, 1 / np.maximum(1, named), 0)[b] / 4
    best = np.zeros(len(network))
    np.maximum.at(best, a, score)
    return score == best[a]


def _pooled(values, c, d, tie, reach):
    """What a concept has and what those have that it is tied to, over two steps and not back again."""
    n = len(values)
    degree = np.bincount(c, tie, minlength=n) + np.bincount(d, tie, minlength=n)
    share = 1 / np.maximum(1, degree) ** X['kappa']
    def step(x):
        x = x * share
        return np.bincount(c, x[d] * tie, minlength=n) + np.bincount(d, x[c] * tie, minlength=n)
    back = share * (np.bincount(c, tie**2 * share[d], minlength=n) + np.bincount(d, tie**2 * share[c], minlength=n))
    first = step(values)
    return values + reach * first + reach**2 * (step(first) - back * values)
