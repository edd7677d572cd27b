"""`lucca stop`: stops all motion. Imports little, so that a stop is not delayed."""

from lucca_cli.client import StackClient
from lucca_cli.output import Output
from lucca_cli.terminal import STOPPED


def stop() -> None:
    """Stops all motion and keeps it stopped until `lucca reset`. Not a certified safety function."""
    stop_robot(Output())


def stop_robot(show: Output) -> None:
    """Stops all motion and says so, or says why it could not.

    Raises:
        typer.Exit: the action node did not confirm the stop.
    """
    # Without searching for a stack: whatever else is dead, the action node must be told at once.
    with StackClient() as client:
        client.stop()
        show.line(STOPPED, 'yellow')
