"""Settings of the semantic memory: the five forgetting parameters of the paper, and all others.

Importance is I(v) = α·R(v) + β·F(v) + γ·C(v) with R(v) = exp(−λ·(t − t_last)) and λ per hour; nodes below θ are
compressed or forgotten. With a budget, θ is the quantile of importance that meets the budget.
"""

from dataclasses import dataclass

from lucca_core.settings import check_bounds, setting

RANGES = {
    'alpha': (0.0, 1.0),
    'beta': (0.0, 1.0),
    'gamma': (0.0, 1.0),
    'decay_per_h': (1e-4, 0.1),
    'theta': (0.0, 1.0),
}
"""Range of each learned parameter: the bounds of the action space. `decay_per_h` is searched on a log scale."""


CENTRALITIES = ('posterior', 'degree', 'pagerank', 'betweenness')
"""Choices for C: the probability of being asked for again (centrality.py), or a plain one (laboratory)."""


@dataclass(frozen=True, kw_only=True)
class ForgettingConfig:
    """Parameters of the forgetting pass; the first five are those of the paper and may be learned."""

    alpha: float = setting(0.006, 'Weight α of recency R.')
    beta: float = setting(0.08, 'Weight β of use F.')
    gamma: float = setting(0.5, 'Weight γ of centrality C.')
    decay_per_h: float = setting(0.0094, 'Decay rate λ of R, per hour.')
    theta: float = setting(0.02, 'Importance θ below which a node is compressed or forgotten; without a budget.')
    centrality: str = setting(
        'posterior',
        'What C is: posterior (how probably people ask for it again), or of the graph alone: degree, pagerank or '
        'betweenness.',
    )
    told_again: float = setting(0.02, 'How many uses a repetition of a statement counts as.', least=0)
    asked_share: float = setting(0.22, 'Prior share of concepts that people ask about again (π).', above=0, most=1)
    per_question: float = setting(3.4, 'Evidence of a question for its concept: ln(r_1 / r_0).', above=0)
    per_wait: float = setting(0.5, 'Evidence of a statement without questions against its concept: r_1 - r_0.', above=0)
    wait_h: float = setting(150.0, 'Hours in which two thirds of the questions for a statement are expected.', above=0)
    chance_returns: float = setting(
        0.3,
        'Share of returning questions up to which C is not trusted, because so many return by chance.',
        least=0,
        most=1,
    )
    sure_returns: float = setting(
        0.45, 'Share of returning questions from which C is trusted fully; above `chance_returns`.', above=0, most=1
    )
    temper: float = setting(0.3, 'Factor on the evidence of C, since it is not independent.', above=0)
    reach: float = setting(1.0, 'Share of its evidence that a concept passes on to related ones.', least=0, most=1)
    history_share: float = setting(0.1, 'Share of its C that a superseded statement keeps.', least=0, most=1)
    compress: bool = setting(False, 'Statements are shortened and joined to general nodes before they are forgotten.')
    compressed_share: float = setting(0.5, 'Share of a budget for general nodes.', least=0, most=1)
    telling: float = setting(
        1.0,
        'Exponent of how much a text tells per byte, which decides what a budget forgets while hardly anybody asks, or '
        'comes back to anything; 0: off.',
        least=0,
    )
    repeated_share: float = setting(
        0.1,
        'Share of its worth for a budget that a statement keeps while another one of more worth says nearly the same.',
        least=0,
        most=1,
    )
    group_size: int = setting(6, 'Most statements that become one general node.', least=2)
    general_calls: int = setting(20, 'Most general nodes that a language model is asked for before one pass.', least=0)
    general_s: float = setting(
        120.0, 'Time after which no further general node is asked for before one pass, in s.', least=0
    )
    kept_forgotten_d: float = setting(30.0, 'Days for which what was forgotten is listed and can be restored.', least=0)
    kept_concepts_d: float = setting(
        180.0,
        'Days after its last mention or question for which a concept without statements is kept.',
        least=0,
    )

    def __post_init__(self) -> None:
        check_bounds(self)
        for name, (least, most) in RANGES.items():
            if not least <= getattr(self, name) <= most:
                raise ValueError(f'{name} must be within {least} and {most}, got {getattr(self, name)}')
        if self.centrality not in CENTRALITIES:
            raise ValueError(f'centrality must be one of {", ".join(CENTRALITIES)}, got {self.centrality[:80]!r}')
        if self.sure_returns <= self.chance_returns:
            raise ValueError(
                f'sure_returns must be above chance_returns, which is {self.chance_returns}, got {self.sure_returns}'
            )
        if self.asked_share == 1:
            raise ValueError(f'asked_share must be below 1, got {self.asked_share}')
        if self.alpha + self.beta + self.gamma <= 0:
            raise ValueError('one of alpha, beta and gamma must be above 0')


@dataclass(frozen=True, kw_only=True)
class SemanticConfig:
    """Settings for finding statements and for recognising that one updates another."""

    meaning: float = setting(1.0, 'Weight of the meaning of a statement (cosine).', least=0)
    words: float = setting(1.0, 'Weight of the concepts that question and statement share.', least=0)
    spread: float = setting(0.25, 'Weight of statements reached through the concepts of the best ones.', least=0)
    speaker: float = setting(0.2, 'Bonus of statements by the only speaker the question is about.', least=0)
    tie_breaker: float = setting(0.02, 'Weight of importance, to decide between similar scores.', least=0)
    seeds: int = setting(40, 'Statements nearest in meaning from which activation spreads.', least=1)
    hub: int = setting(20_000, 'Mentions above which a concept no longer finds or connects statements.', least=1)
    same_attribute: float = setting(0.72, 'Cosine from which two frames name one attribute.', least=0, most=1)
    evolution: bool = setting(True, 'A newer value supersedes the older one.')
    newest_first: bool = setting(True, 'Of two valid versions, the newer one comes first.')
    doubt: bool = setting(True, 'Of two possible answers to a question, the older one is marked as doubtful.')
    sentences: bool = setting(
        True, 'Each sentence of a turn becomes a statement; otherwise the whole turn becomes one.'
    )
    exact_up_to: int = setting(
        50_000, 'Number of nodes up to which every vector is compared; above it, only the nearest cells are.', least=1
    )

    def __post_init__(self) -> None:
        check_bounds(self)
