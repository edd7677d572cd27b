"""Exit codes of the commands, and their derivation from errors and signals."""

import asyncio
import signal
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import typer

from lucca_cli.output import Output
from lucca_core.errors import LuccaError

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_CANNOT = 3
EXIT_SUSPENDED = 4
EXIT_INTERRUPTED = 130
EXIT_TERMINATED = 143


class Terminated(BaseException):
    """The process was asked to end, by SIGTERM or because its terminal was closed."""


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Makes SIGTERM and SIGHUP end the block in order, like Ctrl-C, and exits with EXIT_TERMINATED.

    A second signal does not interrupt the cleanup. An ignored signal stays ignored, as under nohup.
    """

    def end(number: int, frame: FrameType | None) -> None:
        for each in before:
            signal.signal(each, signal.SIG_IGN)
        raise Terminated

    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)}
    for number in (signal.SIGTERM, signal.SIGHUP):
        if before[number] != signal.SIG_IGN:
            signal.signal(number, end)
    try:
        yield
    except Terminated:
        raise typer.Exit(EXIT_TERMINATED) from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def run_until_told_to_end(body: Coroutine[Any, Any, None]) -> None:
    """Runs a coroutine in an event loop, and cancels it on SIGTERM and SIGHUP. Use it within `ended_by_signals`.

    An event loop would take the exception raised by that block's handler for an error of a callback, and go on. A
    second signal does not interrupt the cleanup.

    Raises:
        Terminated: one of the signals arrived.
    """
    numbers = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) != signal.SIG_IGN]
    told = False

    async def run() -> None:
        task = asyncio.current_task()

        def end() -> None:
            nonlocal told
            if not told and task is not None:
                told = True
                signal.signal(signal.SIGINT, signal.SIG_IGN)
                task.cancel()

        for number in numbers:
            asyncio.get_running_loop().add_signal_handler(number, end)
        await body

    try:
        asyncio.run(run())
    except asyncio.CancelledError:
        if not told:
            raise
    if told:
        # The loop has restored the default handlers, but outer blocks have not been closed yet.
        for number in numbers:
            signal.signal(number, signal.SIG_IGN)
        raise Terminated


_BY_STATUS = {'finished': 0, 'refused': EXIT_CANNOT, 'suspended': EXIT_SUSPENDED, 'cancelled': EXIT_SUSPENDED}


def code_of(status: str, *, stopped: bool = False, interrupted: bool = False) -> int:
    """The exit code of a command, from how its goal ended.

    Args:
        status: of the goal's report.
        stopped: the robot was stopped from this command: nothing moves now, whatever the goal's status.
        interrupted: Ctrl-C cancelled the goal.
    """
    if stopped:
        return EXIT_SUSPENDED
    if interrupted and status != 'finished':
        return EXIT_INTERRUPTED
    return _BY_STATUS.get(status, EXIT_FAILED)


@contextmanager
def telling_errors(
    show: Output, *, wrong_call: type[Exception] | tuple[()] = (), goes_on: bool = False
) -> Iterator[None]:
    """Prints expected errors of the block and exits with their code; any other exception is a bug and passes through.

    Args:
        show: prints the errors.
        wrong_call: further exceptions that mean wrong usage.
        goes_on: the same command resumes an interrupted run; the message says so.

    Raises:
        typer.Exit: with EXIT_FAILED, EXIT_USAGE or, by Ctrl-C, EXIT_INTERRUPTED.
    """
    try:
        yield
    except LuccaError as error:
        show.error(str(error))
        raise typer.Exit(EXIT_FAILED) from error
    except wrong_call as error:
        show.error(str(error))
        raise typer.Exit(EXIT_USAGE) from error
    except OSError as error:
        if error.filename is None:
            raise  # not about a file or folder that the user named
        show.error(f'{error.filename}: {error.strerror}')
        raise typer.Exit(EXIT_FAILED) from error
    except KeyboardInterrupt:
        show.line('interrupted; the same command goes on from here' if goes_on else 'interrupted', 'yellow')
        raise typer.Exit(EXIT_INTERRUPTED) from None
