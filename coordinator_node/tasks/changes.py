"""Changes of mind: what somebody says in the middle of a task to add to it, revise it or take something back."""

import threading
from collections.abc import Callable
from dataclasses import dataclass

from coordinator_node.interfaces import Flag
from coordinator_node.waits import Interrupted

_SLICE_S = 0.05
_ENDED = 'That came too late: the task has ended.'


@dataclass(frozen=True, slots=True)
class TakenIn:
    """What came of a change. `question`: what has to be answered first; the task waits for that."""

    understood: str = ''
    not_understood: tuple[str, ...] = ()
    question: str = ''
    too_late: str = ''


class Change:
    """Something that a person said about the task that runs, until its goal has taken it in. Thread-safe."""

    def __init__(self, text: str, person: str = '') -> None:
        self.text = text
        self.person = person
        self._answered = threading.Event()
        self._taken = TakenIn(too_late=_ENDED)

    @property
    def speaker(self) -> str:
        """Who said it, as the log has it."""
        return self.person.strip() or 'a guest'

    def answer(self, taken: TakenIn) -> None:
        """The goal says what came of it."""
        self._taken = taken
        self._answered.set()

    def close(self) -> None:
        """The goal has ended; a change that was not answered came too late."""
        self._answered.set()

    def wait(self, interrupted: Flag) -> TakenIn:
        """What came of it, once the goal has taken it in or has ended.

        Raises:
            Interrupted: the flag was raised.
        """
        while not self._answered.wait(_SLICE_S):
            if interrupted():
                raise Interrupted
        return self._taken


TakeChanges = Callable[[bool], tuple[Change, ...]]
"""Gives the changes that are new; with True, the goal takes none any more where there are none."""


def no_changes(last: bool) -> tuple[Change, ...]:
    """Nobody changes anything."""
    return ()
