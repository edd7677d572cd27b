"""Converting nodes to database rows and back."""

from typing import Any

from lucca_memory.people.rows import checked_row, storable
from lucca_memory.semantic.graph.change import Node, NodeUpdate

NODE = 'id, kind, owner, speaker, key, born, last, valid_to, told, used, pinned, sources, text, said'
"""The columns of a node, in order."""

TOUCH = """
UPDATE node SET last = coalesce(?, last), valid_to = coalesce(?, valid_to), told = coalesce(?, told),
    used = coalesce(?, used), pinned = coalesce(?, pinned), text = coalesce(?, text), said = coalesce(?, said),
    sources = sources || ?
WHERE id = ?
"""
"""Applies a node update; see touch_values."""


def node_values(node: Node) -> tuple[Any, ...]:
    """The columns of a node, in the order of NODE."""
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
        node.said,
    )


@checked_row
def node_of(row: Any) -> Node:
    """A node from the columns of NODE, without its vector."""
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
        said=row[13],
    )


def touch_values(touch: NodeUpdate) -> tuple[Any, ...]:
    """The parameters of TOUCH."""
    sources = ''.join(f'\n{storable(source)}' for source in touch.sources)
    text = None if touch.text is None else storable(touch.text)
    pinned = None if touch.pinned is None else int(touch.pinned)
    return (touch.last, touch.valid_to, touch.told, touch.used, pinned, text, touch.said, sources, touch.node_id)
