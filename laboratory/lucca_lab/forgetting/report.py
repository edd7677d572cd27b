"""The report of `lucca eval forgetting`: summary.json, table.md, report.md and the figures."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lucca_core.errors import ConfigError
from lucca_lab.figures import new_figure
from lucca_lab.forgetting.comparison import ABLATIONS, BASELINES, BOUND, OURS, SUMMARY_FILE, Contest, summarised
from lucca_lab.forgetting.kept_facts import ALL_UNSEEN
from lucca_lab.forgetting.run import AnswerOutcome
from lucca_lab.forgetting.systems.lucca import Lucca
from lucca_memory.semantic.graph.change import CONCEPT, EdgeKind
from lucca_memory.semantic.graph.network import Network

COLOURS = ('#1b6ca8', '#c8553d', '#588157', '#8d6a9f', '#e0a030', '#555555', '#20a0a0', '#a05050')


def write_report(contest: Contest, *, figures: bool = True) -> dict[str, Any]:
    """Writes all files of a run's report and returns its summary.

    Raises:
        ConfigError: a file cannot be written, or matplotlib is missing although figures are wanted.
    """
    summary = summarised(contest)
    table = table_of(summary)
    drawn = draw(contest) if figures and contest.kept_outcomes else []
    try:
        (contest.folder / SUMMARY_FILE).write_text(json.dumps(summary, indent=1) + '\n', encoding='utf-8')
        (contest.folder / 'table.md').write_text(table, encoding='utf-8')
        (contest.folder / 'report.md').write_text(_report(summary, table, drawn), encoding='utf-8')
    except OSError as error:
        raise ConfigError(f'the report cannot be written: {error}', file=str(contest.folder)) from error
    return summary


def table_of(summary: Mapping[str, Any]) -> str:
    """All systems as a Markdown table."""
    columns = ('MRS [95 %]', 'FP', 'coherence', 'tasks', 'found', 'said once', 'bytes', 'nodes', 'tokens', 'ms')
    lines = [f'| system | {" | ".join(columns)} |', f'| --- |{" --- |" * len(columns)}']
    for name, row in summary['systems'].items():
        interval = row['ci']['mrs']
        ends = '' if interval is None else f' [{interval[0]:.3f}, {interval[1]:.3f}]'
        cells = [
            f'{_shown(row["mrs"])}{ends}',
            *(_shown(row[key]) for key in ('fp', 'coherence', 'task_completion', 'found', 'once')),
            *(f'{row[key]:.0f}' for key in ('bytes', 'nodes', 'tokens')),
            f'{row["ms"]:.1f}',
        ]
        label = f'**{name}**' if name == OURS else f'{name} (no budget)' if name == BOUND else name
        lines.append(f'| {label} | {" | ".join(cells)} |')
    return '\n'.join([*lines, ''])


def _shown(value: float | None) -> str:
    return '-' if value is None else f'{value:.3f}'


def _report(summary: Mapping[str, Any], table: str, drawn: Sequence[str]) -> str:
    lines = [
        f'# Forgetting: {summary["split"]} split, budget {summary["budget"]:.0%}, seed {summary["seed"]}',
        '',
        f'{summary["scenarios"]} scenarios, {summary["statements"]} facts, {summary["critical_share"]:.1%} of them '
        'critical, '
        f'{summary["once_share"]:.1%} of these said once and not asked for in three weeks. Embedding: '
        f'{summary["embedding"]}.',
        f'Ceiling (an oracle of all observable signals): MRS {summary["ceiling"]:.3f}, FP {summary["ceiling_fp"]:.3f}.',
        '',
        table,
        'MRS: the context gives the valid value and no outdated one that is not marked. found: the same, outdated '
        'ones let '
        'pass. FP: share of what was forgotten that is irrelevant. ms: mean time of a turn, embedding aside.',
        '',
    ]
    if 'targets' in summary:
        lines += ['## Against the targets', '']
        lines += [f'- {name.replace("_", " ")}: {value}' for name, value in summary['targets'].items()]
        lines += ['', '## Who is ahead of whom', '']
        for name, shares in summary['ahead'].items():
            kind = 'ablation' if name in ABLATIONS else 'baseline'
            lines.append(f'- {kind} {name}: {_said(shares["mrs"], name in BASELINES)}')
        lines.append('')
    policy = summary.get('learned')
    if policy:
        figures = policy['critical_facts_kept']
        lines += [
            '## The learned policy',
            '',
            f'{policy["learned_by"]}, {policy["steps"]} steps, seed {policy["seed"]}.',
            '',
        ]
        # A policy of an older form has no shares of unseen weeks; it is measured again here in any case.
        of_groups = figures if ALL_UNSEEN in figures else {}
        for group, found in of_groups.items():
            shares = ', '.join(f'{who} {found[who]:.4f}' for who in ('default', 'tuned', 'learned'))
            low, high = found['learned_minus_tuned']
            lines.append(f'- {group} ({found["facts"]} facts): {shares}; learned - tuned {low:+.4f} to {high:+.4f}')
        if ALL_UNSEEN in figures and figures[ALL_UNSEEN]['learned_minus_tuned'][0] <= 0:
            lines.append('- **PPO is not ahead of the tuned fixed setting on scenarios that were in no training.**')
        lines.append('')
    return '\n'.join([*lines, *(f'![{name}]({name}.png)\n' for name in drawn)])


def _said(difference: Mapping[str, Any], is_baseline: bool) -> str:
    if difference['ci'] is None:
        return 'not measured'
    low, high = difference['ci']
    if difference['outside']:
        return f'lucca is ahead outside the interval (MRS difference {low:+.3f} to {high:+.3f})'
    if high < 0:
        return f'lucca is **behind** outside the interval ({low:+.3f} to {high:+.3f})'
    without = 'no clear difference' if is_baseline else 'leaving it out does not hurt clearly'
    return f'{without} ({low:+.3f} to {high:+.3f})'


# -- figures ------------------------------------------------------------------------------------------------------


def draw(contest: Contest) -> list[str]:
    """Draws growth and forgetting over time, and the graph with and without a budget, of the first scenario.

    Returns the names of the files without extension.

    Raises:
        ConfigError: matplotlib is not installed.
    """
    shown = [
        name for name in (OURS, BOUND, 'memorybank', 'lru', 'vector_rag', 'random') if name in contest.kept_outcomes
    ]
    outcomes = {name: contest.kept_outcomes[name] for name in shown}
    figure(contest.folder / 'growth', 3, lambda panels: _growth(panels, outcomes))
    scenario = contest.scenarios()[0]
    embedder = contest.embedder
    networks = []
    for budget in (None, int(contest.plan.budget * scenario.introduced_bytes)):
        from lucca_lab.forgetting.run import run

        system = Lucca(embedder)
        run(scenario, system, budget)
        networks.append(system.memory.network)
    figure(contest.folder / 'graph', 2, lambda panels: _graphs(panels, networks))
    return ['growth', 'graph']


def figure(file: Path, panels: int, draw_on: Callable[[Sequence[Any]], None]) -> None:
    """Draws on a number of panels and saves the figure as PNG and SVG.

    Raises:
        ConfigError: matplotlib is not installed.
    """
    drawing = new_figure(4.6 * panels, 3.4, dpi=130)
    draw_on(list(drawing.subplots(1, panels, squeeze=False)[0]))
    for ending, metadata in (('png', {'Software': None}), ('svg', {'Date': None})):
        drawing.savefig(file.with_suffix(f'.{ending}'), metadata=metadata)


def _growth(panels: Sequence[Any], outcomes: Mapping[str, AnswerOutcome]) -> None:
    for colour, (name, outcome) in zip(COLOURS, outcomes.items(), strict=False):
        days = [moment.day for moment in outcome.moments]
        panels[0].plot(days, [moment.bytes / 1000 for moment in outcome.moments], color=colour, label=name)
        panels[1].plot(days, [moment.introduced - moment.kept for moment in outcome.moments], color=colour, label=name)
        shares = [moment.critical_kept / max(1, moment.critical_introduced) for moment in outcome.moments]
        panels[2].plot(days, shares, color=colour, label=name)
    for axes, title in zip(
        panels, ('kept, kB of text', 'facts forgotten', 'critical facts told so far, kept'), strict=True
    ):
        axes.set_title(title, fontsize=9)
        axes.set_xlabel('days')
        axes.grid(alpha=0.25)
    panels[2].set_ylim(0, 1.02)
    panels[0].legend(fontsize=7)


def _graphs(panels: Sequence[Any], networks: Sequence[Network]) -> None:
    try:
        import networkx
    except ImportError as error:
        raise ConfigError('the picture of the graph needs networkx: pip install networkx') from error
    for axes, title, network in zip(panels, ('nothing forgotten', 'within the budget'), networks, strict=True):
        a, b, kinds, _ = network.edges
        alive, is_concept = network.column('alive'), network.column('kinds') == CONCEPT
        graph = networkx.Graph()
        graph.add_nodes_from(row for row in range(len(network)) if alive[row] and not is_concept[row])
        mentioned: dict[int, int] = {}
        for at, concept, kind in zip(a.tolist(), b.tolist(), kinds.tolist(), strict=True):
            if kind == EdgeKind.MENTIONS and alive[at] and alive[concept]:
                mentioned[concept] = mentioned.get(concept, 0) + 1
                graph.add_edge(at, concept)
        # Concepts that only one statement mentions tell nothing about the shape.
        graph.remove_nodes_from([concept for concept, count in mentioned.items() if count < 2])
        places = networkx.spring_layout(graph, seed=1, iterations=30)
        colours = [COLOURS[1] if is_concept[row] else COLOURS[0] for row in graph]
        networkx.draw_networkx_nodes(graph, places, ax=axes, node_size=6, node_color=colours, linewidths=0)
        networkx.draw_networkx_edges(graph, places, ax=axes, width=0.2, alpha=0.3)
        statements = int((alive & ~is_concept).sum())
        axes.set_title(f'{title}: {statements} statements, {int((alive & is_concept).sum())} concepts', fontsize=9)
        axes.axis('off')
