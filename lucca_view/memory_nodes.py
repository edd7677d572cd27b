"""The semantic network of a data folder for display, read beside a running worker."""

import json
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from lucca_memory.data_folder import DataFolder
from lucca_memory.embedding.embedder import NoEmbedder
from lucca_memory.item_ids import NODE
from lucca_memory.people.opening import shared_address
from lucca_memory.semantic.graph.export import to_json
from lucca_memory.semantic.opening import open_semantic
from lucca_view.events import ForgottenMemory, MemoryEdge, MemoryNode, MemorySeen

MOST_NODES = 100
MOST_FORGOTTEN = 20
_FILES = ('network.sqlite', 'network.sqlite-wal')


def network_state(data_dir: Path) -> tuple[tuple[int, int], ...]:
    """Size and time of the network's files. While these do not change, the network does not."""
    found = []
    for name in _FILES:
        with suppress(OSError):
            status = (data_dir / name).stat()
            found.append((status.st_size, status.st_mtime_ns))
    return tuple(found)


def read_nodes(data_dir: Path, most: int = MOST_NODES) -> MemorySeen:
    """The pinned nodes, then the most important ones, the relations of these, and the nodes forgotten last.

    Raises:
        MemoryFault: the folder cannot be read.
    """
    with (
        DataFolder.open(data_dir, write=False) as folder,
        open_semantic(folder, NoEmbedder(), address=shared_address()) as memory,
    ):
        found = json.loads(to_json(memory, datetime.now(UTC)))
        forgotten = memory.forgotten()[:MOST_FORGOTTEN]
    nodes = sorted(found['nodes'], key=lambda node: (not node['pinned'], -node['importance']))[:most]
    shown = {node['id'] for node in nodes}
    return MemorySeen(
        nodes=tuple(
            MemoryNode(
                node=f'{NODE}{node["id"]}',
                kind=node['kind'],
                text=node['text'],
                speaker=node['speaker'],
                valid_to=node['valid_to'] or '',
                pinned=node['pinned'],
                importance=node['importance'],
                recency=node['recency'],
                frequency=node['frequency'],
                centrality=node['centrality'],
            )
            for node in nodes
        ),
        edges=tuple(
            MemoryEdge(f'{NODE}{edge["a"]}', f'{NODE}{edge["b"]}', edge['kind'])
            for edge in found['edges']
            if edge['a'] in shown and edge['b'] in shown
        ),
        forgotten=tuple(
            ForgottenMemory(
                node=f'{NODE}{item.node_id}',
                text=item.text,
                fate=item.fate,
                reason=item.reason,
                time=item.time.isoformat(timespec='minutes'),
                into='' if item.into is None else f'{NODE}{item.into}',
            )
            for item in forgotten
        ),
    )
