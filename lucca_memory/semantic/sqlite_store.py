"""The network on the disk: SQLite in WAL mode, one file in the data folder, written by the worker alone.

A step is one transaction, so that after any crash there is the network before it or after it. What is put away keeps its
row and its edges, marked, until it is let go of for good: restoring is a mark taken off.
"""

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lucca_core.errors import MemoryFault
from lucca_memory.embedding.quantized import quantized
from lucca_memory.people.naming import NameEraser
from lucca_memory.people.rows import storable
from lucca_memory.people.schema import migrate
from lucca_memory.retrieval.times import from_microseconds, microseconds
from lucca_memory.semantic.changes import CONCEPT, Change, Edge, EdgeKind, Node, Touch
from lucca_memory.semantic.network import Network, short_size
from lucca_memory.semantic.ports import Forgotten, Statement
from lucca_memory.semantic.schema import MIGRATIONS
from lucca_memory.semantic.store import Totals

NETWORK_FILE = 'network.sqlite'
"""Its name in a data folder."""

_NODE = 'id, kind, owner, speaker, key, born, last, valid_to, told, used, pinned, sources, text'
_AT_ONCE = 500
_LOADED_AT_ONCE = 100_000
_TOUCH = """
UPDATE node SET last = coalesce(?, last), valid_to = coalesce(?, valid_to), told = coalesce(?, told),
    used = coalesce(?, used), pinned = coalesce(?, pinned), text = coalesce(?, text),
    sources = CASE WHEN ? = '' THEN sources ELSE sources || char(10) || ? END
WHERE id = ?
"""


