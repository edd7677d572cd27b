"""`lucca bench semantic`: time, peak memory and recall of networks of up to a million nodes, against limits."""

from pathlib import Path
from typing import Annotated, Optional

import typer
from rich.table import Table

from lucca_cli.exit_codes import telling_errors
from lucca_cli.output import Output
from lucca_cli.requirements import require_packages, require_writable
from lucca_lab.bench.semantic_scale import SIZES, SemanticScaleOptions, build_networks, draw, measure_semantic

AT_MOST = {'decision_s': 2.0, 'question_p95_ms': 20.0, 'peak_mb': 4096.0}
AT_LEAST = {'recall_at_10': 0.95}


def bench_semantic(
    size: Annotated[Optional[list[int]], typer.Option(help='Number of nodes; may be repeated.')] = None,
    questions: Annotated[int, typer.Option(help='Questions asked at each size.')] = 300,
    seed: Annotated[int, typer.Option(min=0, help='Seed of texts and vectors.')] = 0,
    figure: Annotated[Optional[Path], typer.Option(help='Picture to write (.png).')] = None,
    networks: Annotated[Optional[Path], typer.Option(help='Folder that keeps the networks between runs.')] = None,
    only_build: Annotated[bool, typer.Option(help='Only build the networks in that folder; measure nothing.')] = False,
    as_json: Annotated[bool, typer.Option('--json', help='Print JSON to standard output.')] = False,
) -> None:
    """Measures networks of 10,000 to 1,000,000 nodes with five edges each: a forgetting pass, a question, memory."""
    show = Output(as_json=as_json)
    options = SemanticScaleOptions(sizes=tuple(size or SIZES), questions=questions, seed=seed, networks=networks)
    if only_build:
        if networks is None:
            raise typer.BadParameter('--only-build needs --networks, the folder to build them in')
        with telling_errors(show, wrong_call=ValueError):
            build_networks(options, networks, on_progress=lambda text: show.line(text, 'dim'))
        return
    with telling_errors(show, wrong_call=ValueError):
        if figure is not None:
            require_packages('pictures', 'matplotlib')
            require_writable(figure)
        figures = measure_semantic(options, on_progress=lambda text: show.line(text, 'dim'))
        if figure is not None:
            draw(figures, figure)
    if as_json:
        show.json(figures)
        return
    table = Table('figure', *(f'{item["nodes"]} nodes' for item in figures), 'budget')
    for name in figures[0]:
        values = [item[name] for item in figures]
        table.add_row(name, *(f'{value:.4g}' for value in values), _verdict(name, values[-1]))
    show.console.print(table)


def _verdict(name: str, value: float) -> str:
    if name in AT_MOST:
        return f'{AT_MOST[name]:g} {"kept" if value < AT_MOST[name] else "missed"}'
    if name in AT_LEAST:
        return f'{AT_LEAST[name]:g} {"kept" if value >= AT_LEAST[name] else "missed"}'
    return ''
