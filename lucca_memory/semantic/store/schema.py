"""SQL schema of the network tables in SQLite and PostgreSQL, as migrations from each version to the next.

Released migrations are never edited.
"""

from lucca_memory.store.database import POSTGRES_TYPES, SQLITE_TYPES

_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value {int} NOT NULL){keyed};
INSERT INTO meta VALUES ('next_id', 1), ('heard', 0), ('introduced_bytes', 0);
CREATE TABLE node (
    id {int} PRIMARY KEY,
    kind {int} NOT NULL,
    owner TEXT NOT NULL,
    speaker TEXT NOT NULL,
    key {int} NOT NULL,
    born {int} NOT NULL,
    last {int} NOT NULL,
    valid_to {int} NOT NULL,
    told {int} NOT NULL,
    used {real} NOT NULL,
    pinned {int} NOT NULL,
    away {int} NOT NULL DEFAULT 0,
    sources TEXT NOT NULL,
    text TEXT NOT NULL
);
CREATE INDEX node_of_owner ON node ({owner_key}) WHERE owner != '';
CREATE TABLE vector (node {int} PRIMARY KEY, spec TEXT NOT NULL, scale {real} NOT NULL, data {bytes} NOT NULL);
CREATE TABLE edge (
    a {int} NOT NULL,
    kind {int} NOT NULL,
    b {int} NOT NULL,
    weight {real} NOT NULL,
    PRIMARY KEY (a, kind, b)
){keyed};
CREATE INDEX edge_to ON edge (b) WHERE kind != 0;
CREATE TABLE forgotten (
    node {int} PRIMARY KEY,
    time {int} NOT NULL,
    fate TEXT NOT NULL,
    reason TEXT NOT NULL,
    importance {real} NOT NULL,
    becomes {int}
);
CREATE INDEX forgotten_at ON forgotten (time);
CREATE TABLE heard (source TEXT PRIMARY KEY){keyed};
CREATE TABLE noted (
    id {numbered},
    source TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    speaker TEXT NOT NULL,
    time {int} NOT NULL,
    pinned {int} NOT NULL,
    text TEXT NOT NULL
);
"""

_SOURCES = """
CREATE TABLE told_by (source TEXT NOT NULL, node {int} NOT NULL, PRIMARY KEY (source, node)){keyed};
CREATE INDEX told_by_node ON told_by (node);
CREATE TABLE mark (name TEXT PRIMARY KEY, at {int} NOT NULL, epoch {int} NOT NULL){keyed};
"""

_STAMP = "INSERT INTO meta VALUES ('stamp', 0);"
"""The state of the rows, which files derived from them are compared with."""

_SAID = 'ALTER TABLE node ADD COLUMN said {int} NOT NULL DEFAULT 0;'
"""When a statement was last said, as opposed to last used; 0 if unknown."""

MIGRATIONS = (
    _TABLES.format(**SQLITE_TYPES, owner_key='owner'),
    # Owners carry the identity of the store of people from here on (item_ids.py). A number
    # without it could be anybody, so such nodes are deleted; their lines are consolidated again.
    _SOURCES.format(**SQLITE_TYPES)
    + """
    CREATE TEMP TABLE gone AS SELECT id FROM node WHERE owner LIKE 'person-%' AND instr(owner, '@') = 0;
    DELETE FROM edge WHERE a IN (SELECT id FROM gone) OR (kind != 0 AND b IN (SELECT id FROM gone));
    DELETE FROM vector WHERE node IN (SELECT id FROM gone);
    DELETE FROM forgotten WHERE node IN (SELECT id FROM gone);
    DELETE FROM node WHERE id IN (SELECT id FROM gone);
    DELETE FROM noted WHERE owner LIKE 'person-%' AND instr(owner, '@') = 0;
    DROP TABLE gone;
    """,
    _STAMP,
    _SAID.format(**SQLITE_TYPES),
)

POSTGRES_MIGRATIONS = (
    # A hash of the owner, since a PostgreSQL index row is too small for very long names.
    _TABLES.format(**POSTGRES_TYPES, owner_key='md5(owner)')
    + _SOURCES.format(**POSTGRES_TYPES)
    + _STAMP
    + _SAID.format(**POSTGRES_TYPES),
)

TABLES = ('node', 'vector', 'edge', 'forgotten', 'heard', 'noted', 'told_by', 'mark')
"""The tables with personal data."""
