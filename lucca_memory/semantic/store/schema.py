"""SQL schema of the network tables in SQLite and PostgreSQL, as migrations from each version to the next.

Released migrations are never edited.
"""

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
    # Owners carry the identity of the store of people from here on (graph/owners.py). A number
    # without it could be anybody, so such nodes are deleted; their lines are consolidated again.
    """
    CREATE TABLE told_by (source TEXT NOT NULL, node INTEGER NOT NULL, PRIMARY KEY (source, node)) WITHOUT ROWID;
    CREATE INDEX told_by_node ON told_by (node);
    CREATE TABLE mark (name TEXT PRIMARY KEY, at INTEGER NOT NULL, epoch INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TEMP TABLE gone AS SELECT id FROM node WHERE owner LIKE 'person-%' AND instr(owner, '@') = 0;
    DELETE FROM edge WHERE a IN (SELECT id FROM gone) OR (kind != 0 AND b IN (SELECT id FROM gone));
    DELETE FROM vector WHERE node IN (SELECT id FROM gone);
    DELETE FROM forgotten WHERE node IN (SELECT id FROM gone);
    DELETE FROM node WHERE id IN (SELECT id FROM gone);
    DELETE FROM noted WHERE owner LIKE 'person-%' AND instr(owner, '@') = 0;
    DROP TABLE gone;
    """,
    # Which state the rows are in, for what is kept beside them.
    """
    INSERT INTO meta VALUES ('stamp', 0);
    """,
    # When a statement was last said, apart from when it was last of use; 0 where that is not known.
    'ALTER TABLE node ADD COLUMN said INTEGER NOT NULL DEFAULT 0;',
)

POSTGRES_MIGRATIONS = (
    """
    CREATE TABLE meta (key text PRIMARY KEY, value bigint NOT NULL);
    INSERT INTO meta VALUES ('next_id', 1), ('heard', 0), ('introduced_bytes', 0), ('stamp', 0);
    CREATE TABLE node (
        id bigint PRIMARY KEY,
        kind int NOT NULL,
        owner text NOT NULL,
        speaker text NOT NULL,
        key bigint NOT NULL,
        born bigint NOT NULL,
        last bigint NOT NULL,
        valid_to bigint NOT NULL,
        told int NOT NULL,
        used double precision NOT NULL,
        pinned int NOT NULL,
        away int NOT NULL DEFAULT 0,
        sources text NOT NULL,
        text text NOT NULL,
        said bigint NOT NULL DEFAULT 0
    );
    CREATE INDEX node_of_owner ON node (md5(owner)) WHERE owner != '';
    CREATE TABLE vector (
        node bigint PRIMARY KEY,
        spec text NOT NULL,
        scale double precision NOT NULL,
        data bytea NOT NULL
    );
    CREATE TABLE edge (
        a bigint NOT NULL,
        kind int NOT NULL,
        b bigint NOT NULL,
        weight double precision NOT NULL,
        PRIMARY KEY (a, kind, b)
    );
    CREATE INDEX edge_to ON edge (b) WHERE kind != 0;
    CREATE TABLE forgotten (
        node bigint PRIMARY KEY,
        time bigint NOT NULL,
        fate text NOT NULL,
        reason text NOT NULL,
        importance double precision NOT NULL,
        becomes bigint
    );
    CREATE INDEX forgotten_at ON forgotten (time);
    CREATE TABLE heard (source text PRIMARY KEY);
    CREATE TABLE noted (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        source text NOT NULL UNIQUE,
        owner text NOT NULL,
        speaker text NOT NULL,
        time bigint NOT NULL,
        pinned int NOT NULL,
        text text NOT NULL
    );
    CREATE TABLE told_by (source text NOT NULL, node bigint NOT NULL, PRIMARY KEY (source, node));
    CREATE INDEX told_by_node ON told_by (node);
    CREATE TABLE mark (name text PRIMARY KEY, at bigint NOT NULL, epoch bigint NOT NULL);
    """,
)

TABLES = ('node', 'vector', 'edge', 'forgotten', 'heard', 'noted', 'told_by', 'mark')
"""The tables with personal data."""
