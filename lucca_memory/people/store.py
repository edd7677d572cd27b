"""The store of people: their lines, summaries and verdicts as database rows."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Self

import numpy as np

from lucca_core.errors import MemoryFault, NameTakenError
from lucca_core.json_text import parse_json
from lucca_memory.embedding.embedder import Vectors
from lucca_memory.embedding.packed import vector_to_bytes, vectors_from_bytes
from lucca_memory.people.name_eraser import NameEraser
from lucca_memory.people.name_mentions import blank_mentions, count_mentions
from lucca_memory.people.rows import (
    FORGOTTEN_LINES,
    LINES,
    NEW_LINES,
    PEOPLE,
    SUMMARIES,
    VERDICTS,
    name_key,
    storable_name,
)
from lucca_memory.people.values import Feedback, ForgottenLine, Line, NewLine, Person, Revision, Summary
from lucca_memory.retrieval.times import from_microseconds, microseconds
from lucca_memory.store.database import NO_LIMIT, Database, Transaction
from lucca_memory.store.rows import storable


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlDialect:
    """The differences between the tables of the two databases.

    Attributes:
        name_column, name_mark: the column that identifies a name, and an SQL expression of its value from `?`.
        lock: suffix of a `SELECT` that locks the row.
        vector_table: name of the table of line vectors.
        packed_vectors: True if vectors are stored as bytes, False if as a pgvector `vector`.
    """

    name_column: str
    name_mark: str
    lock: str
    vector_table: str
    packed_vectors: bool


class PeopleStore:
    """People in a database; writes are on the disk when a call returns. Thread-safe.

    Every method raises MemoryFault if the store cannot be read or written, or if a `person_id` is unknown; a failed
    write changes nothing.
    """

    def __init__(self, database: Database, dialect: SqlDialect, uid: str) -> None:
        self._database, self._dialect, self._uid = database, dialect, uid
        self._vectors = dialect.vector_table

    @property
    def uid(self) -> str:
        """Identity of this store; everything derived from it carries it."""
        return self._uid

    @property
    def address(self) -> str:
        """Address of a shared store; empty for one in the data folder."""
        return ''

    def close(self) -> None:
        """Closes the store; closing twice is harmless."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- people -------------------------------------------------------------------------------------------------

    def create(self, name: str, since: datetime) -> Person:
        """Adds a person.

        Raises:
            NameTakenError: another person has this name.
        """
        kept, key = storable_name(name), name_key(name)
        if not key:
            raise MemoryFault('a person needs a name')
        column, mark = self._dialect.name_column, self._dialect.name_mark
        with self._database.transaction() as transaction:
            row = transaction.execute(
                f'INSERT INTO person (name, {column}, since) VALUES (?, {mark}, ?) ON CONFLICT DO NOTHING RETURNING id',
                (kept, key, microseconds(since)),
            ).fetchone()
        if row is None:
            raise NameTakenError(f'somebody called {kept[:80]!r} is known already')
        return Person(person_id=int(row[0]), name=kept, since=since)

    def find(self, name: str) -> Person | None:
        """The person of this name, ignoring case and spacing; None if unknown."""
        query = f'SELECT {PEOPLE.names} FROM person WHERE {self._dialect.name_column} = {self._dialect.name_mark}'
        rows = self._database.read(query, (name_key(name),))
        return PEOPLE.read(rows[0]) if rows else None

    def _hold(self, transaction: Transaction, person_id: int) -> None:
        """Locks a person's row until the end of the transaction.

        This makes line ids increase in commit order, so that no robot's index misses a line of another robot.

        Raises:
            MemoryFault: there is no such person.
        """
        if not transaction.execute(f'SELECT 1 FROM person WHERE id = ?{self._dialect.lock}', (person_id,)).fetchone():
            raise MemoryFault(f'there is no person {person_id}')

    def people(self) -> tuple[Person, ...]:
        """Everybody, by name."""
        known = map(PEOPLE.read, self._database.read(f'SELECT {PEOPLE.names} FROM person'))
        return tuple(sorted(known, key=lambda person: name_key(person.name)))

    # -- lines --------------------------------------------------------------------------------------------------

    def append(self, person_id: int, lines: Sequence[NewLine]) -> tuple[Line, ...]:
        """Adds lines after all existing ones, all or none."""
        insert = f'INSERT INTO line ({NEW_LINES.names}, person) VALUES ({NEW_LINES.marks}, ?) RETURNING {LINES.names}'
        with self._database.transaction() as transaction:
            self._hold(transaction, person_id)
            return tuple(
                LINES.read(transaction.execute(insert, (*NEW_LINES.values(line), person_id)).fetchone())
                for line in lines
            )

    def lines(self, person_id: int, *, after: int = 0, limit: int | None = None) -> tuple[Line, ...]:
        """Lines in order, starting after the line id `after`."""
        query = f'SELECT {LINES.names} FROM line WHERE person = ? AND id > ? ORDER BY id LIMIT ?'
        return tuple(
            map(LINES.read, self._database.read(query, (person_id, after, NO_LIMIT if limit is None else limit)))
        )

    def last_lines(self, person_id: int, count: int) -> tuple[Line, ...]:
        """The newest lines, in order."""
        query = f'SELECT {LINES.names} FROM line WHERE person = ? ORDER BY id DESC LIMIT ?'
        return tuple(map(LINES.read, reversed(self._database.read(query, (person_id, count)))))

    def lines_by_id(self, person_id: int, line_ids: Sequence[int]) -> Mapping[int, Line]:
        """The lines of this person among the given ids."""
        query = f'SELECT {LINES.names} FROM line WHERE person = ? AND id IN (%s)'
        found = map(LINES.read, self._database.read_in_parts(query, line_ids, person_id))
        return {line.line_id: line for line in found}

    def revision(self, person_id: int) -> Revision:
        """The current revision of a person's lines."""
        rows = self._database.read(
            'SELECT epoch, (SELECT max(id) FROM line WHERE person = person.id) FROM person WHERE id = ?', (person_id,)
        )
        if not rows:
            raise MemoryFault(f'there is no person {person_id}')
        return Revision(last_line=rows[0][1] or 0, epoch=rows[0][0])

    def count_lines(self, person_id: int) -> int:
        """How many lines a person has."""
        return int(self._database.read('SELECT count(*) FROM line WHERE person = ?', (person_id,))[0][0])

    # -- vectors ------------------------------------------------------------------------------------------------

    def put_vectors(self, person_id: int, spec: str, vectors: Mapping[int, Vectors]) -> None:
        """Stores the vectors (d,) of lines under an embedder's spec; deleted lines are ignored."""
        packed = self._dialect.packed_vectors
        with self._database.transaction() as transaction:
            transaction.executemany(
                f'INSERT INTO {self._vectors} (person, spec, line, data) '
                f'SELECT person, ?, id, {"?" if packed else "?::vector"} FROM line WHERE person = ? AND id = ? '
                'ON CONFLICT (person, spec, line) DO UPDATE SET data = excluded.data',
                (
                    (spec, vector_to_bytes(vector) if packed else _vector_to_text(vector), person_id, line)
                    for line, vector in vectors.items()
                ),
            )

    def vectors(self, person_id: int, spec: str, *, after: int = 0, limit: int | None = None) -> Mapping[int, Vectors]:
        """Vectors (d,) by line id, in order, for lines after `after`."""
        packed = self._dialect.packed_vectors
        rows = self._database.read(
            f'SELECT line, {"data" if packed else "data::text"} FROM {self._vectors} '
            'WHERE person = ? AND spec = ? AND line > ? ORDER BY line LIMIT ?',
            (person_id, spec, after, NO_LIMIT if limit is None else limit),
        )
        if packed:
            return dict(zip([row[0] for row in rows], vectors_from_bytes([row[1] for row in rows]), strict=True))
        return {row[0]: np.array(parse_json(row[1]), np.float32) for row in rows}

    def without_vector(self, person_id: int, spec: str, limit: int) -> tuple[Line, ...]:
        """Lines without a vector of this spec, newest first."""
        query = (
            f'SELECT {LINES.names} FROM line WHERE person = ? AND NOT EXISTS (SELECT 1 FROM {self._vectors} AS known '
            'WHERE known.person = line.person AND known.spec = ? AND known.line = line.id) ORDER BY id DESC LIMIT ?'
        )
        return tuple(map(LINES.read, self._database.read(query, (person_id, spec, limit))))

    def drop_vectors(self, *, keep_spec: str) -> None:
        """Deletes the vectors of all other specs."""
        with self._database.transaction() as transaction:
            transaction.execute(f'DELETE FROM {self._vectors} WHERE spec != ?', (keep_spec,))

    # -- long-term ----------------------------------------------------------------------------------------------

    def summaries(self, person_id: int) -> tuple[Summary, ...]:
        """All summaries, oldest first."""
        query = f'SELECT {SUMMARIES.names} FROM summary WHERE person = ? ORDER BY id'
        return tuple(map(SUMMARIES.read, self._database.read(query, (person_id,))))

    def add_summary(self, person_id: int, text: str, first_line: int, last_line: int, time: datetime) -> Summary:
        """Stores a summary; its lines leave short-term memory in the same transaction.

        Raises:
            MemoryFault: short-term memory no longer begins with `first_line`; nothing was stored.
        """
        with self._database.transaction() as transaction:
            self._hold(transaction, person_id)
            [begin] = transaction.execute(
                'SELECT min(id) FROM line WHERE person = ? AND id > (SELECT summarized FROM person WHERE id = ?)',
                (person_id, person_id),
            ).fetchone()
            if begin != first_line or last_line < first_line:
                raise MemoryFault(
                    f'short-term memory of person {person_id} begins with line {begin}, not {first_line}: '
                    f'the summary is out of date'
                )
            added = transaction.execute(
                'INSERT INTO summary (person, text, first_line, last_line, time) VALUES (?, ?, ?, ?, ?) '
                f'RETURNING {SUMMARIES.names}',
                (person_id, storable(text), first_line, last_line, microseconds(time)),
            ).fetchone()
            transaction.execute('UPDATE person SET summarized = ? WHERE id = ?', (last_line, person_id))
            return SUMMARIES.read(added)

    def short_term(self, person_id: int) -> tuple[Line, ...]:
        """The lines that no summary covers yet."""
        query = (
            f'SELECT {LINES.names} FROM line WHERE person = ? '
            'AND id > (SELECT summarized FROM person WHERE id = ?) ORDER BY id'
        )
        return tuple(map(LINES.read, self._database.read(query, (person_id, person_id))))

    # -- forgetting, restorable ---------------------------------------------------------------------------------

    def forget(self, person_id: int, line_ids: Sequence[int], reason: str, time: datetime) -> int:
        """Puts lines and their vectors away so that they can be restored; returns how many."""
        count = 0
        with self._database.transaction() as transaction:
            self._hold(transaction, person_id)
            for line in line_ids:
                count += transaction.execute(
                    f'INSERT INTO forgotten ({FORGOTTEN_LINES.names}, reason, put_away) '
                    f'SELECT {LINES.names}, ?, ? FROM line WHERE person = ? AND id = ?',
                    (storable(reason), microseconds(time), person_id, line),
                ).rowcount
                transaction.execute('DELETE FROM line WHERE person = ? AND id = ?', (person_id, line))
                transaction.execute(f'DELETE FROM {self._vectors} WHERE person = ? AND line = ?', (person_id, line))
            transaction.execute('UPDATE person SET epoch = epoch + 1 WHERE id = ?', (person_id,))
        return count

    def forgotten(self, person_id: int) -> tuple[ForgottenLine, ...]:
        """The lines that were put away, newest first."""
        rows = self._database.read(
            f'SELECT reason, put_away, {FORGOTTEN_LINES.names} FROM forgotten WHERE person = ? '
            'ORDER BY put_away DESC, line DESC',
            (person_id,),
        )
        return tuple(
            ForgottenLine(line=FORGOTTEN_LINES.read(line), reason=reason, time=from_microseconds(put_away))
            for reason, put_away, *line in rows
        )

    def restore(self, person_id: int, line_ids: Sequence[int]) -> int:
        """Restores lines; returns how many."""
        count = 0
        with self._database.transaction() as transaction:
            self._hold(transaction, person_id)
            for line in line_ids:
                count += transaction.execute(
                    f'INSERT INTO line ({LINES.names}) SELECT {FORGOTTEN_LINES.names} FROM forgotten '
                    'WHERE person = ? AND line = ?',
                    (person_id, line),
                ).rowcount
                transaction.execute('DELETE FROM forgotten WHERE person = ? AND line = ?', (person_id, line))
            transaction.execute('UPDATE person SET epoch = epoch + 1 WHERE id = ?', (person_id,))
        return count

    # -- erasing, final -----------------------------------------------------------------------------------------

    def erase(self, person_id: int) -> None:
        """Deletes every row of a person and overwrites the freed space."""
        with self._database.transaction() as transaction:
            transaction.execute('DELETE FROM person WHERE id = ?', (person_id,))
        self._database.scrub()

    # -- a name in what others said -----------------------------------------------------------------------------

    def mentions(self, eraser: NameEraser) -> Mapping[int, int]:
        """How many texts of each person contain a name, by person id."""
        return count_mentions(self._database.read, eraser)

    def blank(self, eraser: NameEraser) -> tuple[int, ...]:
        """Replaces a name in every text for good; returns the ids of the people whose texts contained it."""
        with self._database.transaction() as transaction:
            changed = blank_mentions(transaction, eraser, self._vectors)
        self._database.scrub()
        return tuple(sorted(changed))

    # -- feedback -----------------------------------------------------------------------------------------------

    def add_feedback(self, feedback: Feedback) -> None:
        """Stores a verdict."""
        with self._database.transaction() as transaction:
            self._hold(transaction, feedback.person_id)
            transaction.execute(
                f'INSERT INTO feedback ({VERDICTS.names}) VALUES ({VERDICTS.marks})', VERDICTS.values(feedback)
            )

    def feedback(self, person_id: int | None = None) -> tuple[Feedback, ...]:
        """Verdicts, oldest first, of one person or of all."""
        whose, values = ('', ()) if person_id is None else ('WHERE person = ?', (person_id,))
        rows = self._database.read(f'SELECT {VERDICTS.names} FROM feedback {whose} ORDER BY id', values)
        return tuple(map(VERDICTS.read, rows))

    def next_feedback(self, after: int) -> tuple[int, Feedback] | None:
        """The verdict after a number, with its own number; None if there is none.

        Numbers increase with every verdict, even if a clock goes back.
        """
        rows = self._database.read(
            f'SELECT id, {VERDICTS.names} FROM feedback WHERE id > ? ORDER BY id LIMIT 1', (after,)
        )
        return (int(rows[0][0]), VERDICTS.read(rows[0][1:])) if rows else None

    def number_of_feedback(self, until: datetime) -> int:
        """The number of the newest verdict that was given by a time; 0 if there is none."""
        [[number]] = self._database.read('SELECT max(id) FROM feedback WHERE time <= ?', (microseconds(until),))
        return number or 0


def _vector_to_text(vector: Vectors) -> str:
    return json.dumps([round(float(value), 6) for value in vector])
