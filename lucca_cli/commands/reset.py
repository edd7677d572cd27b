"""`lucca reset`: lifts a stop; the robot then puts down what it holds and brings its arms home."""

from lucca_cli.client import StackClient
from lucca_cli.output import Output


def reset() -> None:
    """Lifts a stop: what is held is put down, the arms go home."""
    show = Output()
    with StackClient() as client:
        show.line(client.reset(), 'green')
