"""`lucca bench soak`: many goals on one stack, and the growth of its memory, threads and files."""

import json
from pathlib import Path
from typing import Annotated

import typer

from lucca_cli.exit_codes import EXIT_FAILED, telling_errors
from lucca_cli.options import Json
from lucca_cli.output import Output
from lucca_lab.dds_domains import own_domain
from lucca_lab.soak.report import soak_report, soak_table, uncertain_line
from lucca_lab.soak.run import Sample, Soak, load_samples

_EVERY = 25


def soak(
    goals: Annotated[int, typer.Option(min=1, help='Goals to give.')] = 1200,
    minutes: Annotated[
        float, typer.Option(min=0, help='Minutes over which they are spread; it may take longer.')
    ] = 120.0,
    seed: Annotated[int, typer.Option(min=0, help='Seed of the goals, kills and cancels.')] = 0,
    out: Annotated[Path, typer.Option(help='New folder for samples, report and the memory of the stack.')] = Path(
        'out/soak-growth'
    ),
    report: Annotated[bool, typer.Option('--report', help='Only report on the samples in the folder.')] = False,
    as_json: Json = False,
) -> None:
    """Measures how memory, threads and files grow per goal, with talk, forgetting, cancels and kills on one stack.

    Exit code 1 if a log breaks a law. The stack has a DDS domain of its own.
    """
    show = Output(as_json=as_json)
    with telling_errors(show, wrong_call=ValueError):
        run = Soak(out, seed)
        if not report:
            if out.exists() and any(out.iterdir()):
                raise ValueError(f'{out} is not empty; choose a new folder, or give --report')
            out.mkdir(parents=True, exist_ok=True)

            def told(sample: Sample) -> None:
                if sample.goal % _EVERY == 0:
                    show.line(f'{sample.goal} of {goals} goals in {sample.wall_s:.0f} s')

            with own_domain():
                run.run(goals, minutes, told)
        found = soak_report(load_samples(out), run.faults(), run.uncertain())
        (out / 'report.json').write_text(json.dumps(found, indent=2) + '\n', encoding='utf-8')
        if as_json:
            show.json(found)
        else:
            show.line(
                f'{found["goals"]} goals in {found["wall_s"]:.0f} s: {found["kinds"]}, ended as {found["statuses"]}'
            )
            show.line(uncertain_line(found))
            show.line(soak_table(found))
            for fault in (*found['not_as_asked'], *found['log_faults']):
                show.line(f'  {fault}')
    if found['log_faults']:
        raise typer.Exit(EXIT_FAILED)
