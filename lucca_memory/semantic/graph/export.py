"""Exporting the network as JSON, NetworkX or GraphML, for inspecting small graphs; not optimised."""

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lucca_core.errors import ConfigError, MemoryFault
from lucca_memory.retrieval.times import from_microseconds
from lucca_memory.semantic.graph.change import KINDS, OPEN, EdgeKind
from lucca_memory.semantic.memory import ConceptMemory

if TYPE_CHECKING:
    import networkx

FORMAT = 1
INSTALL_NETWORKX = 'pip install "networkx>=3,<4"'
_AT_ONCE = 10_000


def to_json(memory: ConceptMemory, now: datetime) -> str:
    """Every living node and edge as JSON, with the importance at `now`."""
    document = {'lucca_network': FORMAT, 'nodes': list(_nodes(memory, now)), 'edges': list(_edges(memory))}
    return json.dumps(document, ensure_ascii=False, indent=1)


def to_networkx(memory: ConceptMemory, now: datetime) -> 'networkx.MultiDiGraph[int]':
    """The network as a directed multigraph; attributes are texts and numbers, as GraphML requires.

    Raises:
        ConfigError: networkx is not installed.
    """
    try:
        import networkx
    except ImportError as error:
        raise ConfigError(f'this needs NetworkX: {INSTALL_NETWORKX} ({error})') from error
    graph: networkx.MultiDiGraph[int] = networkx.MultiDiGraph()
    for node in _nodes(memory, now):
        attributes = {name: value for name, value in node.items() if name != 'id' and value is not None}
        graph.add_node(node['id'], **{**attributes, 'sources': ' '.join(node['sources'])})
    for edge in _edges(memory):
        graph.add_edge(edge['a'], edge['b'], key=edge['kind'], kind=edge['kind'], weight=edge['weight'])
    return graph


def write_graph(memory: ConceptMemory, file: Path, now: datetime) -> None:
    """Writes the network as GraphML (`.graphml`) or JSON (`.json`).

    Raises:
        ConfigError: the file has another suffix, or networkx is not installed.
        MemoryFault: it could not be written.
    """
    try:
        if file.suffix == '.json':
            file.write_text(to_json(memory, now), encoding='utf-8')
        elif file.suffix == '.graphml':
            graph = to_networkx(memory, now)
            import networkx

            networkx.write_graphml(graph, file)
        else:
            raise ConfigError(f'{file.name!r} should end with .graphml or .json')
    except OSError as error:
        raise MemoryFault(f'{file} could not be written: {error}') from error


def _nodes(memory: ConceptMemory, now: datetime) -> Iterator[dict[str, Any]]:
    network, terms = memory.terms(now)
    rows = network.column('alive').nonzero()[0]
    ids = network.column('ids')
    for start in range(0, len(rows), _AT_ONCE):
        part = rows[start : start + _AT_ONCE].tolist()
        nodes = memory.store.nodes([int(ids[row]) for row in part])
        for row in part:
            node = nodes[int(ids[row])]
            yield {
                'id': node.node_id,
                'kind': KINDS[node.kind],
                'text': node.text,
                'speaker': node.speaker,
                'owner': node.owner,
                'sources': list(node.sources),
                'valid_from': from_microseconds(node.born).isoformat(),
                'valid_to': None if node.valid_to == OPEN else from_microseconds(node.valid_to).isoformat(),
                'told': int(network.column('told')[row]),
                'used': round(float(network.column('used')[row]), 4),
                'pinned': bool(network.column('pinned')[row]),
                'recency': round(float(terms.recency[row]), 4),
                'frequency': round(float(terms.frequency[row]), 4),
                'centrality': round(float(terms.centrality[row]), 4),
                'importance': round(float(terms.importance[row]), 4),
            }


def _edges(memory: ConceptMemory) -> Iterator[dict[str, Any]]:
    network = memory.network
    ids, alive = network.column('ids'), network.column('alive')
    for a, b, kind, weight in zip(*(column.tolist() for column in network.edges), strict=True):
        if alive[a] and alive[b]:
            yield {'a': int(ids[a]), 'b': int(ids[b]), 'kind': EdgeKind(kind).name.lower(), 'weight': round(weight, 4)}
