"""`lucca judge`: the outcome of a recorded run, and whether honest physics could have produced it."""

from pathlib import Path
from typing import Annotated

import typer

from lucca_cli.exit_codes import EXIT_FAILED, telling_errors
from lucca_cli.options import Json
from lucca_cli.output import Output
from lucca_lab.judge.verdict import judge_table

app = typer.Typer()


@app.command()
def judge(
    trace: Annotated[Path, typer.Argument(help='The file trace.npz that the simulator wrote for one table.')],
    scene: Annotated[str, typer.Option(help='Scene of the run: a name in config/scenes or a file.')],
    tasks: Annotated[str, typer.Option(help='Tasks that were done in the run, separated by commas.')],
    seed: Annotated[int, typer.Option(min=0, help='Seed of the run.')] = 0,
    robot: Annotated[str, typer.Option(help='Robot profile of the run; default: the one of the trace.')] = '',
    as_json: Json = False,
) -> None:
    """Judges a run by its trace alone. Exit code 1 if anything is wrong with it."""
    show = Output(as_json=as_json)
    names = [name for name in (part.strip() for part in tasks.split(',')) if name]
    if not names:
        raise typer.BadParameter('--tasks must name at least one task')
    with telling_errors(show, wrong_call=ValueError):
        judgements = judge_table(trace, scene, seed, names, robot=robot)
    if as_json:
        show.json({task: judgement.as_json() for task, judgement in judgements.items()})
    else:
        for task, judgement in judgements.items():
            physical = 'cannot be told' if judgement.physical is None else judgement.physical
            show.line(
                f'{task}: complete={judgement.complete} physical={physical} repeated={judgement.repeated} '
                f'order={judgement.order}',
                'red' if judgement.faults else 'green',
            )
            for fault in judgement.faults:
                show.line(f'  {fault}', 'red')
    if any(judgement.faults for judgement in judgements.values()):
        raise typer.Exit(EXIT_FAILED)
