"""Removing a person's name from nodes: from those that belong to everybody, or from all."""

from lucca_memory.people.name_eraser import NOBODY, NameEraser
from lucca_memory.semantic.graph.change import CONCEPT
from lucca_memory.semantic.values import EVERYBODY
from lucca_memory.store.database import Transaction

_NAMING = (
    ('heard', 'source', 'other.source = ?'),
    ('told_by', 'source', 'other.source = ? AND other.node = told_by.node'),
    ('mark', 'name', 'other.name = ?'),
    ('forgotten', 'reason', ''),
    ('noted', 'source', 'other.source = ?'),
    ('noted', 'speaker', ''),
    ('noted', 'text', ''),
)
"""Other columns that may contain a name, as people may name tasks after somebody; with the columns that must be unique,
so that a renamed row is not stored twice."""


def take_out(connection: Transaction, eraser: NameEraser, *, from_all: bool) -> None:
    """Removes a name from texts, sources and marks, within a transaction.

    Without `from_all`, what belongs to a person is left as it is: what somebody said of another is their own memory.
    """
    whose, owner = ('1 = 1', ()) if from_all else ('owner = ?', (EVERYBODY,))
    rows = connection.execute(f'SELECT id, speaker, sources, text FROM node WHERE {whose}', owner).fetchall()
    for node_id, speaker, sources, text in rows:
        if eraser.occurs_in(text) or eraser.occurs_in(speaker) or eraser.occurs_in(sources):
            connection.execute(
                'UPDATE node SET speaker = ?, sources = ?, text = ? WHERE id = ?',
                (eraser.clean(speaker), eraser.clean(sources), eraser.clean(text), node_id),
            )
            # The vector was computed with the name.
            connection.execute('DELETE FROM vector WHERE node = ?', (node_id,))
    # A concept is one or two words, so it may be a single word of the name. Labels are only displayed.
    labels = connection.execute(f'SELECT id, text FROM node WHERE {whose} AND kind = ?', (*owner, CONCEPT)).fetchall()
    for node_id, label in labels:
        if eraser.words.intersection(label.casefold().split()):
            connection.execute('UPDATE node SET text = ? WHERE id = ?', (NOBODY, node_id))
    for table, column, same in _NAMING:
        for [value] in connection.execute(f'SELECT DISTINCT {column} FROM {table}').fetchall():
            if eraser.occurs_in(value):
                clean = eraser.clean(value)
                unless = f' AND NOT EXISTS (SELECT 1 FROM {table} AS other WHERE {same})' if same else ''
                connection.execute(
                    f'UPDATE {table} SET {column} = ? WHERE {column} = ?{unless}',
                    (clean, value, clean) if same else (clean, value),
                )
                connection.execute(f'DELETE FROM {table} WHERE {column} = ?', (value,))
