"""A name taken out of what belongs to everybody in the network."""

from lucca_memory.people.name_eraser import NOBODY, NameEraser
from lucca_memory.semantic.graph.change import CONCEPT
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
"""Where else a name can be: tasks are called as people call them. Each with what is there once only, so that there can be no
second one without the name."""


def take_out(connection: Transaction, eraser: NameEraser) -> None:
    """Takes a name out of every text, source and mark, within a transaction of the caller's."""
    for node_id, speaker, sources, text in connection.execute('SELECT id, speaker, sources, text FROM node').fetchall():
        if eraser.occurs_in(text) or eraser.occurs_in(speaker) or eraser.occurs_in(sources):
            connection.execute(
                'UPDATE node SET speaker = ?, sources = ?, text = ? WHERE id = ?',
                (eraser.clean(speaker), eraser.clean(sources), eraser.clean(text), node_id),
            )
            # Its vector is that of the text with the name.
            connection.execute('DELETE FROM vector WHERE node = ?', (node_id,))
    # A concept is a word or two of what was said: of a name of several words it may be one. Labels are only ever looked at.
    for node_id, label in connection.execute('SELECT id, text FROM node WHERE kind = ?', (CONCEPT,)).fetchall():
        if eraser.words.intersection(label.casefold().split()):
            connection.execute('UPDATE node SET text = ? WHERE id = ?', (NOBODY, node_id))
    for table, column, same in _NAMING:
        for [value] in connection.execute(f'SELECT DISTINCT {column} FROM {table}').fetchall():  # noqa: S608
            if eraser.occurs_in(value):
                clean = eraser.clean(value)
                unless = f' AND NOT EXISTS (SELECT 1 FROM {table} AS other WHERE {same})' if same else ''  # noqa: S608
                connection.execute(
                    f'UPDATE {table} SET {column} = ? WHERE {column} = ?{unless}',  # noqa: S608
                    (clean, value, clean) if same else (clean, value),
                )
                connection.execute(f'DELETE FROM {table} WHERE {column} = ?', (value,))  # noqa: S608
