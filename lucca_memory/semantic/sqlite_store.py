"""The network on the disk: SQLite in WAL mode, one file in the data folder, written by the worker alone.

A step is one transaction, so that after any crash there is the network before it or after it. What is put away keeps its
row and its edges, marked, until it is let go of for good: restoring is a mark taken off.
"""

import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from lucca_core.errors import MemoryFault
from lucca_memory.data_folder import INDEX_FOLDER
from lucca_memory.embedding.quantized import quantized
from lucca_memory.people.naming import NameEraser
from lucca_memory.people.rows import storable
from lucca_memory.retrieval.times import from_microseconds, microseconds
from lucca_memory.semantic.changes import CONCEPT, OPEN, Change, Edge, EdgeKind, Node
from lucca_memory.semantic.cleaning import take_out
from lucca_memory.semantic.kept_arrays import forget_arrays, keep_arrays, kept_cells, kept_network
from lucca_memory.semantic.loading import network_of
from lucca_memory.semantic.network import Network
from lucca_memory.semantic.ports import Forgotten, Statement
from lucca_memory.semantic.rows import NODE, TOUCH, node_of, node_values, touch_values
from lucca_memory.semantic.schema import MIGRATIONS
from lucca_memory.semantic.store import Mark, Standing, Totals
from lucca_memory.sqlite_file import IN_MEMORY, opened_to_read, opened_to_write, scrub, transaction

NETWORK_FILE = 'network.sqlite'
"""Its name in a data folder."""
ARRAYS_FILE = 'network.arrays'
"""Where its arrays are kept in a data folder; see kept_arrays.py."""

_AT_ONCE = 500


