"""SQL schema of the people tables in SQLite and PostgreSQL, as migrations from each version to the next.

Released migrations are never edited.
"""

from lucca_memory.store.database import POSTGRES_TYPES, SQLITE_TYPES

_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL){keyed};
INSERT INTO meta VALUES ('uid', {identity});
CREATE TABLE person (
    id {numbered},
    name TEXT NOT NULL,
    {name_key} TEXT NOT NULL UNIQUE,
    since {int} NOT NULL,
    epoch {int} NOT NULL DEFAULT 0,
    summarized {int} NOT NULL DEFAULT 0
);
CREATE TABLE line (
    id {numbered},
    person {int} NOT NULL REFERENCES person ON DELETE CASCADE,
    conversation TEXT NOT NULL,
    speaker TEXT NOT NULL,
    answers {int} NOT NULL,
    time {int} NOT NULL,
    recalled TEXT NOT NULL,
    text TEXT NOT NULL
);
CREATE INDEX line_of_person ON line (person, id);
CREATE TABLE {vector} (
    person {int} NOT NULL REFERENCES person ON DELETE CASCADE,
    spec TEXT NOT NULL,
    line {int} NOT NULL,
    data {vector_type} NOT NULL,
    PRIMARY KEY (person, spec, line)
){keyed};
CREATE TABLE summary (
    id {numbered},
    person {int} NOT NULL REFERENCES person ON DELETE CASCADE,
    text TEXT NOT NULL,
    first_line {int} NOT NULL,
    last_line {int} NOT NULL,
    time {int} NOT NULL
);
CREATE INDEX summary_of_person ON summary (person, id);
CREATE TABLE forgotten (
    line {int} PRIMARY KEY,
    person {int} NOT NULL REFERENCES person ON DELETE CASCADE,
    conversation TEXT NOT NULL,
    speaker TEXT NOT NULL,
    answers {int} NOT NULL,
    time {int} NOT NULL,
    recalled TEXT NOT NULL,
    text TEXT NOT NULL,
    reason TEXT NOT NULL,
    put_away {int} NOT NULL
);
CREATE INDEX forgotten_of_person ON forgotten (person, put_away);
CREATE TABLE feedback (
    id {numbered},
    person {int} NOT NULL REFERENCES person ON DELETE CASCADE,
    verdict TEXT NOT NULL,
    question TEXT NOT NULL,
    answer TEXT NOT NULL,
    recalled TEXT NOT NULL,
    time {int} NOT NULL
);
CREATE INDEX feedback_of_person ON feedback (person, id);
"""

MIGRATIONS = (
    _TABLES.format(
        **SQLITE_TYPES,
        identity='lower(hex(randomblob(16)))',
        name_key='name_key',
        vector='vector',
        vector_type='BLOB',
    ),
)

POSTGRES_MIGRATIONS = (
    # A hash for the key, since a PostgreSQL index row is too small for very long names.
    'CREATE EXTENSION IF NOT EXISTS vector SCHEMA public;'
    + _TABLES.format(
        **POSTGRES_TYPES,
        identity="replace(gen_random_uuid()::text, '-', '')",
        name_key='name_hash',
        vector='vector_of_line',
        vector_type='vector',
    ),
)
TABLES = ('person', 'line', 'vector_of_line', 'summary', 'forgotten', 'feedback')
"""The tables with personal data."""
