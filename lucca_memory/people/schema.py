"""The tables of the SQLite store, as steps from each version to the next. A step that was released is never edited."""

import sqlite3
from collections.abc import Sequence

from lucca_core.errors import MemoryFault

MIGRATIONS = (
    """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    INSERT INTO meta VALUES ('uid', lower(hex(randomblob(16))));
    CREATE TABLE person (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL,
        name_key TEXT NOT NULL UNIQUE,
        since INTEGER NOT NULL,
        epoch INTEGER NOT NULL DEFAULT 0,
        summarized INTEGER NOT NULL DEFAULT 0
    );
    CREATE TABLE line (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        person INTEGER NOT NULL REFERENCES person ON DELETE CASCADE,
        conversation TEXT NOT NULL,
        speaker TEXT NOT NULL,
        answers INTEGER NOT NULL,
        time INTEGER NOT NULL,
        recalled TEXT NOT NULL,
        text TEXT NOT NULL
    );
    CREATE INDEX line_of_person ON line (person, id);
    CREATE TABLE vector (
        person INTEGER NOT NULL REFERENCES person ON DELETE CASCADE,
        spec TEXT NOT NULL,
        line INTEGER NOT NULL,
        data BLOB NOT NULL,
        PRIMARY KEY (person, spec, line)
    ) WITHOUT ROWID;
    CREATE TABLE summary (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        person INTEGER NOT NULL REFERENCES person ON DELETE CASCADE,
        text TEXT NOT NULL,
        first_line INTEGER NOT NULL,
        last_line INTEGER NOT NULL,
        time INTEGER NOT NULL
    );
    CREATE INDEX summary_of_person ON summary (person, id);
    CREATE TABLE forgotten (
        line INTEGER PRIMARY KEY,
        person INTEGER NOT NULL REFERENCES person ON DELETE CASCADE,
        conversation TEXT NOT NULL,
        speaker TEXT NOT NULL,
        answers INTEGER NOT NULL,
        time INTEGER NOT NULL,
        recalled TEXT NOT NULL,
        text TEXT NOT NULL,
        reason TEXT NOT NULL,
        put_away INTEGER NOT NULL
    );
    CREATE INDEX forgotten_of_person ON forgotten (person, put_away);
    CREATE TABLE feedback (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        person INTEGER NOT NULL REFERENCES person ON DELETE CASCADE,
        verdict TEXT NOT NULL,
        question TEXT NOT NULL,
        answer TEXT NOT NULL,
        recalled TEXT NOT NULL,
        time INTEGER NOT NULL
    );
    CREATE INDEX feedback_of_person ON feedback (person, id);
    """,
)


def migrate(connection: sqlite3.Connection, file: str, steps: Sequence[str] = MIGRATIONS) -> None:
    """Brings a database to the newest version, that of the last step; each step is whole or not at all.

    Raises:
        MemoryFault: a newer lucca wrote it.
        sqlite3.Error: a step failed; the database is as it was before the step.
    """
    version = int(connection.execute('PRAGMA user_version').fetchone()[0])
    if version > len(steps):
        raise MemoryFault(f'{file} has version {version} of a newer lucca; this one knows {len(steps)}: update lucca')
    for number in range(version, len(steps)):
        # In one transaction with the number, so that a crash can leave no half of a step.
        connection.executescript(f'BEGIN IMMEDIATE;{steps[number]};PRAGMA user_version = {number + 1};COMMIT;')
