"""The network in a PostgreSQL server that also has the shared people: one schema per robot.

Each robot has its own network, since each numbers its log entries itself. An advisory lock excludes a second worker,
such as one with a copy of the data folder.
"""

from pathlib import Path

from lucca_memory.people.name_eraser import NameEraser
from lucca_memory.semantic.store.network_store import NetworkStore
from lucca_memory.semantic.store.schema import POSTGRES_MIGRATIONS, TABLES
from lucca_memory.store.postgres import PostgresDatabase, schemas_of

PREFIX = 'lucca_network_'
"""Prefix of the names of all schemas with networks."""


class PostgresNetworkStore(NetworkStore):
    """See NetworkStore."""

    def __init__(self, address: str, schema: str, arrays: Path, *, write: bool = True, alone: bool = True) -> None:
        """Connects and upgrades the tables to the newest version.

        Args:
            address: `postgresql://…` or `host=… dbname=…`.
            schema: of the tables; created if missing.
            arrays: path of the array file.
            write: False to only read, beside a writer.
            alone: take the lock of the network's only worker; False only for erasing.

        Raises:
            MemoryFault: the server does not answer, another worker uses this network, or the tables are newer.
        """
        name = f'the network {schema}'
        database = PostgresDatabase(
            address, schema, POSTGRES_MIGRATIONS, name=name, tables=TABLES, write=write, alone=alone
        )
        super().__init__(database, arrays)


def erase_from_networks(address: str, arrays: Path, owner: str, eraser: NameEraser, *, blank: bool = False) -> int:
    """Deletes an owner from the networks of every robot on a server; returns the number of nodes.

    Args:
        address: of the server.
        arrays: array file of this robot; those of the others become stale by their stamps.
        owner: see item_ids.py.
        eraser: removes the name from nodes that belong to everybody.
        blank: remove it from those of other people, too.

    Raises:
        MemoryFault: it failed; erase again.
    """
    erased = 0
    for name in schemas_of(address, PREFIX):
        store = PostgresNetworkStore(address, name, arrays, alone=False)
        try:
            erased += store.erase(owner, eraser, blank=blank)
        finally:
            store.close()
    return erased