class SqliteNetworkStore:
    """See NetworkStore. One connection writes, another reads: in WAL mode a question waits for no commit."""

    def __init__(self, file: Path, *, write: bool = True) -> None:
        """Opens or makes the database, at its newest version.

        Raises:
            MemoryFault: it cannot be opened, is damaged, or was written by a newer version.
        """
        self._file = file
        self._write_lock, self._read_lock = threading.RLock(), threading.Lock()
        self._writer: sqlite3.Connection | None = None
        try:
            if write:
                self._writer = self._opened_to_write()
            uri = f'{file.absolute().as_uri()}?mode=ro'
            self._reader = sqlite3.connect(uri, uri=True, check_same_thread=False)
            self._reader.execute('SELECT value FROM meta').fetchall()
        except sqlite3.Error as error:
            if self._writer is not None:
                self._writer.close()
            raise MemoryFault(f'{file} cannot be used as semantic memory: {error}') from error

    def _opened_to_write(self) -> sqlite3.Connection:
        self._file.touch(mode=0o600)
        connection = sqlite3.connect(self._file, isolation_level=None, check_same_thread=False)
        try:
            connection.execute('PRAGMA journal_mode = WAL')
            # FULL: what was heard survives a power cut, for one sync a batch.
            connection.execute('PRAGMA synchronous = FULL')
            connection.execute('PRAGMA secure_delete = ON')
            migrate(connection, str(self._file), MIGRATIONS)
        except (sqlite3.Error, MemoryFault):
            connection.close()
            raise
        return connection

    @property
    def writable(self) -> bool:
        """See NetworkStore."""
        return self._writer is not None

    # -- a step -------------------------------------------------------------------------------------------------

    def commit(self, change: Change) -> None:
        """See NetworkStore."""
        with self._writing() as connection:
            connection.executemany('INSERT OR IGNORE INTO heard VALUES (?)', ((storable(s),) for s in change.heard))
            connection.executemany('DELETE FROM noted WHERE source = ?', ((storable(s),) for s in change.heard))
            self._insert_nodes(connection, change.nodes)
            connection.executemany(
                'INSERT INTO edge (a, kind, b, weight) VALUES (?, ?, ?, ?) '
                'ON CONFLICT DO UPDATE SET weight = weight + excluded.weight',
                ((edge.a, int(edge.kind), edge.b, edge.weight) for edge in change.edges),
            )
            connection.executemany(_TOUCH, map(_touch_values, change.touches))
            connection.executemany(
                'INSERT OR REPLACE INTO forgotten (node, time, fate, reason, importance, becomes) VALUES (?, ?, ?, ?, ?, ?)',
                (
                    (
                        item.node_id,
                        microseconds(item.time),
                        item.fate,
                        storable(item.reason),
                        item.importance,
                        item.into,
                    )
                    for item in change.away
                ),
            )
            gone = (*(item.node_id for item in change.away), *change.away_concepts)
            connection.executemany('UPDATE node SET away = 1 WHERE id = ?', ((node_id,) for node_id in gone))
            back = [(node_id,) for node_id in change.back]
            connection.executemany('DELETE FROM forgotten WHERE node = ?', back)
            connection.executemany('UPDATE node SET away = 0 WHERE id = ?', back)
            connection.executemany(
                'UPDATE meta SET value = value + ? WHERE key = ?',
                [(len(change.heard), 'heard'), (change.introduced_bytes, 'introduced_bytes')],
            )
            if change.nodes:
                next_id = max(node.node_id for node in change.nodes) + 1
                connection.execute("UPDATE meta SET value = max(value, ?) WHERE key = 'next_id'", (next_id,))

    def _insert_nodes(self, connection: sqlite3.Connection, nodes: Sequence[Node]) -> None:
        connection.executemany(
            f'INSERT INTO node ({_NODE}) VALUES ({", ".join("?" * 13)})',  # noqa: S608
            map(_node_values, nodes),
        )
        with_vector = [node for node in nodes if node.vector is not None and node.vector.size]
        if with_vector:
            whole, scales = quantized(np.stack([node.vector for node in with_vector if node.vector is not None]))
            connection.executemany(
                'INSERT INTO vector (node, spec, scale, data) VALUES (?, ?, ?, ?)',
                (
                    (node.node_id, self._spec, float(scale), row.tobytes())
                    for node, scale, row in zip(with_vector, scales, whole, strict=True)
                ),
            )

    _spec = ''

    # -- reading ------------------------------------------------------------------------------------------------

    def load(self, dimensions: int, spec: str) -> Network:
        """See NetworkStore. Vectors that are stored from now on are of this embedder."""
        self._spec = spec
        network = Network(dimensions)
        with self._reading() as connection:
            cursor = connection.execute(f'SELECT {_NODE} FROM node WHERE away = 0 ORDER BY id')  # noqa: S608
            while rows := cursor.fetchmany(_LOADED_AT_ONCE):
                self._add_rows(connection, network, rows, spec)
            cursor = connection.execute('SELECT a, b, kind, weight FROM edge')
            parts = []
            ids = network.column('ids')
            while rows := cursor.fetchmany(_LOADED_AT_ONCE):
                numbers = np.array([row[:3] for row in rows], np.int64)
                weights = np.array([row[3] for row in rows], np.float32)
                if len(ids):
                    at = np.minimum(np.searchsorted(ids, numbers[:, :2]), len(ids) - 1)
                    there = (ids[at] == numbers[:, :2]).all(axis=1)
                    parts.append((at[there].astype(np.int32), numbers[there, 2].astype(np.int8), weights[there]))
        if parts:
            ends, kinds, weights = (np.concatenate(part) for part in zip(*parts, strict=True))
            network.extend_edges(ends[:, 0], ends[:, 1], kinds, weights)
        return network

    def _add_rows(self, connection: sqlite3.Connection, network: Network, rows: Sequence[Any], spec: str) -> None:
        vectors = np.zeros((len(rows), network.dimensions), np.int8)
        scales = np.zeros(len(rows), np.float32)
        has = np.zeros(len(rows), np.bool_)
        ids = np.array([row[0] for row in rows], np.int64)
        if network.dimensions:
            stored = connection.execute(
                'SELECT node, scale, data FROM vector WHERE node BETWEEN ? AND ? AND spec = ? ORDER BY node',
                (int(ids[0]), int(ids[-1]), spec),
            )
            for node_id, scale, data in stored:
                at = int(np.searchsorted(ids, node_id))
                if at < len(ids) and ids[at] == node_id and len(data) == network.dimensions:
                    vectors[at], scales[at], has[at] = np.frombuffer(data, np.int8), scale, True
        numbers = [network.number_of(owner=row[2], speaker=row[3]) for row in rows]
        columns: dict[str, NDArray[Any]] = {
            'ids': ids,
            'kinds': np.array([row[1] for row in rows], np.int8),
            'owners': np.array([number[0] for number in numbers], np.int32),
            'speakers': np.array([number[1] for number in numbers], np.int32),
            'keys': np.array([row[4] for row in rows], np.int64),
            'born': np.array([row[5] for row in rows], np.int64),
            'last': np.array([row[6] for row in rows], np.int64),
            'valid_to': np.array([row[7] for row in rows], np.int64),
            'told': np.array([row[8] for row in rows], np.int32),
            'used': np.array([row[9] for row in rows], np.float32),
            'sizes': np.array([0 if row[1] == CONCEPT else len(row[12].encode()) for row in rows], np.int32),
            'short': np.array([short_size(row[1], row[12]) for row in rows], np.int32),
            'pinned': np.array([bool(row[10]) for row in rows], np.bool_),
            'alive': np.ones(len(rows), np.bool_),
            'has_vector': has,
        }
        network.extend(columns, vectors, scales)

    def nodes(self, node_ids: Sequence[int]) -> Mapping[int, Node]:
        """See NetworkStore."""
        rows = self._in_parts(f'SELECT {_NODE} FROM node WHERE id IN (%s)', node_ids)  # noqa: S608
        return {row[0]: _node_of(row) for row in rows}

    def edges_of(self, node_ids: Sequence[int]) -> Sequence[Edge]:
        """See NetworkStore."""
        rows = {
            *self._in_parts('SELECT a, b, kind, weight FROM edge WHERE a IN (%s)', node_ids),
            *self._in_parts('SELECT a, b, kind, weight FROM edge WHERE kind != 0 AND b IN (%s)', node_ids),
        }
        return [Edge(a=a, b=b, kind=EdgeKind(kind), weight=weight) for a, b, kind, weight in sorted(rows)]

    def already_heard(self, sources: Iterable[str]) -> set[str]:
        """See NetworkStore."""
        return {row[0] for row in self._in_parts('SELECT source FROM heard WHERE source IN (%s)', list(sources))}

    def forgotten(self) -> Sequence[Forgotten]:
        """See NetworkStore."""
        rows = self._read(
            'SELECT node, text, sources, fate, reason, time, importance, becomes FROM forgotten '
            'JOIN node ON id = node ORDER BY time DESC, node DESC'
        )
        return [
            Forgotten(
                node_id=row[0],
                text=row[1],
                sources=tuple(row[2].split('\n')),
                fate=row[3],
                reason=row[4],
                time=from_microseconds(row[5]),
                importance=row[6],
                into=row[7],
            )
            for row in rows
        ]

    def totals(self) -> Totals:
        """See NetworkStore."""
        return Totals(**dict(self._read('SELECT key, value FROM meta')))

    # -- letting go ---------------------------------------------------------------------------------------------

    def purge(self, before: int) -> int:
        """See NetworkStore."""
        if not self._read('SELECT 1 FROM forgotten WHERE time < ? LIMIT 1', (before,)):
            return 0
        with self._writing() as connection:
            connection.execute('CREATE TEMP TABLE gone AS SELECT node AS id FROM forgotten WHERE time < ?', (before,))
            return self._delete_gone(connection)

    def erase(self, owner: str, eraser: NameEraser | None = None) -> int:
        """See NetworkStore. With an eraser, the name is taken out of what belongs to everybody as well.

        Raises:
            MemoryFault: it could not be erased, or its old pages could not be written anew: erase again.
        """
        with self._writing() as connection:
            connection.execute('CREATE TEMP TABLE gone AS SELECT id FROM node WHERE owner = ?', (owner,))
            count = self._delete_gone(connection)
            connection.execute('DELETE FROM noted WHERE owner = ?', (owner,))
            if eraser is not None:
                self._take_out(connection, eraser)
        with self._write_lock:
            assert self._writer is not None
            try:
                # Freed pages and the write-ahead log hold the text until they are written anew.
                self._writer.execute('VACUUM')
                busy = self._writer.execute('PRAGMA wal_checkpoint(TRUNCATE)').fetchone()[0]
            except sqlite3.Error as error:
                raise MemoryFault(f'{self._file}: erased, but its old pages remain: {error}') from error
        if busy:
            raise MemoryFault(f'{self._file}: erased, but another reader keeps the old pages; erase again')
        return count

    def _take_out(self, connection: sqlite3.Connection, eraser: NameEraser) -> None:
        for node_id, speaker, text in connection.execute('SELECT id, speaker, text FROM node').fetchall():
            if eraser.occurs_in(text) or eraser.occurs_in(speaker):
                connection.execute(
                    'UPDATE node SET speaker = ?, text = ? WHERE id = ?',
                    (eraser.clean(speaker), eraser.clean(text), node_id),
                )

    def _delete_gone(self, connection: sqlite3.Connection) -> int:
        """Deletes the nodes of the table `gone` with all that belongs to them, and concepts that nothing mentions then."""
        for statement in (
            'DELETE FROM edge WHERE a IN (SELECT id FROM gone)',
            'DELETE FROM edge WHERE kind != 0 AND b IN (SELECT id FROM gone)',
            'DELETE FROM vector WHERE node IN (SELECT id FROM gone)',
            'DELETE FROM forgotten WHERE node IN (SELECT id FROM gone)',
        ):
            connection.execute(statement)
        count = connection.execute('DELETE FROM node WHERE id IN (SELECT id FROM gone)').rowcount
        connection.execute(
            f'DELETE FROM node WHERE kind = {CONCEPT} AND away = 1 AND id NOT IN (SELECT b FROM edge WHERE kind = 0)'  # noqa: S608
        )
        connection.execute('DROP TABLE gone')
        return count

    # -- the episodic buffer ------------------------------------------------------------------------------------

    def note(self, statements: Sequence[Statement]) -> None:
        """See NetworkStore."""
        with self._writing() as connection:
            connection.executemany(
                'INSERT OR IGNORE INTO noted (source, owner, speaker, time, pinned, text) SELECT ?1, ?2, ?3, ?4, ?5, ?6 '
                'WHERE NOT EXISTS (SELECT 1 FROM heard WHERE source = ?1)',
                (
                    (
                        storable(item.source),
                        storable(item.owner),
                        storable(item.speaker),
                        microseconds(item.time),
                        int(item.pinned),
                        storable(item.text),
                    )
                    for item in statements
                ),
            )

    def noted(self, limit: int) -> Sequence[Statement]:
        """See NetworkStore."""
        rows = self._read('SELECT source, owner, speaker, time, pinned, text FROM noted ORDER BY id LIMIT ?', (limit,))
        return [
            Statement(
                source=row[0],
                owner=row[1],
                speaker=row[2],
                time=from_microseconds(row[3]),
                pinned=bool(row[4]),
                text=row[5],
            )
            for row in rows
        ]

    def noted_bytes(self) -> int:
        """See NetworkStore."""
        return int(self._read('SELECT coalesce(sum(length(CAST(text AS BLOB))), 0) FROM noted')[0][0])

    # -- the database -------------------------------------------------------------------------------------------

    def close(self) -> None:
        """See NetworkStore."""
        with self._write_lock, self._read_lock:
            self._reader.close()
            if self._writer is not None:
                self._writer.close()

    def _in_parts(self, query: str, values: Sequence[Any]) -> list[Any]:
        found = []
        for start in range(0, len(values), _AT_ONCE):
            part = values[start : start + _AT_ONCE]
            found += self._read(query % ', '.join('?' * len(part)), part)
        return found

    def _read(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._reading() as connection:
            return connection.execute(query, values).fetchall()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._read_lock:
            try:
                yield self._reader
            except sqlite3.Error as error:
                raise MemoryFault(f'{self._file} could not be read: {error}') from error

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: committed and synced at the end, or nothing of it."""
        if self._writer is None:
            raise MemoryFault(f'{self._file} was opened to be read only')
        with self._write_lock:
            connection = self._writer
            try:
                connection.execute('BEGIN IMMEDIATE')
                yield connection
                connection.execute('COMMIT')
            except sqlite3.Error as error:
                raise MemoryFault(f'{self._file} could not be written: {error}; nothing was changed') from error
            finally:
                # Closed meanwhile, it took its transaction with it.
                with suppress(sqlite3.ProgrammingError):
                    if connection.in_transaction:
                        connection.execute('ROLLBACK')


def _node_values(node: Node) -> tuple[Any, ...]:
    return (
        node.node_id,
        node.kind,
        storable(node.owner),
        storable(node.speaker),
        node.key,
        node.born,
        node.last,
        node.valid_to,
        node.told,
        node.used,
        int(node.pinned),
        '\n'.join(map(storable, node.sources)),
        storable(node.text),
    )


def _node_of(row: Any) -> Node:
    return Node(
        node_id=row[0],
        kind=row[1],
        owner=row[2],
        speaker=row[3],
        key=row[4],
        born=row[5],
        last=row[6],
        valid_to=row[7],
        told=row[8],
        used=row[9],
        pinned=bool(row[10]),
        sources=tuple(row[11].split('\n')) if row[11] else (),
        text=row[12],
    )


def _touch_values(touch: Touch) -> tuple[Any, ...]:
    sources = '\n'.join(map(storable, touch.sources))
    text = None if touch.text is None else storable(touch.text)
    pinned = None if touch.pinned is None else int(touch.pinned)
    return (touch.last, touch.valid_to, touch.told, touch.used, pinned, text, sources, sources, touch.node_id)
