"""Statistics that compare the ratings of two groups: t-tests, Mann-Whitney U test and effect size."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Group:
    """One group's ratings of one metric. `variance` is the sample variance, in squared points of the scale."""

    n: int
    mean: float
    variance: float

    def __post_init__(self) -> None:
        if self.n < 2:
            raise ValueError(f'a group needs at least 2 ratings, got {self.n}')
        if self.variance < 0:
            raise ValueError(f'a variance must not be negative, got {self.variance}')

    @classmethod
    def of(cls, ratings: Sequence[float]) -> 'Group':
        """The group with these ratings.

        Raises:
            ValueError: there are fewer than 2 ratings.
        """
        if len(ratings) < 2:
            raise ValueError(f'a group needs at least 2 ratings, got {len(ratings)}')
        return cls(len(ratings), statistics.fmean(ratings), statistics.variance(ratings))


@dataclass(frozen=True, slots=True)
class TTest:
    """Student's t-test with one variance for both groups (`pooled`), or Welch's t-test. `one_sided`: B is higher."""

    t: float
    degrees: float
    two_sided: float
    one_sided: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """All statistics of one metric.

    Attributes:
        effect: Hedges' g of B over A.
        u: Mann-Whitney's U of B, with its exact or tie-corrected two-sided p; None if only means are known.
    """

    metric: str
    a: Group
    b: Group
    pooled: TTest
    welch: TTest
    effect: float
    u: tuple[float, float] | None = None


def compare_summaries(metric: str, a: Group, b: Group) -> Comparison:
    """Compares two groups of which only means, variances and sizes are known."""
    return Comparison(metric, a, b, _t_test(a, b, pooled=True), _t_test(a, b, pooled=False), hedges_g(a, b))


def compare(metric: str, a: Sequence[float], b: Sequence[float]) -> Comparison:
    """Compares the ratings of two groups.

    Raises:
        ValueError: a group has fewer than 2 ratings.
    """
    # Half a second to import, and most commands of the laboratory compare no ratings.
    from scipy import stats

    found = compare_summaries(metric, Group.of(a), Group.of(b))
    ranks = stats.mannwhitneyu(b, a, alternative='two-sided')
    return Comparison(
        metric, found.a, found.b, found.pooled, found.welch, found.effect, (float(ranks.statistic), float(ranks.pvalue))
    )


def hedges_g(a: Group, b: Group) -> float:
    """Difference of the means in pooled standard deviations, corrected for small groups; infinite without spread."""
    degrees = a.n + b.n - 2
    spread = math.sqrt(((a.n - 1) * a.variance + (b.n - 1) * b.variance) / degrees)
    difference = b.mean - a.mean
    if not spread:
        return math.copysign(math.inf, difference) if difference else 0.0
    return difference / spread * (1 - 3 / (4 * degrees - 1))


def _t_test(a: Group, b: Group, *, pooled: bool) -> TTest:
    from scipy import stats

    if not a.variance and not b.variance:
        # Without any spread there is no t: equal means do not differ, and other means differ for certain.
        same = a.mean == b.mean
        t = 0.0 if same else math.copysign(math.inf, b.mean - a.mean)
        return TTest(t, float(a.n + b.n - 2), 1.0 if same else 0.0, 0.5 if same else float(b.mean < a.mean))
    spreads = (b.mean, math.sqrt(b.variance), b.n, a.mean, math.sqrt(a.variance), a.n)
    two = stats.ttest_ind_from_stats(*spreads, equal_var=pooled)
    one = stats.ttest_ind_from_stats(*spreads, equal_var=pooled, alternative='greater')
    return TTest(float(two.statistic), _degrees(a, b, pooled=pooled), float(two.pvalue), float(one.pvalue))


def _degrees(a: Group, b: Group, *, pooled: bool) -> float:
    if pooled:
        return float(a.n + b.n - 2)
    parts = a.variance / a.n, b.variance / b.n
    return (sum(parts) ** 2) / (parts[0] ** 2 / (a.n - 1) + parts[1] ** 2 / (b.n - 1))
