"""`Heard`, a text said to the robot, and `Interpretation`, its meaning."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field

from coordinator_node.talk.tools import Wish
from lucca_core.protocol.remembered import Recollection


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
    _: KW_ONLY
    spoken: bool = False
    rests_on: tuple[Recollection, ...] = ()
    afterwards: Callable[[], object] = field(default=_nothing, compare=False)

    @property
    def asks(self) -> bool:
        """Whether a person has to answer first: `From where you sit, that is box 1. Shall I do it …?`."""
        return self.wish is Wish.CANNOT and self.argument.endswith('?')

    def told(self) -> str:
        """What the robot tells the person about this."""
        begun = {
            Wish.START: 'I begin with',
            Wish.RESUME: 'I go on with',
            Wish.STOP: 'I stop',
            Wish.CHANGE: 'I change',
            Wish.DO: 'I will do this:',
        }
        if self.wish is Wish.SAY or self.asks:
            return self.argument
        if self.wish is Wish.CANNOT:
            return f'I cannot do that: {self.argument}'
        return f'{begun[self.wish]} {self.argument}.'
