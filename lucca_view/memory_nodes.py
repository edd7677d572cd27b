"""The semantic network of a data folder as it is to be seen, read beside a running worker."""

import json
from datetime import UTC, datetime
from pathlib import Path

from lucca_memory.data_folder import DataFolder
from lucca_memory.embedding.embedder import NoEmbedder
from lucca_memory.item_ids import NODE
from lucca_memory.people.opening import shared_address
from lucca_memory.semantic.graph.export import to_json
from lucca_memory.semantic.opening import open_semantic
from lucca_view.events import MemoryNode, MemorySeen

MOST_NODES = 100


def read_nodes(data_dir: Path, most: int = MOST_NODES) -> MemorySeen:
    """The most important nodes, and all pinned ones.

    Raises:
        MemoryFault: the folder cannot be read.
    """
    with (
        DataFolder.open(data_dir, write=False) as folder,
        open_semantic(folder, NoEmbedder(), address=shared_address()) as memory,
    ):
        nodes = json.loads(to_json(memory, datetime.now(UTC)))['nodes']
    nodes.sort(key=lambda node: (not node['pinned'], -node['importance']))
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
            for node in nodes[:most]
        )
    )
