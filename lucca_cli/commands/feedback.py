"""`lucca feedback`: a person's verdict on the last answer."""

from typing import Annotated

import typer

from lucca_cli.exit_codes import EXIT_USAGE
from lucca_cli.options import DataDir
from lucca_cli.output import Output
from lucca_cli.people_access import known_person, one_line, people_memory
from lucca_memory.embedding.spec import make_embedder
from lucca_memory.people.values import Verdict


def feedback(
    verdict: Annotated[str, typer.Argument(help='good or bad.')],
    person: Annotated[str, typer.Option(help='Name of the person who says so.')],
    data_dir: DataDir = None,
) -> None:
    """Records a verdict on the last answer, with the memories that the answer rested on."""
    show = Output()
    verdicts: dict[str, Verdict] = {'good': 'good', 'bad': 'bad'}
    if verdict not in verdicts:
        show.error(f'VERDICT must be good or bad, got {verdict!r}')
        raise typer.Exit(EXIT_USAGE)
    with people_memory(data_dir, make_embedder('none'), write=True) as (store, memory):
        given = memory.rate(known_person(store, person), verdicts[verdict])
        show.line(f'kept: {given.verdict} for {one_line(given.answer)}', 'green')
