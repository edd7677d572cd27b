"""`lucca eval tidy`: objects that nobody mentioned, tidied up according to a person's notes or examples."""

import json
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Optional

import typer
from rich.table import Table

from lucca_cli.exit_codes import telling_errors
from lucca_cli.options import Json
from lucca_cli.output import Output
from lucca_cli.requirements import require_writable
from lucca_core.errors import ConfigError
from lucca_lab.understanding.tidy import TidyReport, TidySource, run_scenario
from lucca_lab.understanding.tidy_scenarios import load_scenarios, load_wordings
from lucca_memory.embedding.spec import AUTO


class Part(StrEnum):
    """The part of a file's scenarios that is used."""

    ALL = 'all'
    FIRST_HALF = 'first-half'
    SECOND_HALF = 'second-half'


def tidy(
    data: Annotated[Path, typer.Option(help="File with scenarios in TidyBot's own YAML.")],
    source: Annotated[TidySource, typer.Option('--from', help='What the robot is told.')] = TidySource.NOTES,
    actions: Annotated[
        Optional[Path], typer.Option(help='YAML file with other wordings of the actions; the first one is used.')
    ] = None,
    placements: Annotated[
        Optional[Path], typer.Option(help='File to write, with one line of JSON per scenario.')
    ] = None,
    part: Annotated[Part, typer.Option(help='Which scenarios of the file to use.')] = Part.ALL,
    all_wordings: Annotated[bool, typer.Option(help='Also run with every other wording of the actions.')] = False,
    llm: Annotated[str, typer.Option(help='Model spec of coordinator and worker.')] = 'embedded',
    embedding: Annotated[str, typer.Option(help='Embedding spec of the memory of people.')] = AUTO,
    as_json: Json = False,
) -> None:
    """Tidies up scenarios of TidyBot's benchmark on a symbolic table. `placed`, `wrong`, `asked` and `not_placed` are
    shares of the objects; `whole` and `silent` count scenarios: all objects right, ended as done with some left."""
    show = Output(as_json=as_json)
    with telling_errors(show):
        require_writable(placements)
        scenarios = load_scenarios(data)
        half = len(scenarios) // 2
        chosen = {Part.ALL: scenarios, Part.FIRST_HALF: scenarios[:half], Part.SECOND_HALF: scenarios[half:]}[part]
        if not chosen:
            raise ConfigError('contains no scenario', file=str(data))
        wordings = load_wordings(actions) if actions is not None else load_wordings()
        reports: dict[str, TidyReport] = {}
        for name, wording in wordings.items():
            shown = show.bar(chosen, name, len(chosen))
            runs = [run_scenario(item, source, wording, llm=llm, embedding=embedding) for item in shown]
            reports[name] = TidyReport(runs)
            if not all_wordings:
                break
        first = next(iter(reports.values()))
        if placements is not None:
            lines = [json.dumps(run.as_json(), ensure_ascii=False) for run in first.runs]
            placements.write_text(''.join(f'{line}\n' for line in lines), encoding='utf-8')
    figures = first.as_json()
    if all_wordings:
        figures['wordings'] = {name: report.as_json() for name, report in reports.items()}
    show.json(figures) if as_json else _present(reports, show)


def _present(reports: Mapping[str, TidyReport], show: Output) -> None:
    columns: list[str] = []
    rows: list[tuple[str, dict[str, Any]]] = [(name, report.as_json()) for name, report in reports.items()]
    columns = list(rows[0][1])
    table = Table('actions', *columns)
    for name, row in rows:
        table.add_row(
            name, *(f'{row[column]:.3f}' if isinstance(row[column], float) else str(row[column]) for column in columns)
        )
    show.console.print(table)
