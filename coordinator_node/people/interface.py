"""The interface to the memory of people: a ROS client in the node, a fake in tests, a data folder in `lucca chat`.

Only `meet` takes a person's name, and it comes from the source of the message. All else names the conversation: no text
that a model or a person writes can ask for the memory of somebody else.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from lucca_core.protocol.people import Met
from lucca_core.protocol.remembered import Kind, Recollection

ROBOT = 'robot'
"""The speaker of every answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Partner:
    """Who a conversation is with. `name` is empty for a guest; `opening` is what a greeting can take up, oldest first;
    `current` is what memory has of this conversation.

    `remembered` is false while the memory of people cannot be reached.
    """

    name: str = ''
    known: bool = False
    opening: tuple[Recollection, ...] = ()
    current: tuple[Recollection, ...] = ()
    remembered: bool = True

    @classmethod
    def of(cls, met: Met) -> 'Partner':
        """Who was met; somebody who is not known has no name."""
        return cls(name=met.person if met.known else '', known=met.known, opening=met.opening, current=met.current)


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidTurn:
    """A turn as it is recorded: what was said and answered, when, and the ids of what the answer rests on."""

    utterance: str
    answer: str
    said: datetime
    answered: datetime
    recalled: tuple[str, ...] = ()


class PeopleInterface(Protocol):
    """The memory of people, facts and tasks, as one conversation may use it.

    Every call raises StackError while it cannot be reached and MemoryFault where it says no; then nothing was kept.
    """

    def meet(self, source: str, person: str, conversation: str) -> Partner:
        """Binds a conversation to the person that a source names; a name from a source that is not trusted is ignored.

        One that goes on may be met again at any time.
        """
        ...

    def introduce(self, conversation: str, name: str) -> str:
        """A guest says who they are; returns the name under which they are a new person from now on."""
        ...

    def recall(
        self, conversation: str, query: str, kinds: Sequence[Kind] = (), limit: int = 0
    ) -> tuple[Recollection, ...]:
        """What memory has about something, best first; all kinds and the memory's own limit unless given."""
        ...

    def record_turn(self, conversation: str, turn: SaidTurn) -> None:
        """Keeps a turn; once this returns it is safe."""
        ...

    def remember(self, conversation: str, text: str) -> str:
        """Keeps a statement that the person asked to be kept; returns its id."""
        ...

    def forget(self, conversation: str, item_ids: Sequence[str]) -> int:
        """Puts things away that this person said; returns how many."""
        ...

    def end(self, conversation: str) -> None:
        """Ends a conversation; what a guest said in it is gone."""
        ...

    def rate(self, conversation: str, verdict: str) -> str:
        """Keeps `good` or `bad` for the last answer, which is returned."""
        ...
