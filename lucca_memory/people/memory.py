"""The memory of people: storing, recalling, summarising and forgetting what each person or guest says."""

import logging
import threading
from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import count

from lucca_core.errors import LuccaError, MemoryFault, NameTakenError
from lucca_core.person_names import check_name
from lucca_core.protocol.remembered import Recollection
from lucca_memory.declarative.log import utc_now
from lucca_memory.embedding.embedder import Embedder
from lucca_memory.item_ids import SAID, number_of
from lucca_memory.people.config import PeopleConfig
from lucca_memory.people.person_source import scope_of, source_of_scope
from lucca_memory.people.rows import name_key
from lucca_memory.people.sqlite_store import IN_MEMORY, SqliteStore
from lucca_memory.people.store import PeopleStore
from lucca_memory.people.summarizer import condense
from lucca_memory.people.values import (
    ROBOT,
    Feedback,
    ForgottenLine,
    Line,
    NewLine,
    Person,
    StoredTurn,
    Summarizer,
    Summary,
    Told,
    Verdict,
)
from lucca_memory.retrieval.library import Library
from lucca_memory.retrieval.values import Question

GUEST = 'guest'
KEPT = 'kept'
"""Conversation id of lines that people asked to be remembered; it has no context and is never resumed."""

_LOOKED_BACK = 400
"""How many of the newest lines are searched for the last conversation."""

_log = logging.getLogger(__name__)


