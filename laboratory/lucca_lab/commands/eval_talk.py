"""`lucca eval talk`: ordinary talk between people, said to the robot; none of it may start a task."""

from pathlib import Path
from typing import Annotated, Optional

import typer

from lucca_cli.exit_codes import telling_errors
from lucca_cli.options import Json
from lucca_cli.output import Output
from lucca_cli.requirements import require_writable
from lucca_lab.locomo.data import load_dialogues
from lucca_lab.understanding.stack import NO_EMBEDDING
from lucca_lab.understanding.talk import run_talk


def talk(
    data: Annotated[Path, typer.Option(help="Folder with dialogues in LoCoMo's own format.")],
    llm: Annotated[str, typer.Option(help='Model spec of coordinator and worker.')] = 'embedded',
    embedding: Annotated[str, typer.Option(help='Embedding spec of the memory of people.')] = NO_EMBEDDING,
    out: Annotated[Optional[Path], typer.Option(help='File to write, with the lines that started something.')] = None,
    as_json: Json = False,
) -> None:
    """Says each line of the dialogues to the robot, as its speaker; counts tasks started, motions and questions."""
    show = Output(as_json=as_json)
    with telling_errors(show):
        require_writable(out)
        report = run_talk(
            load_dialogues(data), llm=llm, embedding=embedding, on_progress=lambda text: show.line(f'{text} …', 'dim')
        )
        if out is not None:
            lines = [f'{", ".join(item.outcome.started)}: {item.text}\n' for item in report.started]
            out.write_text(''.join(lines), encoding='utf-8')
    figures = report.as_json()
    if as_json:
        show.json(figures)
    else:
        show.line(', '.join(f'{name} {count}' for name, count in figures.items()))
