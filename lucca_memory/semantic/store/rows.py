"""Nodes as database rows."""

from collections.abc import Iterable
from typing import Any

from lucca_memory.semantic.graph.change import Node, NodeUpdate
from lucca_memory.store.rows import RowsOf, storable

TOUCH = """
UPDATE node SET last = coalesce(?, last), valid_to = coalesce(?, valid_to), told = coalesce(?, told),
    used = coalesce(?, used), pinned = coalesce(?, pinned), text = coalesce(?, text), said = coalesce(?, said),
    sources = sources || ?
WHERE id = ?
"""
"""Applies a node update; see touch_values."""


def _joined(sources: Iterable[str]) -> str:
    return '\n'.join(map(storable, sources))


def sources_of(text: str) -> tuple[str, ...]:
    """The sources of a node, which are stored one per line."""
    return tuple(text.split('\n')) if text else ()


NODES = RowsOf(Node, without=('vector',), lists=(_joined, sources_of), node_id='id')


def touch_values(touch: NodeUpdate) -> tuple[Any, ...]:
    """The parameters of TOUCH."""
    sources = ''.join(f'\n{storable(source)}' for source in touch.sources)
    text = None if touch.text is None else storable(touch.text)
    pinned = None if touch.pinned is None else int(touch.pinned)
    return (touch.last, touch.valid_to, touch.told, touch.used, pinned, text, touch.said, sources, touch.node_id)
