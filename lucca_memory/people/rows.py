"""Converting people, lines and vectors to database rows and back."""

import functools
import json
import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from lucca_core.errors import MemoryFault
from lucca_core.json_text import parse_json
from lucca_memory.embedding.embedder import Vectors
from lucca_memory.people.values import Feedback, Line, NewLine, Person, Summary
from lucca_memory.retrieval.times import from_microseconds, microseconds
from lucca_memory.store.sqlite_check import ADVICE

LONGEST_NAME = 10_000
"""Longer names are cut to this many characters."""

_UNSTORABLE = re.compile('[\0\ud800-\udfff]')


def storable(text: str) -> str:
    """Text without NUL and lone surrogates, which PostgreSQL and UTF-8 cannot store."""
    return _UNSTORABLE.sub('�', text)


def storable_name(name: str) -> str:
    """A name as stored: storable, stripped, at most LONGEST_NAME characters."""
    return storable(name).strip()[:LONGEST_NAME].strip()


def name_key(name: str) -> str:
    """A key that is equal for spellings of one name: ignores compatibility forms, case and runs of spaces."""
    return ' '.join(unicodedata.normalize('NFKC', storable_name(name)).casefold().split())


def vector_to_bytes(vector: Vectors) -> bytes:
    """A unit vector in half precision: errors of dot products stay below 0.001."""
    return vector.astype('<f2').tobytes()


def vectors_from_bytes(rows: Sequence[bytes]) -> NDArray[np.float32]:
    """The inverse, for several vectors: shape (n, d)."""
    matrix = np.frombuffer(b''.join(rows), '<f2').astype(np.float32)
    return matrix.reshape(len(rows), matrix.size // max(len(rows), 1))


RowT = TypeVar('RowT')


def checked_row(made_of: Callable[[Any], RowT]) -> Callable[[Any], RowT]:
    """Wraps a row reader so that a row with invalid content raises MemoryFault."""

    @functools.wraps(made_of)
    def made_of_checked(row: Any) -> RowT:
        try:
            return made_of(row)
        except (ValueError, TypeError, LookupError, ArithmeticError, AttributeError) as error:
            raise MemoryFault(f'a row of memory is damaged ({error}); {ADVICE}') from error

    return made_of_checked


@checked_row
def person_of(row: Any) -> Person:
    """A person from id, name and since."""
    return Person(person_id=row[0], name=row[1], since=from_microseconds(row[2]))


def line_values(person_id: int, line: NewLine) -> tuple[Any, ...]:
    """The columns of a line without its id: person, conversation, speaker, answers, time, recalled, text."""
    return (
        person_id,
        storable(line.conversation),
        storable(line.speaker),
        int(line.answers),
        microseconds(line.time),
        json.dumps(line.recalled) if line.recalled else '',
        storable(line.text),
    )


@checked_row
def line_of(row: Any) -> Line:
    """A line from its id and the columns of `line_values`."""
    return Line(
        line_id=row[0],
        person_id=row[1],
        conversation=row[2],
        speaker=row[3],
        answers=bool(row[4]),
        time=from_microseconds(row[5]),
        recalled=tuple(parse_json(row[6])) if row[6] else (),
        text=row[7],
    )


def stored_line(line_id: int, person_id: int, line: NewLine) -> Line:
    """A line as it is read back once stored."""
    return line_of((line_id, *line_values(person_id, line)))


@checked_row
def summary_of(row: Any) -> Summary:
    """A summary from id, person, text, first line, last line and time."""
    return Summary(
        summary_id=row[0],
        person_id=row[1],
        text=row[2],
        first_line=row[3],
        last_line=row[4],
        time=from_microseconds(row[5]),
    )


@checked_row
def feedback_of(row: Any) -> Feedback:
    """A verdict from person, verdict, question, answer, recalled and time."""
    return Feedback(
        person_id=row[0],
        verdict=row[1],
        question=row[2],
        answer=row[3],
        recalled=tuple(parse_json(row[4])),
        time=from_microseconds(row[5]),
    )
