"""The report of a user study in Markdown, its figure, and a check of the paper's p-values against its means."""

import math
from collections.abc import Sequence
from pathlib import Path

from lucca_lab.figures import new_figure
from lucca_lab.study.ratings import Published
from lucca_lab.study.statistics import Comparison, TTest

LEVEL = 0.05
AGREES = 0.00055
"""The largest difference at which a published p of four decimals agrees with ours, given rounded variances."""


def report(comparisons: Sequence[Comparison]) -> str:
    """Means, variances and tests of each metric, as Markdown."""
    lines = [
        '| metric | A mean (variance, n) | B mean (variance, n) | pooled t: p two-sided / one-sided '
        '| Welch: p two-sided / one-sided | '
        "Mann-Whitney U, p | Hedges' g |",
        '| --- | --- | --- | --- | --- | --- | --- |',
    ]
    for item in comparisons:
        groups = [f'{group.mean:.3f} ({group.variance:.3f}, {group.n})' for group in (item.a, item.b)]
        ranks = f'{item.u[0]:g}, {item.u[1]:.4f}' if item.u is not None else 'needs ratings'
        row = [item.metric, *groups, _shown(item.pooled), _shown(item.welch), ranks, f'{item.effect:.2f}']
        lines.append(f'| {" | ".join(row)} |')
    return '\n'.join([*lines, '', 'One-sided: B, the group with memory, rates higher.', ''])


def _shown(test: TTest) -> str:
    return f't = {test.t:.3f}, df {test.degrees:.3g}: {test.two_sided:.4f} / {test.one_sided:.4f}'


def published_report(published: Published) -> str:
    """Table V next to table VI as Markdown, with notes where the p-values do not follow from the means."""
    lines = [
        f'## The published tables (n = {published.per_group} a group, which their steps of 1/4 and 1/12 fit)',
        '',
        '| metric | A | B | p in table VI | pooled two-sided | pooled one-sided | Welch two-sided | follows? |',
        '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ]
    notes = []
    for item in published.comparisons:
        stated = published.p_values[item.metric]
        tests = {
            'pooled, two-sided': item.pooled.two_sided,
            'pooled, one-sided': item.pooled.one_sided,
            'Welch, two-sided': item.welch.two_sided,
            'Welch, one-sided': item.welch.one_sided,
        }
        fitting = [name for name, p in tests.items() if abs(p - stated) <= AGREES]
        row = [
            item.metric,
            f'{item.a.mean:g} ({item.a.variance:.3f})',
            f'{item.b.mean:g} ({item.b.variance:.3f})',
            f'{stated:.4f}',
            *(f'{p:.4f}' for p in list(tests.values())[:3]),
            fitting[0] if fitting else '**no**',
        ]
        lines.append(f'| {" | ".join(row)} |')
        notes += _notes(item, stated, bool(fitting))
    notes.append(
        'The text of V-C has group A talk with the system with memory; the tables and the hypotheses have group B do '
        'so. '
        'The figures only make sense the second way.'
    )
    notes.append('Hallucination is named as the fourth metric; no figures of it are published.')
    return '\n'.join([*lines, '', *(f'- {note}' for note in notes), ''])


def _notes(item: Comparison, stated: float, follows: bool) -> list[str]:
    notes = []
    if not follows:
        notes.append(
            f'{item.metric}: p = {stated:.4f} does not follow from the means and variances; pooled they give '
            f'{item.pooled.two_sided:.4f} two-sided and {item.pooled.one_sided:.4f} one-sided.'
        )
    if (stated < LEVEL) != (item.pooled.one_sided < LEVEL):
        notes.append(
            f'{item.metric}: the hypothesis is one-sided (B higher); that test gives {item.pooled.one_sided:.4f}, so '
            'the '
            f'verdict "{"" if stated < LEVEL else "not "}significant" at {LEVEL:g} does not follow.'
        )
    return notes


def draw_means(comparisons: Sequence[Comparison], file: Path) -> None:
    """Draws the means of both groups with 95 % intervals, as PNG and SVG.

    Raises:
        ConfigError: matplotlib is not installed.
    """
    from scipy import stats

    figure = new_figure(1.8 + 1.5 * len(comparisons), 3.2, dpi=150)
    axes = figure.subplots()
    for side, (label, colour) in enumerate((('A: without memory', '#c8553d'), ('B: with memory', '#1b6ca8'))):
        groups = [(item.a, item.b)[side] for item in comparisons]
        halves = [stats.t.ppf(0.975, group.n - 1) * math.sqrt(group.variance / group.n) for group in groups]
        places = [place + 0.36 * (side - 0.5) for place in range(len(groups))]
        axes.bar(places, [group.mean for group in groups], 0.34, color=colour, label=label)
        axes.errorbar(places, [group.mean for group in groups], halves, fmt='none', ecolor='black', elinewidth=0.8)
    names = [item.metric.replace('_', ' ') for item in comparisons]
    axes.set_xticks(range(len(names)), names, fontsize=8)
    axes.set_ylim(1, 5.4)
    axes.set_ylabel('mean rating, 1 to 5')
    axes.legend(fontsize=7, loc='lower right')
    for ending in ('.png', '.svg'):
        figure.savefig(file.with_suffix(ending))
