"""The store of one robot: SQLite in WAL mode, one file in the data folder, written by the worker alone."""

import json
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from lucca_core.errors import MemoryFault, NameTakenError
from lucca_memory.embedding.ports import Vectors
from lucca_memory.people.ports import Feedback, Forgotten, Line, NewLine, Person, Revision, Summary
from lucca_memory.people.rows import (
    feedback_of,
    line_of,
    line_values,
    name_key,
    person_of,
    storable,
    storable_name,
    stored_line,
    summary_of,
    vector_to_bytes,
    vectors_from_bytes,
)
from lucca_memory.people.schema import migrate
from lucca_memory.retrieval.times import from_microseconds, microseconds

IN_MEMORY = Path(':memory:')
"""A store that ends with the process: that of guests."""

_BODY = 'person, conversation, speaker, answers, time, recalled, text'
_LINE = f'id, {_BODY}'
_AT_ONCE = 500
"""Values in one `IN (…)`; SQLite bounds them."""


class SqliteStore:
    """See Store. One connection, one lock: SQLite has one writer anyway, and reads take microseconds."""

    def __init__(self, file: Path, *, write: bool = True) -> None:
        """Opens or makes the database, at its newest version.

        Raises:
            MemoryFault: it cannot be opened, is damaged, or was written by a newer version.
        """
        self._file = file
        self._lock = threading.RLock()
        try:
            self._connection = self._open(write)
            row = self._connection.execute("SELECT value FROM meta WHERE key = 'uid'").fetchone()
        except sqlite3.Error as error:
            raise MemoryFault(f'{file} cannot be used as memory of people: {error}') from error
        self._uid = str(row[0])

    def _open(self, write: bool) -> sqlite3.Connection:
        if not write:
            connection = sqlite3.connect(f'{self._file.absolute().as_uri()}?mode=ro', uri=True, check_same_thread=False)
            connection.execute('PRAGMA query_only = ON')
            return connection
        if self._file != IN_MEMORY:
            self._file.touch(mode=0o600)
        connection = sqlite3.connect(self._file, isolation_level=None, check_same_thread=False)
        try:
            self._prepare(connection)
        except (sqlite3.Error, MemoryFault):
            connection.close()
            raise
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        connection.execute('PRAGMA journal_mode = WAL')
        # FULL: an acknowledged turn survives a power cut, for one sync a turn.
        connection.execute('PRAGMA synchronous = FULL')
        connection.execute('PRAGMA secure_delete = ON')
        connection.execute('PRAGMA foreign_keys = ON')
        migrate(connection, str(self._file))

    @property
    def uid(self) -> str:
        """See Store."""
        return self._uid

    # -- people -------------------------------------------------------------------------------------------------

    def people(self) -> tuple[Person, ...]:
        """See Store."""
        return tuple(map(person_of, self._read('SELECT id, name, since FROM person ORDER BY name_key')))

    def find(self, name: str) -> Person | None:
        """See Store."""
        rows = self._read('SELECT id, name, since FROM person WHERE name_key = ?', (name_key(name),))
        return person_of(rows[0]) if rows else None

    def create(self, name: str, since: datetime) -> Person:
        """See Store."""
        kept, key = storable_name(name), name_key(name)
        if not key:
            raise MemoryFault('a person needs a name')
        with self._writing() as connection:
            if connection.execute('SELECT 1 FROM person WHERE name_key = ?', (key,)).fetchone():
                raise NameTakenError(f'somebody called {kept[:80]!r} is known already')
            cursor = connection.execute(
                'INSERT INTO person (name, name_key, since) VALUES (?, ?, ?)', (kept, key, microseconds(since))
            )
            return Person(person_id=int(cursor.lastrowid or 0), name=kept, since=since)

    # -- lines --------------------------------------------------------------------------------------------------

    def append(self, person_id: int, lines: Sequence[NewLine]) -> tuple[Line, ...]:
        """See Store."""
        stored = []
        with self._writing() as connection:
            self._check_known(person_id)
            for line in lines:
                cursor = connection.execute(
                    f'INSERT INTO line ({_BODY}) VALUES (?, ?, ?, ?, ?, ?, ?)',  # noqa: S608
                    line_values(person_id, line),
                )
                stored.append(stored_line(int(cursor.lastrowid or 0), person_id, line))
        return tuple(stored)

    def lines(self, person_id: int, *, after: int = 0, limit: int | None = None) -> tuple[Line, ...]:
        """See Store."""
        return tuple(
            map(
                line_of,
                self._read(
                    f'SELECT {_LINE} FROM line WHERE person = ? AND id > ? ORDER BY id LIMIT ?',  # noqa: S608
                    (person_id, after, -1 if limit is None else limit),
                ),
            )
        )

    def last_lines(self, person_id: int, count: int) -> tuple[Line, ...]:
        """See Store."""
        query = f'SELECT {_LINE} FROM line WHERE person = ? ORDER BY id DESC LIMIT ?'  # noqa: S608
        return tuple(map(line_of, reversed(self._read(query, (person_id, count)))))

    def lines_by_id(self, person_id: int, line_ids: Sequence[int]) -> Mapping[int, Line]:
        """See Store."""
        found: dict[int, Line] = {}
        for start in range(0, len(line_ids), _AT_ONCE):
            part = line_ids[start : start + _AT_ONCE]
            query = f'SELECT {_LINE} FROM line WHERE person = ? AND id IN ({_marks(part)})'  # noqa: S608
            found.update((row[0], line_of(row)) for row in self._read(query, (person_id, *part)))
        return found

    def revision(self, person_id: int) -> Revision:
        """See Store."""
        rows = self._read(
            'SELECT epoch, (SELECT max(id) FROM line WHERE person = person.id) FROM person WHERE id = ?', (person_id,)
        )
        if not rows:
            raise MemoryFault(f'there is no person {person_id}')
        return Revision(last_line=rows[0][1] or 0, epoch=rows[0][0])

    def count_lines(self, person_id: int) -> int:
        """See Store."""
        return int(self._read('SELECT count(*) FROM line WHERE person = ?', (person_id,))[0][0])

    # -- vectors ------------------------------------------------------------------------------------------------

    def put_vectors(self, person_id: int, spec: str, vectors: Mapping[int, Vectors]) -> None:
        """See Store."""
        rows = [(spec, vector_to_bytes(vector), person_id, line) for line, vector in vectors.items()]
        with self._writing() as connection:
            connection.executemany(
                'INSERT OR REPLACE INTO vector (person, spec, line, data) '
                'SELECT person, ?, id, ? FROM line WHERE person = ? AND id = ?',
                rows,
            )

    def vectors(self, person_id: int, spec: str, *, after: int = 0, limit: int | None = None) -> Mapping[int, Vectors]:
        """See Store."""
        rows = self._read(
            'SELECT line, data FROM vector WHERE person = ? AND spec = ? AND line > ? ORDER BY line LIMIT ?',
            (person_id, spec, after, -1 if limit is None else limit),
        )
        return dict(zip([row[0] for row in rows], vectors_from_bytes([row[1] for row in rows]), strict=True))

    def without_vector(self, person_id: int, spec: str, limit: int) -> tuple[Line, ...]:
        """See Store."""
        query = (
            f'SELECT {_LINE} FROM line WHERE person = ? AND NOT EXISTS (SELECT 1 FROM vector '  # noqa: S608
            'WHERE person = line.person AND spec = ? AND line = line.id) ORDER BY id DESC LIMIT ?'
        )
        return tuple(map(line_of, self._read(query, (person_id, spec, limit))))

    def drop_vectors(self, *, keep_spec: str) -> None:
        """See Store."""
        with self._writing() as connection:
            connection.execute('DELETE FROM vector WHERE spec != ?', (keep_spec,))

    # -- long-term ----------------------------------------------------------------------------------------------

    def summaries(self, person_id: int) -> tuple[Summary, ...]:
        """See Store."""
        query = 'SELECT id, person, text, first_line, last_line, time FROM summary WHERE person = ? ORDER BY id'
        return tuple(map(summary_of, self._read(query, (person_id,))))

    def add_summary(self, person_id: int, text: str, first_line: int, last_line: int, time: datetime) -> Summary:
        """See Store."""
        kept = storable(text)
        with self._writing() as connection:
            row = connection.execute(
                'SELECT min(id) FROM line WHERE person = ? AND id > (SELECT summarized FROM person WHERE id = ?)',
                (person_id, person_id),
            ).fetchone()
            if row[0] != first_line or last_line < first_line:
                raise MemoryFault(
                    f'short-term memory of person {person_id} begins with line {row[0]}, not {first_line}: '
                    f'the summary is out of date'
                )
            cursor = connection.execute(
                'INSERT INTO summary (person, text, first_line, last_line, time) VALUES (?, ?, ?, ?, ?)',
                (person_id, kept, first_line, last_line, microseconds(time)),
            )
            connection.execute('UPDATE person SET summarized = ? WHERE id = ?', (last_line, person_id))
            return Summary(
                summary_id=int(cursor.lastrowid or 0),
                person_id=person_id,
                text=kept,
                first_line=first_line,
                last_line=last_line,
                time=time,
            )

    def short_term(self, person_id: int) -> tuple[Line, ...]:
        """See Store."""
        query = (
            f'SELECT {_LINE} FROM line WHERE person = ? '  # noqa: S608
            'AND id > (SELECT summarized FROM person WHERE id = ?) ORDER BY id'
        )
        return tuple(map(line_of, self._read(query, (person_id, person_id))))

    # -- forgetting, restorable, and erasing, final -------------------------------------------------------------

    def forget(self, person_id: int, line_ids: Sequence[int], reason: str, time: datetime) -> int:
        """See Store."""
        count = 0
        with self._writing() as connection:
            for line in line_ids:
                count += connection.execute(
                    f'INSERT INTO forgotten SELECT {_LINE}, ?, ? FROM line WHERE person = ? AND id = ?',  # noqa: S608
                    (storable(reason), microseconds(time), person_id, line),
                ).rowcount
                connection.execute('DELETE FROM line WHERE person = ? AND id = ?', (person_id, line))
                connection.execute('DELETE FROM vector WHERE person = ? AND line = ?', (person_id, line))
            connection.execute('UPDATE person SET epoch = epoch + 1 WHERE id = ?', (person_id,))
        return count

    def forgotten(self, person_id: int) -> tuple[Forgotten, ...]:
        """See Store."""
        rows = self._read(
            f'SELECT line, {_BODY}, reason, put_away '  # noqa: S608
            'FROM forgotten WHERE person = ? ORDER BY put_away DESC, line DESC',
            (person_id,),
        )
        return tuple(Forgotten(line=line_of(row), reason=row[8], time=from_microseconds(row[9])) for row in rows)

    def restore(self, person_id: int, line_ids: Sequence[int]) -> int:
        """See Store."""
        count = 0
        with self._writing() as connection:
            for line in line_ids:
                count += connection.execute(
                    f'INSERT INTO line ({_LINE}) SELECT line, {_BODY} FROM forgotten '  # noqa: S608
                    'WHERE person = ? AND line = ?',
                    (person_id, line),
                ).rowcount
                connection.execute('DELETE FROM forgotten WHERE person = ? AND line = ?', (person_id, line))
            connection.execute('UPDATE person SET epoch = epoch + 1 WHERE id = ?', (person_id,))
        return count

    def erase(self, person_id: int) -> None:
        """See Store."""
        with self._writing() as connection:
            connection.execute('DELETE FROM person WHERE id = ?', (person_id,))
        with self._lock:
            try:
                # Freed pages and the write-ahead log still hold the text until they are written anew.
                self._connection.execute('VACUUM')
                row = self._connection.execute('PRAGMA wal_checkpoint(TRUNCATE)').fetchone()
            except sqlite3.Error as error:
                raise MemoryFault(
                    f'{self._file}: erased, but its old pages remain until this succeeds: {error}'
                ) from error
            if row[0]:
                raise MemoryFault(f'{self._file}: erased, but another reader keeps the old pages; erase again')

    # -- feedback -----------------------------------------------------------------------------------------------

    def add_feedback(self, feedback: Feedback) -> None:
        """See Store."""
        with self._writing() as connection:
            self._check_known(feedback.person_id)
            connection.execute(
                'INSERT INTO feedback (person, verdict, question, answer, recalled, time) VALUES (?, ?, ?, ?, ?, ?)',
                (
                    feedback.person_id,
                    feedback.verdict,
                    storable(feedback.question),
                    storable(feedback.answer),
                    json.dumps(feedback.recalled),
                    microseconds(feedback.time),
                ),
            )

    def feedback(self, person_id: int | None = None) -> tuple[Feedback, ...]:
        """See Store."""
        rows = self._read(
            'SELECT person, verdict, question, answer, recalled, time FROM feedback '
            'WHERE ?1 IS NULL OR person = ?1 ORDER BY id',
            (person_id,),
        )
        return tuple(feedback_of(row) for row in rows)

    # -- the database -------------------------------------------------------------------------------------------

    def copy_to(self, file: Path) -> None:
        """A whole and consistent copy of the database, taken while it is in use.

        Raises:
            MemoryFault: it could not be written.
        """
        try:
            target = sqlite3.connect(file)
            try:
                with self._lock:
                    self._connection.backup(target)
            finally:
                target.close()
        except sqlite3.Error as error:
            raise MemoryFault(f'{self._file} could not be copied to {file}: {error}') from error

    def close(self) -> None:
        """See Store."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_known(self, person_id: int) -> None:
        if not self._connection.execute('SELECT 1 FROM person WHERE id = ?', (person_id,)).fetchone():
            raise MemoryFault(f'there is no person {person_id}')

    def _read(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._lock:
            try:
                return self._connection.execute(query, values).fetchall()
            except sqlite3.Error as error:
                raise MemoryFault(f'{self._file} could not be read: {error}') from error

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: committed and synced at the end, or nothing of it."""
        with self._lock:
            try:
                self._connection.execute('BEGIN IMMEDIATE')
                yield self._connection
                self._connection.execute('COMMIT')
            except sqlite3.Error as error:
                raise MemoryFault(f'{self._file} could not be written: {error}; nothing was recorded') from error
            finally:
                if self._connection.in_transaction:
                    self._connection.execute('ROLLBACK')


def _marks(values: Sequence[object]) -> str:
    return ', '.join('?' * len(values))
