"""Settings of the semantic memory: the five parameters that are learned, and everything around them.

The importance is I(v) = α·R(v) + β·F(v) + γ·C(v); R(v) = exp(−λ·(t − t_last)) with λ per hour; below θ a node is
compressed or forgotten. With a budget, θ is the quantile of importance that the budget demands.
"""

from dataclasses import dataclass

from lucca_core.settings import setting

RANGES = {
    'alpha': (0.0, 1.0),
    'beta': (0.0, 1.0),
    'gamma': (0.0, 1.0),
    'decay_per_h': (1e-4, 0.1),
    'theta': (0.0, 1.0),
}
"""What each learned parameter may be: the bounds of the action space. `decay_per_h` is searched on a log scale."""


@dataclass(frozen=True, kw_only=True)
class Ablations:
    """Parts switched off, to show what each is worth."""

    no_decay: bool = setting(False, 'R is 1 for every node.')
    no_frequency: bool = setting(False, 'F is 0 for every node.')
    no_centrality: bool = setting(False, 'C is 0 for every node.')
    no_compression: bool = setting(False, 'Nodes are forgotten without becoming part of a general one first.')


@dataclass(frozen=True, kw_only=True)
class ForgettingConfig:
    """The parameters of the forgetting pass; the first five are those of the paper and may be learned."""

    alpha: float = setting(0.2, 'Weight α of recency R.')
    beta: float = setting(0.4, 'Weight β of use F.')
    gamma: float = setting(0.4, 'Weight γ of centrality C.')
    decay_per_h: float = setting(0.002, 'Decay rate λ of R, per hour.')
    theta: float = setting(0.15, 'Importance θ below which a node is compressed or forgotten; without a budget.')

    def __post_init__(self) -> None:
        for name, (least, most) in RANGES.items():
            if not least <= getattr(self, name) <= most:
                raise ValueError(f'{name} must be within {least} and {most}, got {getattr(self, name)}')
        if self.alpha + self.beta + self.gamma <= 0:
            raise ValueError('one of alpha, beta and gamma must be above 0')
