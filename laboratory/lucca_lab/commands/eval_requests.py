"""`lucca eval requests`: random requests in many moods, and public sets of instructions."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Optional

import typer
from rich.table import Table

from lucca_cli.exit_codes import EXIT_USAGE, telling_errors
from lucca_cli.options import Json
from lucca_cli.output import Output
from lucca_cli.requirements import require_writable
from lucca_lab.understanding.instruction_sets import Half, InstructionSet, half_of, load_instructions
from lucca_lab.understanding.requests import RequestsReport, judge_requests
from lucca_lab.understanding.requests_drawn import draw_requests, load_nouns
from lucca_lab.understanding.requests_harder import draw_harder_requests


def requests(
    count: Annotated[
        int, typer.Option('--requests', min=1, help='Number of requests; from a public set, the first ones.')
    ] = 500,
    seed: Annotated[int, typer.Option(min=0, help='Seed of the drawn requests, or of the half of a set.')] = 0,
    nouns: Annotated[
        Optional[Path], typer.Option(help='File with one noun per line; by default those of the package wonderwords.')
    ] = None,
    public: Annotated[
        Optional[InstructionSet], typer.Option('--set', help='Public set to use instead of drawn requests.')
    ] = None,
    data: Annotated[Optional[Path], typer.Option(help='Folder with the files of the public set.')] = None,
    part: Annotated[
        Optional[Half], typer.Option(help='Half of the public set to use, drawn by the seed; all of it by default.')
    ] = None,
    harder: Annotated[
        bool,
        typer.Option(
            '--harder', help='Harder requests: references, counts, conditions, order, exceptions, lookalikes.'
        ),
    ] = False,
    llm: Annotated[str, typer.Option(help='Model spec of coordinator and worker.')] = 'embedded',
    out: Annotated[Optional[Path], typer.Option(help='File to write, with one line of JSON per request.')] = None,
    as_json: Json = False,
) -> None:
    """Says each request to a robot at a table of its own, and counts what comes of it.

    It is done rightly, asked back, refused, taken for talk or done wrongly. Requests that no action can do are counted
    apart.
    """
    show = Output(as_json=as_json)
    if (public is None) != (data is None):
        show.error('--set and --data go together')
        raise typer.Exit(EXIT_USAGE)
    if part is not None and public is None:
        show.error('--part is for a public set (--set)')
        raise typer.Exit(EXIT_USAGE)
    with telling_errors(show):
        require_writable(out)
        if public is not None and data is not None:
            loaded = load_instructions(public, data)
            said = (loaded if part is None else half_of(loaded, part, seed))[:count]
        else:
            draw = draw_harder_requests if harder else draw_requests
            said = draw(count, seed, load_nouns(nouns))
        report = judge_requests(said, llm=llm, on_progress=lambda number: _progress(show, number, len(said)))
        if out is not None:
            out.write_text(''.join(f'{json.dumps(line)}\n' for line in _lines(report)), encoding='utf-8')
    figures = report.as_json()
    show.json(figures) if as_json else _present(figures, show)


def _progress(show: Output, number: int, count: int) -> None:
    if number and number % 100 == 0:
        show.line(f'{number} of {count} …', 'dim')


def _lines(report: RequestsReport) -> list[dict[str, Any]]:
    return [
        {
            'verdict': str(item.verdict),
            'right_after_yes': item.right_after_yes,
            'kind': item.request.kind,
            'text': item.request.text,
            'objects': list(item.request.objects),
            'performed': list(item.outcome.performed),
            'said': item.outcome.said,
        }
        for item in report.judged
    ]


def _present(figures: Mapping[str, Any], show: Output) -> None:
    table = Table('requests', *(name for name in figures['outside'] if name != 'requests'))
    rows = {'can be done': figures, 'outside': figures['outside'], **figures['by_kind'], **figures['by_mood']}
    for name, row in rows.items():
        table.add_row(name, *(f'{row[column.header]:.3f}' for column in table.columns[1:]))
    show.console.print(table)
    show.line(f'{figures["requests"]} that can be done, {figures["outside"]["requests"]} that cannot')
