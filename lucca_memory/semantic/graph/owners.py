"""How the network names whose a node is and where it is from.

A number alone names nobody: once the store of people is exchanged, the same number is another person. So owners and
sources carry the identity of the store (`PeopleStore.uid`) that the number is of.
"""

from lucca_memory.item_ids import number_of

_PERSON = 'person-'
_SAID = 'said:'
_TASK = 'task:'


def owner_of(uid: str, person_id: int) -> str:
    """The owner that a person of a store is, such as `person-3@4f…`.

    Raises:
        ValueError: it is a guest; what guests say is nobody's and is not kept.
    """
    if person_id < 1:
        raise ValueError(f'guests own nothing, got person {person_id}')
    return f'{_PERSON}{person_id}@{uid}'


def source_of_line(uid: str, line_id: int) -> str:
    """The source that a line of a store is, such as `said:17@4f…`."""
    return f'{_SAID}{line_id}@{uid}'


def line_of_source(uid: str, source: str) -> int | None:
    """The line of a store that a source is; None if it is none of this store."""
    item_id, at, of = source.partition('@')
    return number_of(item_id) if at and of == uid else None


def source_of_entry(task: str, entry_id: int) -> str:
    """The source that an entry of a task's log is, such as `task:sorting:12`."""
    return f'{_TASK}{task}:{entry_id}'


def is_entry(source: str) -> bool:
    """True for a source that is an entry of a log."""
    return source.startswith(_TASK)


def shown_source(source: str) -> str:
    """A source for people, without the identity of the store."""
    return source.partition('@')[0] if source.startswith((_SAID, _PERSON)) else source
