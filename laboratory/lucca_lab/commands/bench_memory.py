"""`lucca bench memory`: store, start and recall with very many turns, and the same for LanceDB and Chroma."""

from pathlib import Path
from typing import Annotated, Any, Optional

import typer
from rich.table import Table

from lucca_cli.exit_codes import telling_errors
from lucca_cli.output import Output
from lucca_lab.bench.drawn_turns import ScaleOptions
from lucca_lab.bench.memory_rivals import RIVALS
from lucca_lab.bench.memory_scale import measure

BUDGETS = {
    'recall_p95_ms': 50.0,
    'recall_largest_p95_ms': 50.0,
    'start_s': 5.0,
    'store_p50_ms': 50.0,
}
"""The largest allowed values; `dense_recall_at_10` must be at least LEAST_RECALL."""

LEAST_RECALL = 0.95


def bench_memory(
    turns: Annotated[int, typer.Option(help='Number of stored turns.')] = 1_000_000,
    people: Annotated[int, typer.Option(help='People among whom they are divided; one person has a tenth.')] = 100,
    questions: Annotated[int, typer.Option(help='Questions asked.')] = 300,
    seed: Annotated[int, typer.Option(min=0, help='Seed of texts and vectors.')] = 0,
    rival: Annotated[bool, typer.Option(help='Compare with LanceDB and Chroma, if they are installed.')] = True,
    folder: Annotated[
        Optional[Path],
        typer.Option(help='Folder in which the memory is built and kept; an existing one is only measured.'),
    ] = None,
    as_json: Annotated[bool, typer.Option('--json', help='Print JSON to standard output.')] = False,
) -> None:
    """Measures recall with a million turns, without the encoder: p95, start, storing a turn, against their budgets."""
    show = Output(as_json=as_json)
    options = ScaleOptions(turns=turns, people=people, questions=questions, seed=seed, rival=rival)
    with telling_errors(show):
        figures = measure(options, folder, on_progress=lambda text: show.line(text, 'dim'))
    if as_json:
        show.json(figures)
        return
    table = Table('figure', 'value', 'budget')
    for name, value in figures.items():
        if isinstance(value, dict):
            for inner, figure in value.items():
                table.add_row(f'{name} {inner}', f'{figure:.1f}', '')
        elif value is not None:
            table.add_row(name, _shown(value), _budget(name, value))
    show.console.print(table)
    if rival and not any(other.name in figures for other in RIVALS):
        show.line('no comparison: neither LanceDB nor Chroma is installed (pip install lancedb)', 'yellow')


def _shown(value: Any) -> str:
    return f'{value:.3g}' if isinstance(value, float) and value < 100 else f'{value:.0f}'


def _budget(name: str, value: float) -> str:
    if name == 'dense_recall_at_10':
        return f'{LEAST_RECALL} {"kept" if value >= LEAST_RECALL else "missed"}'
    if name not in BUDGETS:
        return ''
    return f'{BUDGETS[name]:g} {"kept" if value < BUDGETS[name] else "missed"}'
