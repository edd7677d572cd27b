"""The report of a task experiment, made from its trials: `summary.json`, `table.md`, `report.md` and figures."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lucca_core.errors import ConfigError
from lucca_lab.tasks import suites
from lucca_lab.tasks.figures import draw_all
from lucca_lab.tasks.paper import METRICS, MODELS, NOT_WHOLE, load_paper
from lucca_lab.tasks.prompts_seen import PromptGrowth, is_lost_instruction, lost_instruction
from lucca_lab.tasks.results import RunFolder
from lucca_lab.tasks.spec import Mode
from lucca_lab.tasks.suites import SuitePlan
from lucca_lab.tasks.summary import Cell, Counter, as_summary, pooled

SUMMARY_FILE, TABLE_FILE, REPORT_FILE = 'summary.json', 'table.md', 'report.md'
LOST_FILE = 'lost_instruction.md'
_HEADINGS = {'success': 'success', 'task_retention': 'task retention', 'environment_retention': 'environment retention'}


def write_report(folder: RunFolder) -> dict[str, Any]:
    """Writes all files into the folder of a run and returns the summary.

    Raises:
        ConfigError: the folder holds no run, or a line of its results is damaged.
    """
    plan, counter, growth = folder.plan(), Counter(), PromptGrowth()
    lost = ''
    for record in folder.records():
        counter.add(record)
        growth.add(record)
        if not lost and is_lost_instruction(record):
            lost = lost_instruction(record)
    summary = as_summary(counter, folder.wall_s)
    if misfit := calibration_error(counter.cells()):
        summary['calibration_mean_absolute_error'] = misfit
    if lost:
        (folder.path / LOST_FILE).write_text(lost, encoding='utf-8')
    (folder.path / SUMMARY_FILE).write_text(json.dumps(summary, indent=2) + '\n', encoding='utf-8')
    (folder.path / TABLE_FILE).write_text(table(counter.cells()), encoding='utf-8')
    try:
        pictures = [f'![{name.replace("_", " ")}]({name}.png)' for name in draw_all(folder.path, counter, growth)]
    except ConfigError as error:
        # The results are complete; figures can be drawn later with `lucca eval report`.
        pictures = [f'No figures: {error}.']
    text = _report(plan, counter, growth, summary, pictures, lost=bool(lost))
    (folder.path / REPORT_FILE).write_text(text, encoding='utf-8')
    return summary


def table(cells: Sequence[Cell]) -> str:
    """A Markdown table of our figures and the published ones, cell by cell."""
    paper = load_paper()
    lines = [
        '# Ours beside the published figures',
        '',
        'Ours: rate, Wilson 95 % interval. *raw*: complete without any wrong answer, repair or correction, as the '
        'paper '
        f'scores. Published: {" / ".join(MODELS)}, 50 trials a cell ("Robots Can Multitask Too", tables II to IV; '
        f'{NOT_WHOLE}).',
        '',
    ]
    for mode in Mode:
        for memory in (False, True):
            rows = [cell for cell in cells if (cell.mode, cell.memory) == (mode, memory)]
            if rows:
                lines += [f'## {mode}, {"with" if memory else "without"} memory', '', *_rows(rows), '']
    there = {cell.key for cell in cells}
    missing = [key for key in paper.published if key not in there]
    if missing and cells:
        lines += [f'Not run: {len(missing)} of the {len(paper.published)} published cells.', '']
    return '\n'.join(lines)


def _rows(cells: Sequence[Cell]) -> list[str]:
    paper = load_paper()
    head = ['task', 'n', 'raw'] + [part for name in METRICS for part in (_HEADINGS[name], 'published')]
    lines = [_row(head), _row(['---'] * len(head))]
    for cell in cells:
        published = paper.published.get(cell.key)
        row = [cell.task, str(cell.n), f'{cell.raw_success:.2f}']
        for place, name in enumerate(METRICS):
            low, high = cell.intervals[name]
            theirs = ' / '.join(f'{published[model][place]:.2f}' for model in MODELS) if published else ''
            row += [f'**{getattr(cell, name):.2f}** ({low:.2f} to {high:.2f})', theirs]
        lines.append(_row(row))
    return lines


def _row(parts: Iterable[str]) -> str:
    return f'| {" | ".join(parts)} |'


def calibration_error(cells: Sequence[Cell]) -> dict[str, float]:
    """Mean absolute difference to the published cells without memory, averaged over both models, by metric."""
    paper, errors = load_paper(), dict[str, float]()
    for name in METRICS:
        pairs = [
            (getattr(cell, name), theirs)
            for cell in cells
            if not cell.memory and (theirs := paper.mean(*cell.key, name)) is not None
        ]
        if pairs:
            errors[name] = round(sum(abs(ours - theirs) for ours, theirs in pairs) / len(pairs), 4)
    return errors


def _report(
    plan: SuitePlan,
    counter: Counter,
    growth: PromptGrowth,
    summary: Mapping[str, Any],
    pictures: Sequence[str],
    *,
    lost: bool,
) -> str:
    setting, cells = plan.setting, counter.cells()
    worker = setting.worker or setting.coordinator
    lines = [
        '# lucca eval tasks',
        '',
        f'Coordinator `{setting.coordinator}`, worker `{worker}`, seed {plan.seed}, window {setting.context_tokens} '
        'tokens '
        f'({setting.overflow} on overflow); {plan.conditions(counter.suites())}.',
        '',
        f'{counter.trials} trials in {summary["wall_s"]:.0f} s, {counter.calls} calls of models, {counter.calls_cut} '
        'of them '
        f'with a part of the chat left out by the window; the longest prompt had {counter.largest_prompt} tokens '
        '(estimated). '
        'Actions carried out that were outside of the snapshot or not allowed for the task: '
        f'**{len(counter.ungated)}**.',
        '',
        *_grid_lines(cells),
        *_calibration_lines(cells, setting.faults),
        *_window_lines(counter),
        *_rate_lines(counter),
        *_ablation_lines(counter),
        *_other_lines(counter),
        *_growth_lines(growth),
    ]
    if lost:
        lines += [f'How an instruction left the window, word for word: [{LOST_FILE}]({LOST_FILE}).', '']
    lines += pictures
    return '\n'.join(lines) + f'\n\nAll cells: [{TABLE_FILE}]({TABLE_FILE}). All transcripts: `results.jsonl`.\n'


def _grid_lines(cells: Sequence[Cell]) -> list[str]:
    if not cells:
        return []
    paper = load_paper()
    lines = [
        '| mode | memory | success | raw | lowest cell | task retention | environment retention | published success |',
        '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ]
    for mode in Mode:
        for memory in (False, True):
            rows = [cell for cell in cells if (cell.mode, cell.memory) == (mode, memory)]
            if not rows:
                continue
            theirs = [rate for cell in rows if (rate := paper.mean(*cell.key, 'success')) is not None]
            lowest = min(rows, key=lambda cell: cell.success)
            lines.append(
                _row(
                    [
                        str(mode),
                        'with' if memory else 'without',
                        *(f'{pooled(rows, name):.3f}' for name in ('success', 'raw_success')),
                        f'{lowest.success:.3f} ({lowest.task})',
                        *(f'{pooled(rows, name):.3f}' for name in METRICS[1:]),
                        f'{sum(theirs) / len(theirs):.3f}' if theirs else '',
                    ]
                )
            )
    return [*lines, '']


def _calibration_lines(cells: Sequence[Cell], faults: str) -> list[str]:
    errors = calibration_error(cells)
    if not errors or not faults:
        return []
    told = ', '.join(f'{_HEADINGS[name]} {error:.3f}' for name, error in errors.items())
    return [f'Mean absolute difference to the published cells without memory (mean of both models): {told}.', '']


def _window_lines(counter: Counter) -> list[str]:
    variants = counter.variants(suites.WINDOWS)
    if not variants:
        return []
    lines = ['| window | consecutive without | with | intervened without | with |', '| --- | --- | --- | --- | --- |']
    for variant in variants:
        cells = counter.cells(suites.WINDOWS, variant)
        row = [variant.partition('=')[2]]
        for mode in (Mode.CONSECUTIVE, Mode.INTERVENED):
            for memory in (False, True):
                rate = pooled(cell for cell in cells if (cell.mode, cell.memory) == (mode, memory))
                row.append('' if rate is None else f'{rate:.2f}')
        lines.append(_row(row))
    return [*lines, '']


def _rate_lines(counter: Counter) -> list[str]:
    rates: dict[str, dict[str, float]] = {}
    for variant in counter.variants(suites.FAULT_RATES):
        parts = dict(part.split('=') for part in variant.split(','))
        rate = pooled(counter.cells(suites.FAULT_RATES, variant))
        rates.setdefault(parts['rate'], {})[parts['safeguards']] = rate or 0.0
    if not rates:
        return []
    lines = ['| faults per call | success with safeguards | without |', '| --- | --- | --- |']
    lines += [_row([rate, f'{found.get("on", 0):.2f}', f'{found.get("off", 0):.2f}']) for rate, found in rates.items()]
    return [*lines, '']


def _ablation_lines(counter: Counter) -> list[str]:
    variants = counter.variants(suites.ABLATIONS)
    if not variants:
        return []
    lines = [
        f'Ablations, with memory, {100 * suites.ABLATION_SLIPS:g} % of the actions without effect:',
        '',
        '| stack | consecutive | intervened | task retention | environment retention |',
        '| --- | --- | --- | --- | --- |',
    ]
    for variant in variants:
        cells = counter.cells(suites.ABLATIONS, variant)
        rates = [pooled(cell for cell in cells if cell.mode == mode) for mode in (Mode.CONSECUTIVE, Mode.INTERVENED)]
        rates += [pooled(cells, name) for name in METRICS[1:]]
        lines.append(_row([variant, *('' if rate is None else f'{rate:.3f}' for rate in rates)]))
    return [*lines, '']


def _other_lines(counter: Counter) -> list[str]:
    lines: list[str] = []
    for suite, title in (
        (suites.SWITCHING, 'Interrupted at every step, other tasks nested to a depth of 3, restarted, resumed'),
        (suites.SCALE, 'Generated tasks (their number is that of the objects on each table), depth 3'),
        (suites.PEOPLE, 'Several people with a goal each at the same time'),
    ):
        variants = counter.variants(suite)
        if not variants:
            continue
        lines += [f'{title}:', '', '| | n | success | 95 % |', '| --- | --- | --- | --- |']
        for variant in variants:
            for cell in _merged(counter.cells(suite, variant)):
                low, high = cell.intervals['success']
                name = ', '.join(part for part in (variant, cell.task) if part)
                lines.append(_row([name, str(cell.n), f'{cell.success:.3f}', f'{low:.3f} to {high:.3f}']))
        lines.append('')
    return lines


def _merged(cells: Sequence[Cell]) -> list[Cell]:
    """The cells, sorted by the numbers in their names: 6 tasks before 12, depth 1 before depth 2."""
    return sorted(cells, key=lambda cell: ([int(number) for number in re.findall(r'\d+', cell.task)], cell.task))


def _growth_lines(growth: PromptGrowth) -> list[str]:
    figures = []
    for memory in (True, False):
        means = growth.means(memory)
        if len(means) >= 2:
            figures.append(f'{"with" if memory else "without"} memory from {means[0]:.0f} to {means[-1]:.0f}')
    return (
        [f'Tokens of the prompt from the first to the last action of a session: {"; ".join(figures)}.', '']
        if figures
        else []
    )
