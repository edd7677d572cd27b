"""What every store in a database has in common: its rows and the statements that read and write them."""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, ClassVar, Self

from lucca_core.errors import MemoryFault, NameTakenError
from lucca_memory.people.name_eraser import NameEraser
from lucca_memory.people.name_mentions import blank_mentions, count_mentions
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
)
from lucca_memory.people.values import Feedback, Forgotten, Line, NewLine, Person, Revision, Summary
from lucca_memory.retrieval.times import from_microseconds, microseconds

Execute = Callable[[str, Sequence[Any]], Any]
"""Runs a statement, `?` for each value, and returns a cursor of the database."""

NO_LIMIT = 2**62
_BODY = 'person, conversation, speaker, answers, time, recalled, text'
_LINE = f'id, {_BODY}'
_SUMMARY = 'id, person, text, first_line, last_line, time'
_FEEDBACK = 'person, verdict, question, answer, recalled, time'
_AT_ONCE = 500
"""Values in one `IN (…)`; databases bound them."""


class SqlStore(ABC):
    """See Store. The subclasses have a connection, names and vectors; everything here is plain SQL."""

    vector_table: ClassVar[str]
    _uid = ''

    @property
    def uid(self) -> str:
        """See Store."""
        return self._uid

    @property
    def address(self) -> str:
        """See Store."""
        return ''

    @abstractmethod
    def _read(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        """All rows that a query gives; `?` for each value."""

    @abstractmethod
    def _writing(self) -> AbstractContextManager[Execute]:
        """One transaction: whole and on the disk at the end, or nothing of it."""

    @abstractmethod
    def _add_person(self, execute: Execute, name: str, key: str, since: int) -> int | None:
        """Adds a person and returns the id; None where the key of the name is taken."""

    @abstractmethod
    def _hold(self, execute: Execute, person_id: int) -> None:
        """Keeps other writers from a person until the end of the transaction.

        Raises:
            MemoryFault: there is no such person.
        """

    @abstractmethod
    def close(self) -> None:
        """See Store."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- people -------------------------------------------------------------------------------------------------

    def create(self, name: str, since: datetime) -> Person:
        """See Store."""
        kept, key = storable_name(name), name_key(name)
        if not key:
            raise MemoryFault('a person needs a name')
        with self._writing() as execute:
            person_id = self._add_person(execute, kept, key, microseconds(since))
        if person_id is None:
            raise NameTakenError(f'somebody called {kept[:80]!r} is known already')
        return Person(person_id=person_id, name=kept, since=since)

    def people(self) -> tuple[Person, ...]:
        """See Store."""
        known = map(person_of, self._read('SELECT id, name, since FROM person'))
        return tuple(sorted(known, key=lambda person: name_key(person.name)))

    # -- lines --------------------------------------------------------------------------------------------------

    def append(self, person_id: int, lines: Sequence[NewLine]) -> tuple[Line, ...]:
        """See Store."""
        stored = []
        with self._writing() as execute:
            self._hold(execute, person_id)
            for line in lines:
                row = execute(
                    f'INSERT INTO line ({_BODY}) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id',  # noqa: S608
                    line_values(person_id, line),
                ).fetchone()
                stored.append(stored_line(int(row[0]), person_id, line))
        return tuple(stored)

    def lines(self, person_id: int, *, after: int = 0, limit: int | None = None) -> tuple[Line, ...]:
        """See Store."""
        query = f'SELECT {_LINE} FROM line WHERE person = ? AND id > ? ORDER BY id LIMIT ?'  # noqa: S608
        return tuple(map(line_of, self._read(query, (person_id, after, NO_LIMIT if limit is None else limit))))

    def last_lines(self, person_id: int, count: int) -> tuple[Line, ...]:
        """See Store."""
        query = f'SELECT {_LINE} FROM line WHERE person = ? ORDER BY id DESC LIMIT ?'  # noqa: S608
        return tuple(map(line_of, reversed(self._read(query, (person_id, count)))))

    def lines_by_id(self, person_id: int, line_ids: Sequence[int]) -> Mapping[int, Line]:
        """See Store."""
        found: dict[int, Line] = {}
        for start in range(0, len(line_ids), _AT_ONCE):
            part = line_ids[start : start + _AT_ONCE]
            marks = ', '.join('?' * len(part))
            query = f'SELECT {_LINE} FROM line WHERE person = ? AND id IN ({marks})'  # noqa: S608
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

    def without_vector(self, person_id: int, spec: str, limit: int) -> tuple[Line, ...]:
        """See Store."""
        query = (
            f'SELECT {_LINE} FROM line WHERE person = ? AND NOT EXISTS (SELECT 1 FROM {self.vector_table} AS known '  # noqa: S608
            'WHERE known.person = line.person AND known.spec = ? AND known.line = line.id) ORDER BY id DESC LIMIT ?'
        )
        return tuple(map(line_of, self._read(query, (person_id, spec, limit))))

    def drop_vectors(self, *, keep_spec: str) -> None:
        """See Store."""
        with self._writing() as execute:
            execute(f'DELETE FROM {self.vector_table} WHERE spec != ?', (keep_spec,))  # noqa: S608

    # -- long-term ----------------------------------------------------------------------------------------------

    def summaries(self, person_id: int) -> tuple[Summary, ...]:
        """See Store."""
        query = f'SELECT {_SUMMARY} FROM summary WHERE person = ? ORDER BY id'  # noqa: S608
        return tuple(map(summary_of, self._read(query, (person_id,))))

    def add_summary(self, person_id: int, text: str, first_line: int, last_line: int, time: datetime) -> Summary:
        """See Store."""
        with self._writing() as execute:
            self._hold(execute, person_id)
            [begin] = execute(
                'SELECT min(id) FROM line WHERE person = ? AND id > (SELECT summarized FROM person WHERE id = ?)',
                (person_id, person_id),
            ).fetchone()
            if begin != first_line or last_line < first_line:
                raise MemoryFault(
                    f'short-term memory of person {person_id} begins with line {begin}, not {first_line}: '
                    f'the summary is out of date'
                )
            added = execute(
                'INSERT INTO summary (person, text, first_line, last_line, time) VALUES (?, ?, ?, ?, ?) '
                'RETURNING id, person, text, first_line, last_line, time',
                (person_id, storable(text), first_line, last_line, microseconds(time)),
            ).fetchone()
            execute('UPDATE person SET summarized = ? WHERE id = ?', (last_line, person_id))
            return summary_of(added)

    def short_term(self, person_id: int) -> tuple[Line, ...]:
        """See Store."""
        query = (
            f'SELECT {_LINE} FROM line WHERE person = ? '  # noqa: S608
            'AND id > (SELECT summarized FROM person WHERE id = ?) ORDER BY id'
        )
        return tuple(map(line_of, self._read(query, (person_id, person_id))))

    # -- forgetting, restorable ---------------------------------------------------------------------------------

    def forget(self, person_id: int, line_ids: Sequence[int], reason: str, time: datetime) -> int:
        """See Store."""
        count = 0
        with self._writing() as execute:
            self._hold(execute, person_id)
            for line in line_ids:
                count += execute(
                    f'INSERT INTO forgotten SELECT {_LINE}, ?, ? FROM line WHERE person = ? AND id = ?',  # noqa: S608
                    (storable(reason), microseconds(time), person_id, line),
                ).rowcount
                execute('DELETE FROM line WHERE person = ? AND id = ?', (person_id, line))
                execute(f'DELETE FROM {self.vector_table} WHERE person = ? AND line = ?', (person_id, line))  # noqa: S608
            execute('UPDATE person SET epoch = epoch + 1 WHERE id = ?', (person_id,))
        return count

    def forgotten(self, person_id: int) -> tuple[Forgotten, ...]:
        """See Store."""
        rows = self._read(
            f'SELECT line, {_BODY}, reason, put_away FROM forgotten WHERE person = ? '  # noqa: S608
            'ORDER BY put_away DESC, line DESC',
            (person_id,),
        )
        return tuple(Forgotten(line=line_of(row), reason=row[8], time=from_microseconds(row[9])) for row in rows)

    def restore(self, person_id: int, line_ids: Sequence[int]) -> int:
        """See Store."""
        count = 0
        with self._writing() as execute:
            self._hold(execute, person_id)
            for line in line_ids:
                count += execute(
                    f'INSERT INTO line ({_LINE}) SELECT line, {_BODY} FROM forgotten WHERE person = ? AND line = ?',  # noqa: S608
                    (person_id, line),
                ).rowcount
                execute('DELETE FROM forgotten WHERE person = ? AND line = ?', (person_id, line))
            execute('UPDATE person SET epoch = epoch + 1 WHERE id = ?', (person_id,))
        return count

    # -- a name in what others said -----------------------------------------------------------------------------

    def mentions(self, eraser: NameEraser) -> Mapping[int, int]:
        """See Store."""
        return count_mentions(self._read, eraser)

    def blank(self, eraser: NameEraser) -> tuple[int, ...]:
        """See Store."""
        with self._writing() as execute:
            changed = blank_mentions(
                lambda query, values: execute(query, values).fetchall(), execute, eraser, self.vector_table
            )
        self._scrub()
        return tuple(sorted(changed))

    @abstractmethod
    def _scrub(self) -> None:
        """Writes anew what may still hold what was deleted.

        Raises:
            MemoryFault: it could not be done.
        """

    # -- feedback -----------------------------------------------------------------------------------------------

    def add_feedback(self, feedback: Feedback) -> None:
        """See Store."""
        with self._writing() as execute:
            self._hold(execute, feedback.person_id)
            execute(
                f'INSERT INTO feedback ({_FEEDBACK}) VALUES (?, ?, ?, ?, ?, ?)',  # noqa: S608
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
        whose, values = ('', ()) if person_id is None else ('WHERE person = ?', (person_id,))
        rows = self._read(f'SELECT {_FEEDBACK} FROM feedback {whose} ORDER BY id', values)  # noqa: S608
        return tuple(map(feedback_of, rows))
