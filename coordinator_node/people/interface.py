"""The interface to the memory of people: over services in the node, on a data folder in `lucca chat`, a fake in tests.

Only `meet` takes a person's name, and the name comes from the source of the message. All other calls name the
conversation, so no text written by a model or a person can ask for somebody else's memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from lucca_core.protocol.people import (
    Ask,
    EndRequest,
    FeedbackRequest,
    ForgetRequest,
    IntroduceRequest,
    MeetRequest,
    Met,
    RecallRequest,
    RecordedTurn,
    RememberRequest,
)
from lucca_core.protocol.remembered import Kind, Recollection

ROBOT = 'robot'
"""The speaker of every answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Partner:
    """The person of a conversation.

    `name` is empty for a guest; `opening` is what a greeting can refer to, oldest first; `current` is what memory holds
    of this conversation; `remembered` is false while the memory of people cannot be reached.
    """

    name: str = ''
    known: bool = False
    opening: tuple[Recollection, ...] = ()
    current: tuple[Recollection, ...] = ()
    remembered: bool = True

    @classmethod
    def of(cls, met: Met) -> 'Partner':
        """The partner for an answer to `meet`; a person who is not known has no name."""
        return cls(name=met.person if met.known else '', known=met.known, opening=met.opening, current=met.current)


class PeopleInterface:
    """The memory of people, facts and tasks, as one conversation may use it.

    Every call raises StackError if memory cannot be reached and MemoryFault if it refuses; then nothing was kept.
    """

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def meet(self, source: str, person: str, conversation: str) -> Partner:
        """Binds a conversation to the person that a source names. Names from untrusted sources are ignored.

        It may be called again at any time during a conversation.
        """
        return Partner.of(self._ask(MeetRequest(source=source, person=person, conversation=conversation)))

    def introduce(self, conversation: str, name: str) -> str:
        """Records a guest's own name; returns the name under which the guest is a new person from now on."""
        return self._ask(IntroduceRequest(conversation=conversation, name=name)).person

    def recall(
        self, conversation: str, query: str, kinds: Sequence[Kind] = (), limit: int = 0
    ) -> tuple[Recollection, ...]:
        """Memories about something, best first. By default all kinds are searched, with the memory's own limit.

        The current conversation is searched, too, as the prompt holds only its last turns.
        """
        request = RecallRequest(conversation=conversation, query=query, kinds=tuple(kinds), limit=limit)
        return self._ask(request).memories

    def record_turn(self, turn: RecordedTurn) -> None:
        """Keeps a turn. Once this returns, the turn is on disk."""
        self._ask(turn)

    def remember(self, conversation: str, text: str) -> str:
        """Keeps a statement that the person asked to be kept; returns its id."""
        return self._ask(RememberRequest(conversation=conversation, text=text)).item_id

    def forget(self, conversation: str, item_ids: Sequence[str]) -> int:
        """Forgets items that this person said; returns how many."""
        return self._ask(ForgetRequest(conversation=conversation, ids=tuple(item_ids))).count

    def end(self, conversation: str) -> None:
        """Ends a conversation. What a guest said in it is deleted."""
        self._ask(EndRequest(conversation=conversation))

    def rate(self, conversation: str, verdict: str) -> str:
        """Keeps the verdict `good` or `bad` on the last answer, and returns that answer."""
        return self._ask(FeedbackRequest(conversation=conversation, verdict=verdict)).answer
