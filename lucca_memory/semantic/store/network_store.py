"""The store of the network: nodes, edges and forgotten nodes as database rows.

Each step is one transaction, so a crash leaves the network before or after it. A forgotten node keeps its row and
edges, marked, until it is deleted; restoring removes the mark.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from lucca_core.errors import MemoryFault
from lucca_memory.embedding.quantized import quantized
from lucca_memory.people.name_eraser import NameEraser
from lucca_memory.retrieval.times import from_microseconds, microseconds
from lucca_memory.semantic.graph.change import CONCEPT, OPEN, Change, Edge, EdgeKind, Node
from lucca_memory.semantic.graph.network import Network
from lucca_memory.semantic.store.array_file import (
    forget_arrays,
    forget_stale_arrays,
    keep_arrays,
    kept_cells,
    kept_network,
)
from lucca_memory.semantic.store.loading import network_of
from lucca_memory.semantic.store.name_removal import take_out
from lucca_memory.semantic.store.rows import NODES, TOUCH, sources_of, touch_values
from lucca_memory.semantic.store.values import Mark, NetworkChangedError, Standing, Totals
from lucca_memory.semantic.values import ForgottenNode
from lucca_memory.store.database import Database, Read, Transaction
from lucca_memory.store.rows import storable
from lucca_memory.store.sqlite_check import ADVICE

ARRAYS_FILE = 'network.arrays'
"""Name of the array file in the index folder of a data folder; see array_file.py."""

# Without `NOT IN`, as PostgreSQL would scan all edges for each concept.
DELETE_UNMENTIONED = (
    f'DELETE FROM node WHERE id IN (SELECT id FROM node WHERE kind = {CONCEPT} AND away = 1 '
    'EXCEPT SELECT b FROM edge WHERE kind = 0)'
)
"""Deletes forgotten concepts that nothing mentions."""

_SET_MARK = (
    'INSERT INTO mark (name, at, epoch) VALUES (?, ?, ?) '
    'ON CONFLICT (name) DO UPDATE SET at = excluded.at, epoch = excluded.epoch'
)
_NO_STAMP = -1
"""A stamp that no state of the rows has."""


class NetworkStore:
    """The rows of a network. Thread-safe.

    Every method raises MemoryFault if the database cannot be read or written; a failed commit changes nothing.
    """

    def __init__(self, database: Database, arrays: Path | None) -> None:
        """Stores rows in `database`, and their arrays in the file `arrays`, if given."""
        self._database = database
        self._arrays = arrays
        self._kept_stamp: int | None = None
        self._known_stamp: int | None = None
        self._spec = ''

    @property
    def writable(self) -> bool:
        """False if it was opened read-only."""
        return self._database.writable

    def close(self) -> None:
        """Closes the store."""
        self._database.close()

    # -- a step -------------------------------------------------------------------------------------------------

    def commit(self, change: Change) -> None:
        """Stores a change, as a whole or not at all.

        Raises:
            NetworkChangedError: the rows have changed since they were loaded; load them again.
        """
        with self._database.transaction() as connection:
            stamp = self._changed(connection)
            connection.executemany(
                'INSERT INTO heard VALUES (?) ON CONFLICT DO NOTHING', [(storable(s),) for s in change.heard]
            )
            self._insert_nodes(connection, change.nodes)
            connection.executemany(
                'INSERT INTO edge (a, kind, b, weight) VALUES (?, ?, ?, ?) '
                'ON CONFLICT (a, kind, b) DO UPDATE SET weight = edge.weight + excluded.weight',
                ((edge.a, int(edge.kind), edge.b, edge.weight) for edge in change.edges),
            )
            connection.executemany(TOUCH, map(touch_values, change.touches))
            told = [(node.node_id, node.sources) for node in change.nodes]
            told += [(touch.node_id, touch.sources) for touch in change.touches]
            connection.executemany(
                'INSERT INTO told_by (source, node) VALUES (?, ?) ON CONFLICT DO NOTHING',
                ((storable(source), node_id) for node_id, sources in told for source in sources),
            )
            connection.executemany(
                'INSERT INTO forgotten (node, time, fate, reason, importance, becomes) VALUES (?, ?, ?, ?, ?, ?) '
                'ON CONFLICT (node) DO UPDATE SET time = excluded.time, fate = excluded.fate, '
                'reason = excluded.reason, importance = excluded.importance, becomes = excluded.becomes',
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
            connection.executemany(_SET_MARK, ((storable(name), at, epoch) for name, at, epoch in change.marks))
            if change.nodes:
                next_id = max(node.node_id for node in change.nodes) + 1
                connection.execute("UPDATE meta SET value = ? WHERE key = 'next_id' AND value < ?", (next_id, next_id))
        self._loaded_as(stamp)

    def _insert_nodes(self, connection: Transaction, nodes: Sequence[Node]) -> None:
        connection.executemany(f'INSERT INTO node ({NODES.names}) VALUES ({NODES.marks})', map(NODES.values, nodes))
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

    # -- reading ------------------------------------------------------------------------------------------------

    def load(self, dimensions: int, spec: str) -> Network:
        """The living network, with the vectors of one embedder; vectors of others are ignored.

        Vectors stored from now on are of this embedder.
        """
        self._spec = spec
        # A reload means that the caller's arrays are outdated: if it fails, nothing planned on them may be stored.
        self._loaded_as(_NO_STAMP)
        with self._database.snapshot() as read:
            # All reads are of one state of the rows.
            stamp = _stamp_in(read)
            kept = kept_network(self._arrays, dimensions, spec, stamp) if stamp and self._arrays else None
            if kept is not None:
                self._kept_stamp = self._known_stamp = stamp
                return kept
            try:
                network = network_of(read, dimensions, spec)
            except (ValueError, TypeError, ArithmeticError, LookupError) as error:
                raise MemoryFault(f'a row of the network is damaged ({error}); {ADVICE}') from error
        # Only once the arrays are complete: if reading fails, the old ones must not pass for this state.
        self._known_stamp = stamp
        if self._arrays is None:
            return network
        if stamp:
            network.cells = kept_cells(self._arrays, network, spec)
        if self.writable and stamp is not None:
            forget_stale_arrays(self._arrays, stamp)
        return network

    def keep_arrays(self, network: Network) -> None:
        """Saves the arrays of a network that equals the rows, if the next `load` would take long without them."""
        stamp = _stamp_in(self._database.read)
        if not stamp or stamp != self._known_stamp or not network.dimensions or stamp == self._kept_stamp:
            return
        if self._arrays is None:
            return
        keep_arrays(self._arrays, network, self._spec, stamp)
        self._kept_stamp = stamp

    def _loaded_as(self, stamp: int) -> None:
        # A caller that never loaded the network has no arrays that could be outdated.
        if self._known_stamp is not None:
            self._known_stamp = stamp

    def _changed(self, connection: Transaction, *, whatever: bool = False) -> int:
        """Gives the rows a new stamp, never used before in any copy of them."""
        stamp = int.from_bytes(os.urandom(7))
        if whatever or self._known_stamp is None:
            connection.execute("UPDATE meta SET value = ? WHERE key = 'stamp'", (stamp,))
        elif not connection.execute(
            "UPDATE meta SET value = ? WHERE key = 'stamp' AND value = ?", (stamp, self._known_stamp)
        ).rowcount:
            raise NetworkChangedError('another process changed the network since it was loaded; nothing was stored')
        return stamp

    def nodes(self, node_ids: Sequence[int]) -> Mapping[int, Node]:
        """The living or forgotten nodes among the ids, without their vectors."""
        rows = self._database.read_in_parts(f'SELECT {NODES.names} FROM node WHERE id IN (%s)', node_ids)
        return {node.node_id: node for node in map(NODES.read, rows)}

    def edges_of(self, node_ids: Sequence[int]) -> Sequence[Edge]:
        """Every edge at one of the nodes, including edges to forgotten ones."""
        rows = {
            *self._database.read_in_parts('SELECT a, b, kind, weight FROM edge WHERE a IN (%s)', node_ids),
            *self._database.read_in_parts(
                'SELECT a, b, kind, weight FROM edge WHERE kind != 0 AND b IN (%s)', node_ids
            ),
        }
        return [Edge(a=a, b=b, kind=EdgeKind(kind), weight=weight) for a, b, kind, weight in sorted(rows)]

    def already_heard(self, sources: Iterable[str]) -> set[str]:
        """The sources that were heard before, among those given."""
        return {
            row[0]
            for row in self._database.read_in_parts('SELECT source FROM heard WHERE source IN (%s)', list(sources))
        }

    def told_by(self, sources: Sequence[str]) -> Sequence[Standing]:
        """The state of the nodes told by these sources, including forgotten ones."""
        rows = self._database.read_in_parts(
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
        """How far each followed source was read, by name."""
        return {row[0]: Mark(row[1], row[2]) for row in self._database.read('SELECT name, at, epoch FROM mark')}

    def set_mark(self, name: str, mark: Mark) -> None:
        """Stores how far a source was read."""
        with self._database.transaction() as connection:
            connection.execute(_SET_MARK, (storable(name), *mark))

    def forgotten(self) -> Sequence[ForgottenNode]:
        """The forgotten nodes that can be restored, newest first."""
        rows = self._database.read(
            'SELECT node, text, sources, fate, reason, time, importance, becomes FROM forgotten '
            'JOIN node ON id = node ORDER BY time DESC, node DESC'
        )
        return [
            ForgottenNode(
                node_id=row[0],
                text=row[1],
                sources=sources_of(row[2]),
                fate=row[3],
                reason=row[4],
                time=from_microseconds(row[5]),
                importance=row[6],
                into=row[7],
            )
            for row in rows
        ]

    def totals(self) -> Totals:
        """The store's lifetime counts."""
        return Totals(**dict(self._database.read("SELECT key, value FROM meta WHERE key != 'stamp'")))

    # -- letting go ---------------------------------------------------------------------------------------------

    def purge(self, before: int) -> int:
        """Deletes nodes forgotten before a time (microseconds) for good; returns how many."""
        if not self._database.read('SELECT 1 FROM forgotten WHERE time < ? LIMIT 1', (before,)):
            return 0
        with self._database.transaction() as connection:
            connection.execute('CREATE TEMP TABLE gone (id bigint)')
            connection.execute('INSERT INTO gone SELECT node FROM forgotten WHERE time < ?', (before,))
            return self._delete_gone(connection)

    def erase(self, owner: str, eraser: NameEraser | None = None, *, blank: bool = False) -> int:
        """Deletes everything of an owner for good, including forgotten nodes; returns the number of nodes.

        With an eraser, the name is also removed from nodes that belong to everybody and, if `blank`, from those of
        other people.

        Raises:
            MemoryFault: it could not be deleted, or freed pages could not be overwritten; erase again.
        """
        if self._arrays is not None:
            forget_arrays(self._arrays)
        with self._database.transaction() as connection:
            stamp = self._changed(connection, whatever=True)
            connection.execute('CREATE TEMP TABLE gone (id bigint)')
            connection.execute('INSERT INTO gone SELECT id FROM node WHERE owner = ?', (owner,))
            count = self._delete_gone(connection)
            connection.execute('DELETE FROM noted WHERE owner = ?', (owner,))
            connection.execute('DELETE FROM mark WHERE name = ?', (owner,))
            if eraser is not None:
                take_out(connection, eraser, from_all=blank)
        self._loaded_as(stamp)
        self._database.scrub()
        return count

    def _delete_gone(self, connection: Transaction) -> int:
        """Deletes the nodes in the table `gone` with their rows elsewhere, and concepts left without mentions."""
        for statement in (
            'DELETE FROM edge WHERE a IN (SELECT id FROM gone)',
            'DELETE FROM edge WHERE kind != 0 AND b IN (SELECT id FROM gone)',
            'DELETE FROM vector WHERE node IN (SELECT id FROM gone)',
            'DELETE FROM forgotten WHERE node IN (SELECT id FROM gone)',
            'DELETE FROM told_by WHERE node IN (SELECT id FROM gone)',
        ):
            connection.execute(statement)
        count = int(connection.execute('DELETE FROM node WHERE id IN (SELECT id FROM gone)').rowcount)
        connection.execute(DELETE_UNMENTIONED)
        connection.execute('DROP TABLE gone')
        return count


def _stamp_in(read: Read) -> int | None:
    """The state of the rows; 0 until their first change, which no array file belongs to."""
    rows = list(read("SELECT value FROM meta WHERE key = 'stamp'", ()))
    return int(rows[0][0]) if rows else None
