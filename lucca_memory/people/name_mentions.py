"""Counting and replacing a person's name in what others said."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from lucca_memory.people.name_eraser import NameEraser
from lucca_memory.store.database import Transaction

_TEXTS = {
    'line': ('id', ('conversation', 'speaker', 'text')),
    'summary': ('id', ('text',)),
    'forgotten': ('line', ('conversation', 'speaker', 'text', 'reason')),
    'feedback': ('id', ('question', 'answer')),
}
"""For each table: its key, and the columns with text from people."""

Read = Callable[[str, Sequence[Any]], Any]
"""Runs a query and returns its rows."""


def count_mentions(read: Read, eraser: NameEraser) -> Mapping[int, int]:
    """How many texts of each person contain a name, by person id."""
    return Counter(person for _, _, person, _ in _mentions(read, eraser))


def blank_mentions(transaction: Transaction, eraser: NameEraser, vectors: str) -> set[int]:
    """Replaces a name by "somebody" within a transaction; returns the ids of the people concerned.

    Args:
        transaction: in progress.
        eraser: of the name.
        vectors: the table of vectors; those of changed lines are deleted.
    """
    changed = set()

    def read(query: str, values: Sequence[Any], /) -> Any:
        return transaction.execute(query, values).fetchall()

    for table, number, person, texts in list(_mentions(read, eraser)):
        key, columns = _TEXTS[table]
        values = ', '.join(f'{column} = ?' for column in columns)
        transaction.execute(f'UPDATE {table} SET {values} WHERE {key} = ?', (*map(eraser.clean, texts), number))
        if table == 'line':
            transaction.execute(f'DELETE FROM {vectors} WHERE person = ? AND line = ?', (person, number))
        changed.add(person)
    for person in sorted(changed):
        # Their indexes contain the name.
        transaction.execute('UPDATE person SET epoch = epoch + 1 WHERE id = ?', (person,))
    return changed


def _mentions(read: Read, eraser: NameEraser) -> Iterator[tuple[str, int, int, tuple[str, ...]]]:
    for table, (key, columns) in _TEXTS.items():
        for number, person, *texts in read(f'SELECT {key}, person, {", ".join(columns)} FROM {table}', ()):
            if any(map(eraser.occurs_in, texts)):
                yield table, number, person, tuple(texts)
