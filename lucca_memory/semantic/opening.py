"""The semantic memory of a data folder, put together as every program uses it."""

import contextlib
from collections.abc import Iterator

from lucca_memory.data_folder import DataFolder
from lucca_memory.embedding.ports import Embedder
from lucca_memory.semantic.compression import Compressor
from lucca_memory.semantic.config import ForgettingConfig, SemanticConfig
from lucca_memory.semantic.extraction import Extractor
from lucca_memory.semantic.memory import ConceptMemory
from lucca_memory.semantic.sqlite_store import NETWORK_FILE, SqliteNetworkStore

__all__ = ['NETWORK_FILE', 'open_semantic', 'open_store']


def open_store(folder: DataFolder) -> SqliteNetworkStore:
    """The store of a data folder; read only where the folder was opened to be read.

    Raises:
        MemoryFault: it cannot be opened, or is not there to be read.
    """
    return SqliteNetworkStore(folder.path / NETWORK_FILE, write=folder.writable)


@contextlib.contextmanager
def open_semantic(
    folder: DataFolder,
    embedder: Embedder,
    config: ForgettingConfig | None = None,
    settings: SemanticConfig | None = None,
    *,
    extractor: Extractor | None = None,
    compressor: Compressor | None = None,
) -> Iterator[ConceptMemory]:
    """The semantic memory; at the end what is counted is stored and the store is closed.

    Args:
        folder: where the network is kept.
        embedder: finds meanings.
        config: parameters of forgetting.
        settings: how things are found.
        extractor: finds concepts; the words themselves if not given.
        compressor: makes general nodes; shortening if not given.

    Raises:
        MemoryFault: the store cannot be opened.
    """
    store = open_store(folder)
    try:
        memory = ConceptMemory(
            embedder, config, store=store, extractor=extractor, compressor=compressor, settings=settings
        )
    except BaseException:
        store.close()
        raise
    try:
        yield memory
    finally:
        memory.close()
