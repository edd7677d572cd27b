"""The person at the terminal during a goal, who may stop the robot, interrupt the goal, and confirm calls."""

import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, TextIO

from lucca_cli.output import Output
from lucca_cli.typed_lines import TypedLines
from lucca_core.errors import StackError
from lucca_core.protocol.goals import GoalResult
from lucca_core.stop_command import has_stop_word

if TYPE_CHECKING:
    from lucca_cli.running_goal import RunningGoal

STOPPED = 'stopped; the robot holds its pose and its grip. `lucca reset` lets it move again.'

_ENDS_S = 3.0
"""Time for a goal to end by itself after a stop, in s; then it is cancelled."""

_CANCEL_S = 60.0
"""Time for a cancelled goal to end, in s, as held objects are put down first."""


class TypedStop:
    """Stops the robot. Thread-safe.

    Args:
        stop: tells the robot; raises StackError if there is no answer.
        show: where messages are printed.
    """

    def __init__(self, stop: Callable[[], None], show: Output) -> None:
        self._stop = stop
        self._show = show
        self._said = threading.Event()
        self._said_s = 0.0

    @property
    def said(self) -> bool:
        """True once somebody said stop, even before the robot has answered."""
        return self._said.is_set()

    def say(self) -> None:
        """Stops the robot, and prints that, or that it did not answer."""
        self._said_s = time.monotonic()
        self._said.set()
        try:
            self._stop()
        except StackError as error:
            self._show.error(str(error))
        else:
            self._show.line(STOPPED, 'yellow')

    def wait(self, goal: 'RunningGoal', alive: Callable[[], None] | None = None) -> tuple[GoalResult, bool]:
        """The result of a goal, and whether it was interrupted. Ctrl-C, or a stop that did not end the goal, cancels
        it.

        Raises:
            StackError: see `RunningGoal.wait`.
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
    """The robot was stopped, but its goal continues."""


class Terminal:
    """The person at a command that gives goals, for the length of a `with` block. `interrupted`: Ctrl-C ended a goal.

    Args:
        stop: stops the robot; called as soon as a line with a stop word is typed.
        show: where messages are printed.
        may_ask: whether a person is there to answer questions.
        source: the input; standard input by default.
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

    def wait(self, goal: 'RunningGoal', alive: Callable[[], None] | None = None) -> GoalResult:
        """The result of a goal; see TypedStop.wait."""
        report, interrupted = self._stop.wait(goal, alive)
        self.interrupted = self.interrupted or interrupted
        return report

    def agrees(self, question: str) -> bool:
        """Asks a yes-or-no question; no if nobody can answer."""
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
