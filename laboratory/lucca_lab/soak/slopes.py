"""The slope of a size over the number of goals, with an interval; the process may have been restarted in between."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_CRITICAL = 2.2606
"""The 97.5 % point for a lag of a tenth of the samples (Kiefer and Vogelsang 2005, table 1). It is larger than the
normal 1.96."""


@dataclass(frozen=True, slots=True)
class Slope:
    """Growth per goal and its 95 % interval, from `samples` samples of `lives` processes."""

    per_goal: float
    low: float
    high: float
    samples: int
    lives: int

    @property
    def is_flat(self) -> bool:
        """Whether zero lies within the interval."""
        return self.low <= 0.0 <= self.high


def slope_per_goal(
    goals: Sequence[int], sizes: Sequence[float], lives: Sequence[int], *, warm_up: int = 0
) -> Slope | None:
    """The slope that all lives of a process share, each with its own level; None with fewer than three samples.

    The interval allows for similarity of neighbouring samples (Newey and West 1987; the lag is a tenth of the samples).

    Args:
        goals: number of goals done at each sample, ascending.
        sizes: the size at each sample.
        lives: the process at each sample, such as its id.
        warm_up: number of samples left out at the start of each life.
    """
    x, y, kept_lives = [], [], 0
    life_of = np.asarray(lives)
    for life in dict.fromkeys(lives):
        places = np.flatnonzero(life_of == life)[warm_up:]
        if len(places) < 2:
            continue
        kept_lives += 1
        own_x, own_y = np.asarray(goals, float)[places], np.asarray(sizes, float)[places]
        x.append(own_x - own_x.mean())
        y.append(own_y - own_y.mean())
    if sum(map(len, x)) < 3:
        return None
    across, up = np.concatenate(x), np.concatenate(y)
    spread = float(across @ across)
    slope = float(across @ up) / spread
    error = math.sqrt(max(0.0, _long_run_variance(across * (up - slope * across)))) / spread
    return Slope(slope, slope - _CRITICAL * error, slope + _CRITICAL * error, len(across), kept_lives)


def _long_run_variance(scores: NDArray[np.float64]) -> float:
    """The variance of a sum of correlated scores, with Bartlett's weights."""
    lag = max(1, len(scores) // 10)
    total = float(scores @ scores)
    for step in range(1, lag + 1):
        total += 2.0 * (1.0 - step / (lag + 1)) * float(scores[step:] @ scores[:-step])
    return total
