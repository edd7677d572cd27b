"""Ids of lines, nodes, people and log entries, such as `said:17`, `node:3`, `person-3@4f…` and `task:sorting:12`.

The number of a person or a line alone is ambiguous, as every store of people has its own numbers. So the owners and
sources that the network keeps include the identity of the store (`PeopleStore.uid`).
"""

SAID = 'said:'
NODE = 'node:'
_PERSON = 'person-'
_TASK = 'task:'
_MOST_DIGITS = 18
"""More digits may not fit the 64 bits of a database id."""


def number_of(item_id: str, prefix: str = SAID) -> int | None:
    """The number of an id with this prefix; None if the text is not such an id."""
    number = item_id.removeprefix(prefix)
    plain = number.isascii() and number.isdecimal() and len(number) <= _MOST_DIGITS
    return int(number) if plain and item_id != number else None


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
    return f'{SAID}{line_id}@{uid}'


def line_of_source(uid: str, source: str) -> int | None:
    """The line id of a source; None if it is not a line of this store."""
    item_id, at, of = source.partition('@')
    return number_of(item_id) if at and of == uid else None


def order_of_line(source: str) -> tuple[str, int] | None:
    """The store and the number of a line; numbers of a store increase as people speak. None for another source."""
    item_id, at, uid = source.partition('@')
    number = number_of(item_id) if at else None
    return None if number is None else (uid, number)


def source_of_entry(task: str, entry_id: int) -> str:
    """The source for an entry of a task's log, such as `task:sorting:12`."""
    return f'{_TASK}{task}:{entry_id}'


def is_entry(source: str) -> bool:
    """True for a source that is a log entry."""
    return source.startswith(_TASK)


def shown_source(source: str) -> str:
    """A source as shown to people, without the identity of the store."""
    return source.partition('@')[0] if source.startswith((SAID, _PERSON)) else source
