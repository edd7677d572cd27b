"""People, lines, summaries and verdicts as database rows, and the key by which a name is found."""

import unicodedata

from lucca_memory.people.values import Feedback, Line, NewLine, Person, Summary
from lucca_memory.store.rows import RowsOf, storable

LONGEST_NAME = 10_000
"""Longer names are cut to this many characters."""

PEOPLE = RowsOf(Person, person_id='id')
NEW_LINES = RowsOf(NewLine)
LINES = RowsOf(Line, line_id='id', person_id='person')
FORGOTTEN_LINES = RowsOf(Line, line_id='line', person_id='person')
SUMMARIES = RowsOf(Summary, summary_id='id', person_id='person')
VERDICTS = RowsOf(Feedback, person_id='person')


def storable_name(name: str) -> str:
    """A name as stored: storable, stripped, at most LONGEST_NAME characters."""
    return storable(name).strip()[:LONGEST_NAME].strip()


def name_key(name: str) -> str:
    """A key that is equal for spellings of one name: ignores compatibility forms, case and runs of spaces."""
    return ' '.join(unicodedata.normalize('NFKC', storable_name(name)).casefold().split())
