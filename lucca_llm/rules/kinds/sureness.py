"""Whether the evidence for a place is enough: by itself, or with what all objects together say of the places."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

_DAMPING = 0.2
_ROUNDS = 10


@dataclass(frozen=True, slots=True)
class Sureness:
    """The least shares of a place; below them the person is asked, as a wrong place is worse than a question.

    Attributes:
        share: the least share of all evidence.
        share_if_confirmed: the same where all objects together confirm it.
        confirmation: the least share in the result of `together` that confirms it.
    """

    share: float
    share_if_confirmed: float
    confirmation: float

    def is_sure(self, share: float, confirmed: float) -> bool:
        """Whether a share is enough, of which `together` makes `confirmed`."""
        return share >= self.share or (share >= self.share_if_confirmed and confirmed >= self.confirmation)


SURE_OF_KINDS = Sureness(share=0.9, share_if_confirmed=0.4, confirmation=0.6)
SURE_OF_EXAMPLES = Sureness(share=0.85, share_if_confirmed=0.5, confirmation=0.65)


def together(shares: Sequence[Sequence[float]]) -> list[list[float]]:
    """The shares of several objects (n, places), after places that draw many objects have become a little less
    attractive.

    This is Sinkhorn's iteration with a damped step for the places. It is only a second opinion, as the true number of
    objects for each place is unknown.
    """
    own = np.array(shares, float)
    worth = np.ones(own.shape[1])
    for _ in range(_ROUNDS):
        taken = own * worth
        drawn = (taken / taken.sum(axis=1, keepdims=True)).sum(axis=0)
        worth *= (len(own) / own.shape[1] / np.maximum(drawn, 1e-6)) ** _DAMPING
        worth /= worth.mean()
    taken = own * worth
    return [[float(share) for share in row] for row in taken / taken.sum(axis=1, keepdims=True)]
