"""Who is speaking in each conversation: the person named by a trusted source, or a guest until introduced."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from lucca_core.errors import DeskRefusal
from lucca_core.protocol.refusal import DeskCode
from lucca_memory.people.memory import PeopleMemory, same_name
from lucca_memory.people.values import Person

LONGEST_ID = 200
"""Most characters of a conversation's id."""


@dataclass(frozen=True, slots=True)
class Introduced:
    """The new person, and whether the name was taken, so that another one was given."""

    person: Person
    renamed: bool


class Conversations:
    """Knows who speaks in which conversation. Safe to use from several threads."""

    def __init__(self, memory: PeopleMemory, trusted: Sequence[str], most_guests: int) -> None:
        """`trusted`: the sources that may name the speaker."""
        self._memory = memory
        self._trusted = frozenset(trusted)
        self._most_guests = most_guests
        self._bound: dict[str, Person] = {}
        self._lock = threading.RLock()

    def meet(self, source: str, name: str, conversation: str) -> Person:
        """Binds a conversation to the person that a trusted source names, else to a guest. Meeting again is harmless.

        Raises:
            DeskRefusal: the id is not valid (bad_request), or the conversation is somebody else's (other_person).
            MemoryFault: memory cannot be read or written.
        """
        if not 1 <= len(conversation) <= LONGEST_ID:
            raise DeskRefusal(
                DeskCode.BAD_REQUEST, f'conversation must have 1 to {LONGEST_ID} characters, has {len(conversation)}'
            )
        named = name.strip() if source in self._trusted else ''
        with self._lock:
            bound = self._bound.get(conversation)
            if bound is None:
                bound = self._bind(conversation, named)
            elif named and (bound.is_guest or not same_name(bound.name, named)):
                raise DeskRefusal(
                    DeskCode.OTHER_PERSON, 'this conversation is with somebody else; begin one with a new id'
                )
            return bound

    def person(self, conversation: str) -> Person:
        """The person of a conversation.

        Raises:
            DeskRefusal: nobody was met in it since this worker started (not_met).
        """
        with self._lock:
            if (person := self._bound.get(conversation)) is None:
                raise DeskRefusal(DeskCode.NOT_MET, f'nobody was met in conversation {conversation[:80]!r} yet')
            return person

    def introduce(self, conversation: str, name: str) -> Introduced:
        """Makes the conversation's guest a new person with this name.

        Raises:
            DeskRefusal: nobody was met, the name is empty, or the conversation is with a known person of another name.
            MemoryFault: memory cannot be written; the guest stays a guest.
        """
        with self._lock:
            guest = self.person(conversation)
            if not name.strip():
                raise DeskRefusal(DeskCode.BAD_REQUEST, 'a person needs a name')
            if not guest.is_guest:
                if same_name(guest.name, name):
                    return Introduced(guest, renamed=False)
                raise DeskRefusal(
                    DeskCode.OTHER_PERSON, 'this conversation is with somebody who is known, under another name'
                )
            person = self._bound[conversation] = self._memory.introduce(guest, name)
            return Introduced(person, renamed=not same_name(person.name, name))

    def end(self, conversation: str) -> None:
        """Ends a conversation. What a guest said in it is deleted."""
        with self._lock:
            self._bound.pop(conversation, None)
            self._memory.end(conversation)

    def _bind(self, conversation: str, named: str) -> Person:
        if named:
            person = self._memory.person(named)
        else:
            guests = [known for known, bound in self._bound.items() if bound.is_guest]
            for longest in guests[: len(guests) + 1 - self._most_guests]:
                self.end(longest)
            person = self._memory.guest(conversation)
        self._bound[conversation] = person
        return person
