"""`lucca eval self`: questions to the robot about itself, on random histories."""

import json
from pathlib import Path
from typing import Annotated, Optional

import typer

from lucca_cli.exit_codes import telling_errors
from lucca_cli.options import Json
from lucca_cli.output import Output
from lucca_cli.requirements import require_writable
from lucca_lab.understanding.self_questions import ask_about_itself


def self_questions(
    trials: Annotated[int, typer.Option(min=1, help='Number of questions, ten per history.')] = 300,
    seed: Annotated[int, typer.Option(min=0, help='Seed of histories and questions.')] = 0,
    llm: Annotated[str, typer.Option(help='Model spec of coordinator and worker.')] = 'embedded',
    out: Annotated[Optional[Path], typer.Option(help='File to write, with one line of JSON per question.')] = None,
    as_json: Json = False,
) -> None:
    """Asks what the robot sees, did and will do, and why; nothing may move. Histories are drawn as actions."""
    show = Output(as_json=as_json)
    with telling_errors(show):
        require_writable(out)
        report = ask_about_itself(
            trials, seed, llm=llm, on_progress=lambda number: show.line(f'{number} of {trials} …', 'dim')
        )
        if out is not None:
            lines = [
                {'kind': asked.kind, 'right': asked.is_answered_by(outcome), 'text': asked.text, 'said': outcome.said}
                for asked, outcome in report.asked
            ]
            out.write_text(''.join(f'{json.dumps(line)}\n' for line in lines), encoding='utf-8')
    figures = report.as_json()
    if as_json:
        show.json(figures)
        return
    show.line(f'{figures["right"]:.3f} of {figures["questions"]} right, {figures["motions"]} motions')
    for kind, share in figures['by_kind'].items():
        show.line(f'  {kind}: {share:.3f}')
