"""Identifiers of a node's owner and sources, such as `person-3@4f…` and `said:17@4f…`.

A person's number alone is ambiguous, since in another store of people it is another person. So owners and sources
include the identity of the store (`PeopleStore.uid`).
"""

from lucca_memory.item_ids import number_of

_PERSON = 'person-'
_SAID = 'said:'
_TASK = 'task:'


def owner_of(uid: str, person_id: int) -> str:
    """The owner for a person of a store, such as `person-3@4f…`.

    Raises:
        ValueError: the person is a guest, whose statements are not stored.
    """
    if person_id < 1:
        raise ValueError(f'guests own nothing, got person {person_id}')
    return f'{_PERSON}{person_id}@{uid}'


def source_of_line(uid: str, line_id: int) -> str:
    """The source for a line of a store, such as `said:17@4f…`."""
    return f'{_SAID}{line_id}@{uid}'


def line_of_source(uid: str, source: str) -> int | None:
    """The line id of a source; None if it is not a line of this store."""
    item_id, at, of = source.partition('@')
    return number_of(item_id) if at and of == uid else None


def source_of_entry(task: str, entry_id: int) -> str:
    """The source for an entry of a task's log, such as `task:sorting:12`."""
    return f'{_TASK}{task}:{entry_id}'


def is_entry(source: str) -> bool:
    """True for a source that is a log entry."""
    return source.startswith(_TASK)


def shown_source(source: str) -> str:
    """A source as shown to people, without the identity of the store."""
    return source.partition('@')[0] if source.startswith((_SAID, _PERSON)) else source
