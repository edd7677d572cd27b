"""Changes of a running task: what somebody says to add to it, revise it or take something back."""

import threading
from collections.abc import Callable
from dataclasses import dataclass

from coordinator_node.interfaces import Flag
from coordinator_node.waits import Interrupted

_SLICE_S = 0.05
_ENDED = 'That came too late: the task has ended.'


@dataclass(frozen=True, slots=True)
class TakenIn:
    """The result of a change. `question`: has to be answered first; the task waits for that."""

    understood: str = ''
    not_understood: tuple[str, ...] = ()
    question: str = ''
    too_late: str = ''


class TaskChange:
    """What a person said about the running task, until its goal has taken it in. Thread-safe."""

    def __init__(self, text: str, person: str = '') -> None:
        self.text = text
        self.person = person
        self._answered = threading.Event()
        self._taken = TakenIn(too_late=_ENDED)

    @property
    def speaker(self) -> str:
        """The person who said it, as written to the log."""
        return self.person.strip() or 'a guest'

    def answer(self, taken: TakenIn) -> None:
        """Sets the result; called by the goal."""
        self._taken = taken
        self._answered.set()

    def close(self) -> None:
        """Ends the waiting when the goal has ended; an unanswered change came too late."""
        self._answered.set()

    def wait(self, interrupted: Flag) -> TakenIn:
        """The result, once the goal has taken the change in or has ended.

        Raises:
            Interrupted: the flag was raised.
        """
        while not self._answered.wait(_SLICE_S):
            if interrupted():
                raise Interrupted
        return self._taken


TakeChanges = Callable[[bool], tuple[TaskChange, ...]]
"""Returns the new changes. With True, a goal that has none accepts no more from now on."""


def no_changes(last: bool) -> tuple[TaskChange, ...]:
    """The source of changes for a goal that nobody can change."""
    return ()
