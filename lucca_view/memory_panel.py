"""The panel of the semantic network: kept nodes with reasons, those to go next, relations, and forgotten nodes."""

from typing import Any

from lucca_view.events import MemoryNode, MemorySeen

CONCEPT, GENERAL = 'concept', 'general'


def memory_panel(seen: MemorySeen) -> dict[str, Any]:
    """The network as data for a drawing and a list, in types for JSON. Nodes are in the order of `seen`."""
    # Concepts are forgotten together with the statements that mention them.
    may_go = sorted((item for item in seen.nodes if not item.pinned and item.kind != CONCEPT), key=_importance)
    before = {item.node: place for place, item in enumerate(may_go)}
    return {
        'nodes': [_node(item, before.get(item.node), len(may_go)) for item in seen.nodes],
        'edges': [{'a': edge.a, 'b': edge.b, 'kind': edge.kind} for edge in seen.edges],
        'forgotten': [
            {
                'node': item.node,
                'text': item.text,
                'why': f'{item.fate}{f" into {item.into}" if item.into else ""} at {item.time}: {item.reason}',
            }
            for item in seen.forgotten
        ],
    }


def _importance(item: MemoryNode) -> float:
    return item.importance


def _node(item: MemoryNode, before: int | None, may_go: int) -> dict[str, Any]:
    """`before`: how many of the `may_go` forgettable nodes shown go before this one; None if it is not one of them."""
    states = {
        'pinned': item.pinned,
        'outdated': bool(item.valid_to),
        'compressed': item.kind == GENERAL,
        'concept': item.kind == CONCEPT,
        # the least important fifth of the nodes that are shown
        'fading': before is not None and 5 * before < may_go and may_go > 1,
    }
    return {
        'node': item.node,
        'text': item.text,
        'speaker': item.speaker,
        'pinned': item.pinned,
        'recency': round(item.recency, 2),
        'importance': round(item.importance, 3),
        'states': [name for name, holds in states.items() if holds],
        'why': '; '.join(_reasons(item, before, may_go)),
    }


def _reasons(item: MemoryNode, before: int | None, may_go: int) -> list[str]:
    reasons = []
    if item.pinned:
        reasons.append('pinned: never forgotten')
    if item.valid_to:
        reasons.append(f'outdated since {item.valid_to[:16].replace("T", " ")}: something newer was said')
    if item.kind == GENERAL:
        reasons.append('compressed from several statements')
    if item.kind == CONCEPT:
        reasons.append('a concept that statements mention')
    if before is not None and may_go > 1:
        reasons.append(
            f'{before} of {may_go} would be forgotten before it' if before else 'the first that would be forgotten'
        )
    parts = f'recency {item.recency:.2f}, frequency {item.frequency:.2f}, centrality {item.centrality:.2f}'
    return [*reasons, f'importance {item.importance:.3f} of {parts}']