class PeopleMemory:
    """What the robot knows about people. Thread-safe.

    Guests are kept in a store of their own, in memory only.
    """

    def __init__(
        self,
        store: PeopleStore,
        embedder: Embedder,
        library: Library,
        config: PeopleConfig | None = None,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        """`library` searches the scopes of `source_of_scope(store)`."""
        self._store = store
        self._embedder = embedder
        self._library = library
        self._config = config or PeopleConfig()
        self._now = now
        self._guests = SqliteStore(IN_MEMORY)
        self._guest_library = Library(source_of_scope(self._guests), embedder, robot=ROBOT)
        self._guest_of: dict[str, Person] = {}
        self._guest_numbers = count(1)
        self._lock = threading.Lock()
        # Finding lines without a vector reads all lines, so it is done at the start and when some may be missing.
        self._unembedded = threading.Event()
        self._unembedded.set()

    # -- who ----------------------------------------------------------------------------------------------------

    def people(self) -> tuple[Person, ...]:
        """All known people (no guests), by name."""
        return self._store.people()

    def person(self, name: str) -> Person:
        """The person of a name from a trusted source; created if new.

        Raises:
            MemoryFault: the name is empty, or the store cannot be written.
        """
        if (known := self._store.find(name)) is not None:
            return known
        try:
            return self._store.create(_checked(name), self._now())
        except NameTakenError:
            # Another robot with the same store created the person first.
            known = self._store.find(name)
            if known is None:
                raise
            return known

    def guest(self, conversation: str) -> Person:
        """An unknown person, for the duration of this conversation."""
        with self._lock:
            if conversation not in self._guest_of:
                kept = self._guests.create(f'{GUEST} {next(self._guest_numbers)}', self._now())
                self._guest_of[conversation] = Person(person_id=-kept.person_id, name=GUEST, since=kept.since)
            return self._guest_of[conversation]

    def introduce(self, guest: Person, name: str) -> Person:
        """Turns a guest into a new person, who keeps the lines of this conversation.

        If the name is taken, the new person gets another one (`Anna 2`): an introduction never opens the memory of a
        known person.

        Raises:
            MemoryFault: `guest` is not a guest any more, the name is empty, or the store cannot be written.
        """
        if not guest.is_guest:
            raise MemoryFault(f'{guest.name[:80]!r} is known already and cannot be introduced as somebody else')
        lines = self._guests.lines(-guest.person_id)
        person = self._new_person(name)
        renamed = [
            NewLine(
                conversation=line.conversation,
                speaker=line.speaker if line.answers or line.speaker != guest.name else person.name,
                text=line.text,
                time=line.time,
                answers=line.answers,
                recalled=line.recalled,
            )
            for line in lines
        ]
        stored = self._store.append(person.person_id, renamed)
        for conversation in self._conversations_of(guest):
            self.end(conversation)
        self._embed(self._store, person, stored)
        return person

    def _new_person(self, name: str) -> Person:
        checked = _checked(name)
        for number in count(1):
            wanted = checked if number == 1 else f'{checked} {number}'
            try:
                return self._store.create(wanted, self._now())
            except NameTakenError:
                continue
        raise AssertionError

    def _conversations_of(self, guest: Person) -> set[str]:
        with self._lock:
            return {name for name, known in self._guest_of.items() if known == guest}

    # -- what was said ------------------------------------------------------------------------------------------

    def remember(self, person: Person, told: Told) -> StoredTurn:
        """Stores a turn; it is on the disk when this returns. It is embedded afterwards.

        Raises:
            MemoryFault: it could not be stored.
        """
        lines = [
            NewLine(
                conversation=told.conversation,
                speaker=told.speaker or person.name,
                text=told.utterance,
                time=told.time,
            )
        ]
        if told.answer:
            lines.append(
                NewLine(
                    conversation=told.conversation,
                    speaker=ROBOT,
                    text=told.answer,
                    time=told.answered or told.time,
                    answers=True,
                    recalled=told.recalled,
                )
            )
        store = self._store_of(person)
        stored = store.append(abs(person.person_id), lines)
        self._embed(store, person, stored)
        return StoredTurn(stored[0], stored[1] if len(stored) > 1 else None)

    def keep(self, person: Person, text: str) -> Line:
        """Stores a sentence that a person asks to be remembered, unless it is among the newest already.

        Raises:
            MemoryFault: it could not be stored.
        """
        for line in self.current(person, KEPT):
            if line.text == text:
                return line
        return self.remember(person, Told(conversation=KEPT, utterance=text, time=self._now())).utterance

    def end(self, conversation: str) -> None:
        """Ends a conversation; what a guest said in it is deleted."""
        with self._lock:
            guest = self._guest_of.pop(conversation, None)
        if guest is not None:
            self._guest_library.drop(scope_of(guest))
            self._guests.erase(-guest.person_id)

    def current(self, person: Person, conversation: str) -> tuple[Line, ...]:
        """The conversation so far, verbatim."""
        newest = self._store_of(person).last_lines(abs(person.person_id), _LOOKED_BACK)
        return tuple(line for line in newest if line.conversation == conversation)

    def last_conversation(self, person: Person, before: str = '') -> tuple[Line, ...]:
        """The newest conversation other than `before`, for a greeting to refer to."""
        newest = self._store_of(person).last_lines(abs(person.person_id), _LOOKED_BACK)
        earlier = [line for line in newest if line.conversation not in (before, KEPT)]
        return tuple(line for line in earlier if line.conversation == earlier[-1].conversation)

    def short_term(self, person: Person) -> tuple[Line, ...]:
        """Lines that are not summarised yet."""
        return self._store_of(person).short_term(abs(person.person_id))

    def long_term(self, person: Person) -> tuple[Summary, ...]:
        """Summaries, oldest first."""
        return self._store_of(person).summaries(abs(person.person_id))

    # -- what answers a question --------------------------------------------------------------------------------

    def recall(self, person: Person, question: Question) -> tuple[Recollection, ...]:
        """What this person's memory has about a question, best first; never another person's."""
        library = self._guest_library if person.is_guest else self._library
        hits = library.search(scope_of(person), question)
        lines = self._store_of(person).lines_by_id(abs(person.person_id), [hit.key for hit in hits])
        return tuple(
            recollection_of(line, hit.score, tuple(name for name, _ in hit.why))
            for hit in hits
            # Another thread may have removed a line meanwhile.
            if (line := lines.get(hit.key)) is not None
        )

    def lines(self, person: Person, item_ids: Sequence[str]) -> tuple[Line, ...]:
        """The lines of this person among the given ids, oldest first.

        Raises:
            MemoryFault: an id is not the id of a line.
        """
        found = self._store_of(person).lines_by_id(abs(person.person_id), line_ids(item_ids))
        return tuple(sorted(found.values(), key=lambda line: line.line_id))

    # -- forgetting ---------------------------------------------------------------------------------------------

    def forget(self, person: Person, item_ids: Sequence[str], reason: str) -> int:
        """Puts lines away so that they can be restored; returns how many."""
        store = self._store_of(person)
        return store.forget(abs(person.person_id), line_ids(item_ids), reason, self._now())

    def forgotten(self, person: Person) -> tuple[ForgottenLine, ...]:
        """The lines that were put away, newest first."""
        return self._store_of(person).forgotten(abs(person.person_id))

    def restore(self, person: Person, item_ids: Sequence[str]) -> int:
        """Restores forgotten lines; returns how many."""
        count = self._store_of(person).restore(abs(person.person_id), line_ids(item_ids))
        self._unembedded.set()
        return count

    def rate(self, person: Person, verdict: Verdict) -> Feedback:
        """Stores a person's verdict on the last answer, with the memories that the answer used.

        Raises:
            MemoryFault: there is no answer yet, the person is a guest, or the verdict could not be written.
        """
        if person.is_guest:
            raise MemoryFault('verdicts of guests are not stored; a guest who is introduced becomes a person')
        newest = self._store.last_lines(person.person_id, _LOOKED_BACK)
        place = max((number for number, line in enumerate(newest) if line.answers), default=0)
        if not place:
            raise MemoryFault(f'nothing was answered to {person.name[:80]!r} yet')
        feedback = Feedback(
            person_id=person.person_id,
            verdict=verdict,
            question=newest[place - 1].text,
            answer=newest[place].text,
            recalled=newest[place].recalled,
            time=self._now(),
        )
        self._store.add_feedback(feedback)
        return feedback

    def condense(self, person: Person, summarizer: Summarizer) -> Summary | None:
        """Summarises a person's oldest short-term memory if it is full; does nothing for guests.

        Raises:
            LuccaError: the summary could not be made or stored; short-term memory is unchanged.
        """
        if person.is_guest:
            return None
        return condense(self._store, person, summarizer, self._config, self._now())

    # -- in the background --------------------------------------------------------------------------------------

    def embed_missing(self) -> int:
        """Embeds some lines that have no vector yet, newest first; returns how many.

        Raises:
            ModelError: the embedder failed.
            MemoryFault: the vectors could not be stored.
        """
        if not self._embedder.dimensions or not self._unembedded.is_set():
            return 0
        self._unembedded.clear()
        try:
            count = self._embed_some()
        except LuccaError:
            self._unembedded.set()
            raise
        if count:
            self._unembedded.set()
        return count

    def _embed_some(self) -> int:
        for person in self._store.people():
            lines = self._store.without_vector(person.person_id, self._embedder.spec, self._config.embed_at_once)
            if lines:
                vectors = self._embedder.embed([line.text for line in lines])
                found = {line.line_id: vector for line, vector in zip(lines, vectors, strict=True)}
                self._store.put_vectors(person.person_id, self._embedder.spec, found)
                return len(lines)
        return 0

    def drop_other_vectors(self) -> None:
        """Deletes the vectors of other embedders; only for a store that no other robot uses.

        Raises:
            MemoryFault: they could not be deleted.
        """
        self._store.drop_vectors(keep_spec=self._embedder.spec)

    def save_index_if_due(self, person: Person) -> None:
        """Saves a person's index if it has grown much, so that the next start need not rebuild it."""
        if not person.is_guest:
            self._library.save_if_due(scope_of(person))

    def _embed(self, store: PeopleStore, person: Person, lines: Sequence[Line]) -> None:
        if not self._embedder.dimensions or not lines:
            return
        try:
            vectors = self._embedder.embed([line.text for line in lines])
            found = {line.line_id: vector for line, vector in zip(lines, vectors, strict=True)}
            store.put_vectors(abs(person.person_id), self._embedder.spec, found)
        except LuccaError as error:
            # The turn is stored; `embed_missing` adds the vectors later.
            self._unembedded.set()
            _log.warning('a turn is stored without a vector for now: %s', error)

    def _store_of(self, person: Person) -> PeopleStore:
        return self._guests if person.is_guest else self._store


def same_name(one: str, other: str) -> bool:
    """True if two names differ only in spelling."""
    return name_key(one) == name_key(other)


def item_id_of(line: Line) -> str:
    """The `item_id` of a line."""
    return f'{SAID}{line.line_id}'


def recollection_of(line: Line, score: float = 0.0, why: tuple[str, ...] = ()) -> Recollection:
    """A line as a recollection."""
    return Recollection(
        kind='said',
        item_id=item_id_of(line),
        text=line.text,
        source=f'{line.speaker}, {line.time:%Y-%m-%d %H:%M}',
        score=score,
        why=why,
        speaker=line.speaker,
        time=line.time,
        conversation=line.conversation,
    )


def line_ids(item_ids: Sequence[str]) -> list[int]:
    """The line ids in item ids such as "said:17".

    Raises:
        MemoryFault: one of them is not the id of a line.
    """
    numbers = {item: number_of(item) for item in item_ids}
    if wrong := [item for item, number in numbers.items() if number is None]:
        raise MemoryFault(f'{wrong[0][:80]!r} is not the id of a line; ids look like "{SAID}17"')
    return [number for number in numbers.values() if number is not None]


def _checked(name: str) -> str:
    try:
        return check_name(name)
    except ValueError as error:
        raise MemoryFault(f'not a valid name: {error}') from error
