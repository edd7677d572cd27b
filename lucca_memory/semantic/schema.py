"""The tables of the network, as steps from each version to the next. A step that was released is never edited."""

MIGRATIONS = (
    """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    INSERT INTO meta VALUES ('next_id', 1), ('heard', 0), ('introduced_bytes', 0);
    CREATE TABLE node (
        id INTEGER PRIMARY KEY,
        kind INTEGER NOT NULL,
        owner TEXT NOT NULL,
        speaker TEXT NOT NULL,
        key INTEGER NOT NULL,
        born INTEGER NOT NULL,
        last INTEGER NOT NULL,
        valid_to INTEGER NOT NULL,
        told INTEGER NOT NULL,
        used REAL NOT NULL,
        pinned INTEGER NOT NULL,
        away INTEGER NOT NULL DEFAULT 0,
        sources TEXT NOT NULL,
        text TEXT NOT NULL
    );
    CREATE INDEX node_of_owner ON node (owner) WHERE owner != '';
    CREATE TABLE vector (node INTEGER PRIMARY KEY, spec TEXT NOT NULL, scale REAL NOT NULL, data BLOB NOT NULL);
    CREATE TABLE edge (
        a INTEGER NOT NULL,
        kind INTEGER NOT NULL,
        b INTEGER NOT NULL,
        weight REAL NOT NULL,
        PRIMARY KEY (a, kind, b)
    ) WITHOUT ROWID;
    CREATE INDEX edge_to ON edge (b) WHERE kind != 0;
    CREATE TABLE forgotten (
        node INTEGER PRIMARY KEY,
        time INTEGER NOT NULL,
        fate TEXT NOT NULL,
        reason TEXT NOT NULL,
        importance REAL NOT NULL,
        becomes INTEGER
    );
    CREATE INDEX forgotten_at ON forgotten (time);
    CREATE TABLE heard (source TEXT PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE noted (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        source TEXT NOT NULL UNIQUE,
        owner TEXT NOT NULL,
        speaker TEXT NOT NULL,
        time INTEGER NOT NULL,
        pinned INTEGER NOT NULL,
        text TEXT NOT NULL
    );
    """,
)
