"""The network on a PostgreSQL server, beside the people that robots share: a schema of tables for each robot.

Each robot has a network of its own, since each robot numbers the entries of its task logs itself. An advisory lock
keeps a second worker out, such as one with a copy of the data folder.
"""

from pathlib import Path

from lucca_memory.people.name_eraser import NameEraser
from lucca_memory.semantic.store.network_store import NetworkStore
from lucca_memory.semantic.store.schema import POSTGRES_MIGRATIONS, TABLES
from lucca_memory.store.postgres import PostgresDatabase, schemas_of

PREFIX = 'lucca_network_'
"""What the names of all schemas with networks begin with."""


class PostgresNetworkStore(NetworkStore):
    """See NetworkStore."""

    def __init__(self, address: str, schema: str, arrays: Path, *, write: bool = True, alone: bool = True) -> None:
        """Connects and brings the tables to the newest version.

        Args:
            address: `postgresql://…` or `host=… dbname=…`.
            schema: in which the tables are; made if need be.
            arrays: the file in which arrays are kept.
            write: False to read only, beside whoever writes.
            alone: take the lock of the one worker that has the network; False only to erase.

        Raises:
            MemoryFault: the server does not answer, another worker has this network, or the tables are newer.
        """
        name = f'the network {schema}'
        database = PostgresDatabase(
            address, schema, POSTGRES_MIGRATIONS, name=name, tables=TABLES, write=write, alone=alone
        )
        super().__init__(database, arrays)


def erase_from_networks(address: str, arrays: Path, owner: str, eraser: NameEraser) -> int:
    """Removes an owner from the networks of every robot on a server; returns how many nodes.

    Args:
        address: of the server.
        arrays: the file of arrays of the robot that this is done on; the others' are not used any more.
        owner: see graph/owners.py.
        eraser: takes the name out of what belongs to everybody.

    Raises:
        MemoryFault: it could not be done; erase again.
    """
    erased = 0
    for name in schemas_of(address, PREFIX):
        store = PostgresNetworkStore(address, name, arrays, alone=False)
        try:
            erased += store.erase(owner, eraser)
        finally:
            store.close()
    return erased
