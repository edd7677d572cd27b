"""The person at the terminal while a goal runs: may stop the robot, interrupt the goal, and confirm calls."""

import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Protocol, TextIO

from lucca_cli.output import Output
from lucca_cli.typed_lines import TypedLines
from lucca_core.errors import StackError
from lucca_core.protocol.goals import GoalResult
from lucca_core.stop_command import has_stop_word

STOPPED = 'stopped; the robot holds its pose and its grip. `lucca reset` lets it move again.'

_ENDS_S = 3.0
"""How long a goal may take, in s, to end by itself after a stop; then it is cancelled."""

_CANCEL_S = 60.0
"""How long a cancelled goal may take to end, in s: held objects are put down first."""


class CancellableGoal(Protocol):
    """A goal that runs; see client.RunningGoal."""

    def wait(self, timeout_s: float | None = None, alive: Callable[[], None] | None = None) -> GoalResult:
        """The report once it has ended."""
        ...

    def cancel(self) -> None:
        """Asks for its end."""
        ...


class TypedStop:
    """Stops the robot; may be called from any thread.

    Args:
        stop: tells the robot; raises StackError where nobody answers.
        show: where it is said.
    """

    def __init__(self, stop: Callable[[], None], show: Output) -> None:
        self._stop = stop
        self._show = show
        self._said = threading.Event()
        self._said_s = 0.0

    @property
    def said(self) -> bool:
        """True from the moment that somebody said stop, whether or not the robot has answered."""
        return self._said.is_set()

    def say(self) -> None:
        """Stops the robot, and says so, or says that it did not answer."""
        self._said_s = time.monotonic()
        self._said.set()
        try:
            self._stop()
        except StackError as error:
            self._show.error(str(error))
        else:
            self._show.line(STOPPED, 'yellow')

    def wait(self, goal: CancellableGoal, alive: Callable[[], None] | None = None) -> tuple[GoalResult, bool]:
        """The report of a goal, and whether it was interrupted. A stop that did not end it, and Ctrl-C, cancel it.

        Raises:
            StackError: as `RunningGoal.wait`.
        """

        def look() -> None:
            if alive is not None:
                alive()
            if self.said and time.monotonic() - self._said_s > _ENDS_S:
                raise _GoesOnError

        interrupted = False
        try:
            return goal.wait(alive=look), interrupted
        except _GoesOnError:
            pass
        except KeyboardInterrupt:
            interrupted = True
            self._show.line('cancelling …', 'yellow')
        goal.cancel()
        return goal.wait(_CANCEL_S, alive), interrupted


class _GoesOnError(Exception):
    """The robot was stopped, and its goal goes on."""


class Terminal:
    """The person at a command that gives goals, for as long as a `with` block. `interrupted`: Ctrl-C ended a goal.

    Args:
        stop: stops the robot; called as soon as a line with a stop word is typed.
        show: where it is said.
        may_ask: somebody is there who can answer.
        source: standard input if not given.
    """

    def __init__(
        self, stop: Callable[[], None], show: Output, *, may_ask: bool = False, source: TextIO | None = None
    ) -> None:
        self._stop = TypedStop(stop, show)
        self._show = show
        self._may_ask = may_ask
        self._typed = TypedLines(self._hear, source, files=False)
        self.interrupted = False

    def __enter__(self) -> 'Terminal':
        self._typed.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._typed.__exit__(kind, error, trace)

    @property
    def stopped(self) -> bool:
        """True once a stop word was typed."""
        return self._stop.said

    def wait(self, goal: CancellableGoal, alive: Callable[[], None] | None = None) -> GoalResult:
        """The report of a goal; see TypedStop.wait."""
        report, interrupted = self._stop.wait(goal, alive)
        self.interrupted = self.interrupted or interrupted
        return report

    def agrees(self, question: str) -> bool:
        """Asks a question that yes or no answers; no if nobody can answer."""
        if not self._may_ask or self.stopped:
            return False
        self._show.question(f'{question} [y/N]: ')
        try:
            answer = self._typed.next(unless=lambda: self.stopped)
        except EOFError:
            return False
        return answer.strip().lower() in ('y', 'yes')

    def _hear(self, line: str) -> bool:
        if not has_stop_word(line):
            return False
        self._stop.say()
        return True
