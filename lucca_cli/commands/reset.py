"""`lucca reset`: lifts a stop."""

import typer

from lucca_cli.client import StackClient
from lucca_cli.exit_codes import telling_errors
from lucca_cli.output import Output

app = typer.Typer(pretty_exceptions_enable=False)


@app.command()
def reset() -> None:
    """Lifts a stop: what is held is put down, the arms go home."""
    show = Output()
    with telling_errors(show), StackClient() as client:
        show.line(client.reset(), 'green')
