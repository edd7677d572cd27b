"""Options that several commands share."""

from pathlib import Path
from typing import Annotated, Optional

import typer

from lucca_core.person_names import check_name

Json = Annotated[bool, typer.Option('--json', help='Print JSON to standard output.')]
Llm = Annotated[
    str, typer.Option('--llm', help='Model spec of the coordinator, e.g. ollama:llama3.1@http://localhost:11434')
]
WorkerLlm = Annotated[
    str, typer.Option('--worker-llm', help="Model spec of the worker; the coordinator's if not given.")
]
Scene = Annotated[str, typer.Option(help='Simulator scene: a name in config/scenes or a file.')]
Engine = Annotated[str, typer.Option(help='Simulation engine: physics or kinematic.')]
Seed = Annotated[Optional[int], typer.Option(min=0, help='Seed of the random placement of objects.')]
Robot = Annotated[str, typer.Option(help='Robot profile: a name in config/robots or a file.')]
DataDir = Annotated[Optional[Path], typer.Option(help='Data folder, which holds the memory.')]
Embedding = Annotated[str, typer.Option(help='Embedding spec: auto, minilm, mpnet, ollama:…, openai:…, none.')]

SAID_PRIORITY = 10
"""Priority of what a person says: it interrupts goals started from a terminal."""


def name_of_person(name: str) -> str:
    """The name given with the option, in its normal form; empty for nobody.

    Raises:
        typer.BadParameter: it is not a valid name.
    """
    try:
        return check_name(name) if name else ''
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
