"""The tables of the SQLite store, as steps from each version to the next. A step that was released is never edited."""

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
