"""The figures of a task experiment, drawn as PNG and SVG; matplotlib is needed."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lucca_core.errors import ConfigError
from lucca_lab.tasks import suites
from lucca_lab.tasks.paper import TASKS, load_paper
from lucca_lab.tasks.prompts_seen import PromptGrowth
from lucca_lab.tasks.spec import Mode
from lucca_lab.tasks.summary import Cell, Counter, pooled

WITH, WITHOUT, PAPER = '#1b6ca8', '#c8553d', '#555555'
_LOOK = {
    'font.size': 9,
    'axes.spines.top': False,
    'axes.spines.right': False,
    'axes.grid': True,
    'grid.alpha': 0.25,
    'figure.dpi': 150,
    'svg.hashsalt': 'lucca',
}
Axes = Any
"""matplotlib's class. The library is imported only when something is drawn."""


def draw_all(folder: Path, counter: Counter, growth: PromptGrowth) -> list[str]:
    """Draws all figures for which a run has trials. Returns their names, without file extension.

    Raises:
        ConfigError: matplotlib is not installed.
    """
    drawn = []
    if any(cell.mode != Mode.STANDALONE for cell in counter.cells()):
        drawn.append(_figure(folder, 'success_by_task', 2, lambda axes: _by_task(axes, counter.cells())))
    if counter.variants(suites.WINDOWS):
        drawn.append(_figure(folder, 'success_by_window', 2, lambda axes: _by_window(axes, counter)))
    if counter.variants(suites.FAULT_RATES):
        drawn.append(_figure(folder, 'success_by_fault_rate', 1, lambda axes: _by_rate(axes[0], counter)))
    if growth.series:
        drawn.append(_figure(folder, 'prompt_tokens_by_action', 1, lambda axes: _by_action(axes[0], growth)))
    return drawn


def _figure(folder: Path, name: str, panels: int, draw: Callable[[Sequence[Axes]], None]) -> str:
    try:
        import matplotlib
    except ImportError as error:
        raise ConfigError(
            'figures need matplotlib: pip install "lucca-lab[figures]", or: pip install matplotlib'
        ) from error
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_LOOK):
        # pyplot is avoided: it may open a window, and it has state that other figures share.
        figure = Figure(figsize=(4.6 * panels, 3.2), layout='constrained')
        draw(list(figure.subplots(1, panels, squeeze=False)[0]))
        for ending in ('png', 'svg'):
            metadata = {'Date': None} if ending == 'svg' else {'Software': None}
            figure.savefig(folder / f'{name}.{ending}', metadata=metadata)
    return name


def _by_task(panels: Sequence[Axes], cells: Sequence[Cell]) -> None:
    """Success like figures 5 and 6 of the paper: with and without memory, next to the standalone baseline."""
    paper = load_paper()
    found = {cell.key: cell for cell in cells}
    for axes, mode in zip(panels, (Mode.CONSECUTIVE.value, Mode.INTERVENED.value), strict=True):
        bars = (
            ('standalone', Mode.STANDALONE.value, False, '#bbbbbb'),
            ('without memory', mode, False, WITHOUT),
            ('with memory', mode, True, WITH),
        )
        for number, (label, of_mode, memory, colour) in enumerate(bars):
            there = [
                (place, found[of_mode, memory, task])
                for place, task in enumerate(TASKS)
                if (of_mode, memory, task) in found
            ]
            if not there:
                continue
            places = [place + 0.27 * (number - 1) for place, _ in there]
            axes.bar(places, [cell.success for _, cell in there], 0.25, color=colour, label=label)
            axes.errorbar(
                places,
                [cell.success for _, cell in there],
                _whiskers([cell for _, cell in there]),
                fmt='none',
                ecolor='black',
                elinewidth=0.7,
            )
            published = [paper.mean(of_mode, memory, task, 'success') for task in TASKS]
            axes.plot(
                [place + 0.27 * (number - 1) for place in range(len(TASKS))],
                published,
                linestyle='none',
                marker='D',
                markersize=3,
                color=PAPER,
                label='published, mean of both models' if number == 2 else None,
            )
        axes.set_xticks(range(len(TASKS)), TASKS, rotation=20)
        axes.set_ylim(0, 1.08)
        axes.set_title(mode)
    panels[0].set_ylabel('success rate')
    _legend(panels)


def _by_window(panels: Sequence[Axes], counter: Counter) -> None:
    for axes, mode in zip(panels, (Mode.CONSECUTIVE.value, Mode.INTERVENED.value), strict=True):
        for memory, colour in ((True, WITH), (False, WITHOUT)):
            points: dict[float, list[Cell]] = {}
            for variant in counter.variants(suites.WINDOWS):
                cells = [
                    cell
                    for cell in counter.cells(suites.WINDOWS, variant)
                    if (cell.mode, cell.memory) == (mode, memory)
                ]
                if cells:
                    points[float(variant.partition('=')[2])] = cells
            _curve(axes, points, colour, 'with memory' if memory else 'without memory')
        axes.set_xscale('log', base=2)
        ticks = [1024, 2048, 4096, 8192, 16384]
        axes.set_xticks(ticks, [f'{tick // 1024}k' for tick in ticks])
        axes.set_ylim(-0.02, 1.05)
        axes.set_title(mode)
        axes.set_xlabel('context window, tokens')
    panels[0].set_ylabel('success rate')
    _legend(panels)


def _by_rate(axes: Axes, counter: Counter) -> None:
    for safeguards, colour in (('on', WITH), ('off', WITHOUT)):
        points = {}
        for variant in counter.variants(suites.FAULT_RATES):
            settings = dict(part.split('=') for part in variant.split(','))
            if settings['safeguards'] == safeguards:
                points[float(settings['rate'])] = counter.cells(suites.FAULT_RATES, variant)
        _curve(axes, points, colour, 'with safeguards' if safeguards == 'on' else 'without safeguards')
    axes.set_ylim(-0.02, 1.05)
    axes.set_xlabel('faults per model call')
    axes.set_ylabel('success rate, with memory')
    _legend([axes])


def _by_action(axes: Axes, growth: PromptGrowth) -> None:
    for memory, colour in ((True, WITH), (False, WITHOUT)):
        tokens = growth.means(memory)
        if tokens:
            label = 'with memory' if memory else 'without memory'
            axes.plot(range(1, len(tokens) + 1), tokens, color=colour, marker='o', markersize=2.5, label=label)
    axes.set_ylim(bottom=0)
    axes.set_xlabel('action of the session (five tasks in one chat)')
    axes.set_ylabel('prompt tokens')
    _legend([axes])


def _curve(axes: Axes, points: Mapping[float, Sequence[Cell]], colour: str, label: str) -> None:
    """The pooled success over a parameter, with the range of the single cells."""
    if not points:
        return
    places = sorted(points)
    axes.plot(places, [pooled(points[place]) for place in places], color=colour, marker='o', markersize=3, label=label)
    lowest = [min(cell.success for cell in points[place]) for place in places]
    highest = [max(cell.success for cell in points[place]) for place in places]
    axes.fill_between(places, lowest, highest, color=colour, alpha=0.12, linewidth=0)


def _whiskers(cells: Sequence[Cell]) -> list[list[float]]:
    below = [max(0.0, cell.success - cell.intervals['success'][0]) for cell in cells]
    above = [max(0.0, cell.intervals['success'][1] - cell.success) for cell in cells]
    return [below, above]


def _legend(panels: Sequence[Axes]) -> None:
    """Draws a legend in the last panel that has labels."""
    for axes in reversed(panels):
        if axes.get_legend_handles_labels()[0]:
            axes.legend(fontsize=7, loc='best')
            return