class SqliteNetworkStore:
    """See NetworkStore. One connection writes, another reads: in WAL mode a question waits for no commit."""

    def __init__(self, file: Path, *, write: bool = True) -> None:
        """Opens or makes the database, at its newest version.

        Raises:
            MemoryFault: it cannot be opened, is damaged, or was written by a newer version.
        """
        self._file = file
        self._arrays = file.parent / INDEX_FOLDER / ARRAYS_FILE
        self._kept_stamp: int | None = None
        self._write_lock, self._read_lock = threading.RLock(), threading.Lock()
        self._writer: sqlite3.Connection | None = None
        try:
            if write:
                self._writer = opened_to_write(file, MIGRATIONS)
            self._reader = opened_to_read(file)
            self._reader.execute('SELECT value FROM meta').fetchall()
        except (sqlite3.Error, OSError) as error:
            if self._writer is not None:
                self._writer.close()
            raise MemoryFault(f'{file} cannot be used as semantic memory: {error}') from error

    @property
    def writable(self) -> bool:
        """See NetworkStore."""
        return self._writer is not None

    # -- a step -------------------------------------------------------------------------------------------------

    def commit(self, change: Change) -> None:
        """See NetworkStore."""
        with self._writing() as connection:
            self._changed(connection)
            connection.executemany('INSERT OR IGNORE INTO heard VALUES (?)', ((storable(s),) for s in change.heard))
            connection.executemany('DELETE FROM noted WHERE source = ?', ((storable(s),) for s in change.heard))
            self._insert_nodes(connection, change.nodes)
            connection.executemany(
                'INSERT INTO edge (a, kind, b, weight) VALUES (?, ?, ?, ?) '
                'ON CONFLICT DO UPDATE SET weight = weight + excluded.weight',
                ((edge.a, int(edge.kind), edge.b, edge.weight) for edge in change.edges),
            )
            connection.executemany(TOUCH, map(touch_values, change.touches))
            told = [(node.node_id, node.sources) for node in change.nodes]
            told += [(touch.node_id, touch.sources) for touch in change.touches]
            connection.executemany(
                'INSERT OR IGNORE INTO told_by (source, node) VALUES (?, ?)',
                ((storable(source), node_id) for node_id, sources in told for source in sources),
            )
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
            f'INSERT INTO node ({NODE}) VALUES ({", ".join("?" * 13)})',  # noqa: S608
            map(node_values, nodes),
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
        with self._reading() as connection:
            # One state of the rows, from the stamp to the last edge.
            connection.execute('BEGIN')
            try:
                stamp = self._stamp(connection)
                kept = None if stamp is None else kept_network(self._arrays, dimensions, spec, stamp)
                if kept is not None:
                    self._kept_stamp = stamp
                    return kept
                network = network_of(connection, dimensions, spec)
            finally:
                connection.execute('COMMIT')
        network.cells = kept_cells(self._arrays, network, spec)
        return network

    def keep_arrays(self, network: Network) -> None:
        """See NetworkStore."""
        with self._reading() as connection:
            stamp = self._stamp(connection)
        if stamp is None or not network.dimensions or stamp == self._kept_stamp or self._file == IN_MEMORY:
            return
        keep_arrays(self._arrays, network, self._spec, stamp)
        self._kept_stamp = stamp

    @staticmethod
    def _stamp(connection: sqlite3.Connection) -> int | None:
        row = connection.execute("SELECT value FROM meta WHERE key = 'stamp'").fetchone()
        return None if row is None else int(row[0])

    def _changed(self, connection: sqlite3.Connection) -> None:
        """Says that the rows are in a new state: no number that was given before, in another copy of the file either."""
        connection.execute("UPDATE meta SET value = ? WHERE key = 'stamp'", (int.from_bytes(os.urandom(7)),))

    def nodes(self, node_ids: Sequence[int]) -> Mapping[int, Node]:
        """See NetworkStore."""
        rows = self._in_parts(f'SELECT {NODE} FROM node WHERE id IN (%s)', node_ids)  # noqa: S608
        return {row[0]: node_of(row) for row in rows}

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

    def told_by(self, sources: Sequence[str]) -> Sequence[Standing]:
        """See NetworkStore."""
        rows = self._in_parts(
            'SELECT source, node, valid_to, away FROM told_by JOIN node ON id = node WHERE source IN (%s)', sources
        )
        return [
            Standing(
                source=row[0],
                node_id=row[1],
                valid_to=None if row[2] == OPEN else from_microseconds(row[2]),
                away=bool(row[3]),
            )
            for row in rows
        ]

    def marks(self) -> Mapping[str, Mark]:
        """See NetworkStore."""
        return {row[0]: Mark(row[1], row[2]) for row in self._read('SELECT name, at, epoch FROM mark')}

    def set_mark(self, name: str, mark: Mark) -> None:
        """See NetworkStore."""
        with self._writing() as connection:
            connection.execute(
                'INSERT OR REPLACE INTO mark (name, at, epoch) VALUES (?, ?, ?)', (storable(name), *mark)
            )

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
        return Totals(**dict(self._read("SELECT key, value FROM meta WHERE key != 'stamp'")))

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
        forget_arrays(self._arrays)
        with self._writing() as connection:
            self._changed(connection)
            connection.execute('CREATE TEMP TABLE gone AS SELECT id FROM node WHERE owner = ?', (owner,))
            count = self._delete_gone(connection)
            connection.execute('DELETE FROM noted WHERE owner = ?', (owner,))
            connection.execute('DELETE FROM mark WHERE name = ?', (owner,))
            if eraser is not None:
                take_out(connection, eraser)
        with self._write_lock:
            assert self._writer is not None
            scrub(self._writer, self._file)
        return count

    def _delete_gone(self, connection: sqlite3.Connection) -> int:
        """Deletes the nodes of the table `gone` with all that belongs to them, and concepts that nothing mentions then."""
        for statement in (
            'DELETE FROM edge WHERE a IN (SELECT id FROM gone)',
            'DELETE FROM edge WHERE kind != 0 AND b IN (SELECT id FROM gone)',
            'DELETE FROM vector WHERE node IN (SELECT id FROM gone)',
            'DELETE FROM forgotten WHERE node IN (SELECT id FROM gone)',
            'DELETE FROM told_by WHERE node IN (SELECT id FROM gone)',
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
        with self._write_lock, transaction(self._writer, self._file) as connection:
            yield connection
