"""`Heard`, a text said to the robot, and `Interpretation`, its meaning, built from the model's calls."""

from collections.abc import Callable
from dataclasses import dataclass, field

from coordinator_node.talk.tools import Call, Wish
from coordinator_node.tasks.task_book import listed
from lucca_core.protocol.remembered import Recollection
from lucca_core.protocol.tasks import TaskState


def _nothing() -> None:
    """Does nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A text said to the robot. `source` is where it came from; `person` is the name that the source gives, if any."""

    text: str
    person: str = ''
    source: str = ''


@dataclass(frozen=True, slots=True)
class Interpretation:
    """What a text means.

    Attributes:
        argument: the task for START, RESUME, STOP and CHANGE; the description for DO; the answer for SAY; the reason
            for CANNOT.
        words: for CHANGE, the person's words.
        spoken: the answer was spoken already.
        rests_on: the memories that the answer repeats.
        afterwards: call this after acting on the wish; used so that a stop does not wait for memory.
    """

    wish: Wish
    argument: str
    words: str = ''
    spoken: bool = False
    rests_on: tuple[Recollection, ...] = ()
    afterwards: Callable[[], object] = field(default=_nothing, compare=False)

    def told(self) -> str:
        """What the robot tells the person about this."""
        begun = {
            Wish.START: 'I begin with',
            Wish.RESUME: 'I go on with',
            Wish.STOP: 'I stop',
            Wish.CHANGE: 'I change',
            Wish.DO: 'I will do this:',
        }
        if self.wish is Wish.SAY:
            return self.argument
        if self.wish is Wish.CANNOT:
            return f'I cannot do that: {self.argument}'
        return f'{begun[self.wish]} {self.argument}.'


def interpretation_of(calls: tuple[Call, ...], tasks: tuple[TaskState, ...]) -> Interpretation | None:
    """The meaning of the calls if they are a wish; None for lookups.

    Raises:
        ValueError: the wish names an unknown task.
    """
    wish = calls[0].wish
    if wish is None:
        return None
    argument, *more = calls[0].arguments
    names = [item.task for item in tasks]
    if wish in (Wish.START, Wish.RESUME, Wish.STOP, Wish.CHANGE) and argument not in names:
        raise ValueError(f'no task is named {argument[:80]!r}; known are {listed(tasks)}')
    return Interpretation(wish, argument, words=more[0] if more else '')
