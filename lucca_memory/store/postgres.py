"""What every store on PostgreSQL has in common: how it connects, how its tables come to their newest version, how it asks."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, LiteralString

import psycopg
from psycopg.sql import SQL, Identifier

from lucca_core.errors import MemoryFault

_MIGRATING = 7_245_311
"""Number of the advisory lock that one migrating robot holds."""

_LINK: dict[str, Any] = {
    'keepalives': 1,
    'keepalives_idle': 10,
    'keepalives_interval': 5,
    'keepalives_count': 3,
    'tcp_user_timeout': 20_000,
}
"""A link that has gone dead is noticed within half a minute, and not when the operating system tires of it."""

LOCK_FREED_S = 25
"""After so many seconds the server lets go of the locks of a robot that lost its power; 10 + 3 * 5, as set below."""

_SERVER_LINK = 'SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3'
"""The same for the server, which would otherwise look after two hours. No start option, so that those of an address stay."""


def connected(address: str, schema: str, steps: Sequence[LiteralString]) -> psycopg.Connection[Any]:
    """A connection that sees the tables of a schema, at their newest version; the schema is made if need be.

    Args:
        address: `postgresql://…` or `host=… dbname=…`. Keep passwords in a password file or `PGPASSWORD`.
        schema: in which the tables are.
        steps: from each version of the tables to the next; a step that was released is never edited.

    Raises:
        MemoryFault: the server does not answer, a step failed, or the tables are of a newer version.
    """
    try:
        connection: psycopg.Connection[Any] = psycopg.connect(address, autocommit=True, connect_timeout=10, **_LINK)
    except psycopg.Error as error:
        raise MemoryFault(f'the shared memory cannot be used: {error}') from error
    try:
        connection.execute(_SERVER_LINK)
        _migrate(connection, schema, steps)
    except (psycopg.Error, MemoryFault) as error:
        connection.close()
        raise MemoryFault(f'the shared memory cannot be used: {error}') from error
    return connection


def _migrate(connection: psycopg.Connection[Any], schema: str, steps: Sequence[LiteralString]) -> None:
    with connection.transaction():
        connection.execute('SELECT pg_advisory_xact_lock(%s)', (_MIGRATING,))
        connection.execute(SQL('CREATE SCHEMA IF NOT EXISTS {}').format(Identifier(schema)))
        connection.execute(SQL('SET search_path TO {}, public').format(Identifier(schema)))
        connection.execute('CREATE TABLE IF NOT EXISTS version (number int NOT NULL)')
        row = connection.execute('SELECT max(number) FROM version').fetchone()
        version = (row[0] if row else 0) or 0
        if version > len(steps):
            raise MemoryFault(f'the shared memory has version {version} of a newer lucca: update lucca')
        for number in range(version, len(steps)):
            connection.execute(steps[number])
            connection.execute('INSERT INTO version VALUES (%s)', (number + 1,))


def scrub(connection: psycopg.Connection[Any], tables: Sequence[str]) -> None:
    """Writes tables anew without dead rows, and the server's statistics of them, which hold values of rows.

    Raises:
        psycopg.Error: it could not be done; what was deleted may still be there.
    """
    for table in tables:
        name = Identifier(table)
        connection.execute(SQL('VACUUM (FULL, ANALYZE) {}').format(name))
        if connection.execute(SQL('SELECT 1 FROM {} LIMIT 1').format(name)).fetchone():
            continue
        # The statistics of a table that became empty stay as they were; a column that gets its type anew has none.
        columns = connection.execute(
            'SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped '
            "AND atttypid = 'text'::regtype",
            (table,),
        ).fetchall()
        for [column] in columns:
            connection.execute(SQL('ALTER TABLE {} ALTER COLUMN {} TYPE text').format(name, Identifier(column)))


@lru_cache(maxsize=1024)
def marked(query: str) -> LiteralString:
    """A statement with psycopg's marks; ours have no question mark but those."""
    return query.replace('?', '%s')
