"""Checks that a SQLite file is the expected database before it is opened for writing.

Opening the wrong file could damage it: a foreign write-ahead log would be written into it.
"""

import functools
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from lucca_core.errors import MemoryFault, NewerVersionError
from lucca_core.regular_file import check_regular

CHECKED_WHOLE_BYTES = 64_000_000
"""Larger databases are read completely by `lucca doctor` only, as that would delay a start by seconds."""

ADVICE = 'restore a backup of the data folder (lucca restore), or begin this memory anew (lucca doctor --new-memory)'

_TYPES = {'INTEGER': "'integer'", 'TEXT': "'text'", 'REAL': "'real', 'integer'", 'BLOB': "'blob'"}

Columns = Mapping[str, tuple[str, bool]]
"""For each column of a table: its type, and whether it may be NULL."""


def check_database(
    file: Path, steps: Sequence[str], *, expected: bool = False, uid: str = '', whole: bool = False
) -> None:
    """Checks that a file is an undamaged database of ours, without writing to it.

    Args:
        file: path of the database.
        steps: SQL that creates its tables, from each version to the next.
        expected: the file must exist, as it held memory before.
        uid: required identity; empty for any.
        whole: read all of it, however large.

    Raises:
        MemoryFault: it is missing, empty, damaged, another database, or of a newer version; says what to do.
    """
    try:
        check_regular(file)
        size = file.stat().st_size if file.exists() else 0
        if not size:
            if expected:
                found = 'is empty' if file.exists() else 'is not there any more'
                raise MemoryFault(f'{file} held memory and {found}; {ADVICE}')
            return
        with closing(sqlite3.connect(f'{file.absolute().as_uri()}?mode=ro', uri=True)) as connection:
            _check(connection, file, steps, expected=expected, uid=uid, whole=whole or size <= CHECKED_WHOLE_BYTES)
    # UnicodeDecodeError: raised for SQLite's own message about a damaged schema.
    except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
        raise MemoryFault(f'{file} cannot be used as memory: {error}; {ADVICE}') from error


def _check(
    connection: sqlite3.Connection, file: Path, steps: Sequence[str], *, expected: bool, uid: str, whole: bool
) -> None:
    version = int(connection.execute('PRAGMA user_version').fetchone()[0])
    if version > len(steps):
        raise NewerVersionError(
            f'{file} has version {version} of a newer lucca; this one knows {len(steps)}: update lucca'
        )
    if version < 0:
        raise MemoryFault(f'{file} is damaged: it has version {version}; {ADVICE}')
    tables = _tables(connection)
    if tables != _tables_of_steps(tuple(steps[:version])):
        raise MemoryFault(f'{file} is another database, with the tables {", ".join(tables) or "none"}; {ADVICE}')
    if expected and not version:
        raise MemoryFault(f'{file} held memory and is empty; {ADVICE}')
    if whole:
        [verdict] = connection.execute('PRAGMA quick_check(1)').fetchone()
        if verdict != 'ok':
            raise MemoryFault(f'{file} is damaged: {" ".join(str(verdict).split())}; {ADVICE}')
        for table, columns in tables.items():
            _check_types(connection, file, table, columns)
    if uid:
        rows = connection.execute("SELECT value FROM meta WHERE key = 'uid'").fetchall()
        if rows != [(uid,)]:
            raise MemoryFault(f'{file} is the memory of another data folder; {ADVICE}')


def _check_types(connection: sqlite3.Connection, file: Path, table: str, columns: Columns) -> None:
    """Checks the type of every value, since a flipped bit may turn a text into a number."""
    wrong = [
        f'typeof("{name}") NOT IN ({_TYPES[kind]}{", " + repr("null") if may_be_null else ""})'
        for name, (kind, may_be_null) in columns.items()
        if kind in _TYPES
    ]
    query = f'SELECT 1 FROM "{table}" WHERE {" OR ".join(wrong)} LIMIT 1'  # noqa: S608
    if wrong and connection.execute(query).fetchone():
        raise MemoryFault(f'{file} is damaged: {table} holds values of another type; {ADVICE}')


def _tables(connection: sqlite3.Connection) -> dict[str, Columns]:
    names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
    tables: dict[str, Columns] = {}
    for [name] in names:
        if isinstance(name, str) and not name.startswith('sqlite_'):
            rows = connection.execute('SELECT name, type, "notnull", pk FROM pragma_table_info(?)', (name,)).fetchall()
            tables[name] = {str(column): (str(kind), not (notnull or pk)) for column, kind, notnull, pk in rows}
    return tables


@functools.cache
def _tables_of_steps(steps: tuple[str, ...]) -> dict[str, Columns]:
    with closing(sqlite3.connect(':memory:')) as connection:
        for step in steps:
            connection.executescript(step)
        return _tables(connection)
