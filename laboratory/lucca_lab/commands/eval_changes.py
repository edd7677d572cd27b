"""`lucca eval changes`: changes of mind in the middle of a task."""

import json
from pathlib import Path
from typing import Annotated, Optional

import typer

from lucca_cli.exit_codes import telling_errors
from lucca_cli.options import Json
from lucca_cli.output import Output
from lucca_cli.requirements import require_writable
from lucca_lab.understanding.changes import judge_changes
from lucca_lab.understanding.changes_drawn import draw_changes
from lucca_lab.understanding.requests_drawn import load_nouns


def changes(
    trials: Annotated[int, typer.Option(min=1, help='Number of tasks, each with one change.')] = 300,
    seed: Annotated[int, typer.Option(min=0, help='Seed of the drawn tasks.')] = 0,
    nouns: Annotated[
        Optional[Path], typer.Option(help='File with one noun per line; by default those of the package wonderwords.')
    ] = None,
    llm: Annotated[str, typer.Option(help='Model spec of coordinator and worker.')] = 'embedded',
    out: Annotated[Optional[Path], typer.Option(help='File to write, with one line of JSON per trial.')] = None,
    as_json: Json = False,
) -> None:
    """Says something else in the middle of a task: adds, revises, takes back, corrects. `right`: the final state is
    the one that the changed task asks for; `repeated` counts actions done twice."""
    show = Output(as_json=as_json)
    with telling_errors(show):
        require_writable(out)
        drawn = draw_changes(trials, seed, load_nouns(nouns))
        report = judge_changes(
            drawn,
            llm=llm,
            on_progress=lambda number: show.line(f'{number} of {trials} …', 'dim') if number % 50 == 0 else None,
        )
        if out is not None:
            lines = [
                {
                    'kind': item.drawn.kind,
                    'verdict': item.verdict,
                    'text': item.drawn.text,
                    'said': item.said,
                    'at': item.drawn.at,
                    'wanted': item.wanted,
                    'answer': item.answer.said,
                    'end': item.outcome.said,
                    'contents': item.outcome.contents,
                    'logged': item.logged,
                }
                for item in report.judged
            ]
            out.write_text(''.join(f'{json.dumps(line)}\n' for line in lines), encoding='utf-8')
    figures = report.as_json()
    if as_json:
        show.json(figures)
        return
    show.line(
        f'{figures["right"]:.3f} right, {figures["asked"]:.3f} asked, {figures["wrong"]:.3f} wrong; '
        f'{figures["repeated"]} repeated, {figures["not_logged"]} not logged'
    )
    for kind, shares in figures['by_kind'].items():
        show.line(f'  {kind}: {shares["right"]:.3f}')
