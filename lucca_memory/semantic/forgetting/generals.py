"""Which nodes may become one general node: a shorter text that stands for what a pass would forget.

Turns of one person that mention one concept are grouped. A concept that more turns mention than a group holds ties
nothing yet. Once turns about specific concepts have been joined, their general nodes are members of the groups of wider
ones, so a hierarchy grows from below. The pass may forget a general node like a statement.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from lucca_memory.retrieval.analysis import speaks_of_time
from lucca_memory.semantic.graph.change import OPEN, EdgeKind, Node
from lucca_memory.semantic.graph.network import Ints, Network
from lucca_memory.semantic.language.extraction import WORD_WEIGHT, concept_key
from lucca_memory.semantic.language.lexicon import IDLE

_DAY_US = 86_400_000_000


class GivenText:
    """See Compressor: says what it was given."""

    def __init__(self, text: str) -> None:
        self._text = text

    def compress(self, texts: Sequence[str]) -> str:
        """See Compressor."""
        return self._text


def related(network: Network, rows: Ints, most: int) -> list[Ints]:
    """Groups of at most `most` rows of one owner and speaker, from turns that mention the same concept.

    The rows of a turn stay together, since half a turn seldom answers anything, and are in one group at most.
    `rows` are given best first; groups are in the order of their best member, and their rows in that of the network.
    """
    rows = rows[(network.column('valid_to')[rows] == OPEN) & ~network.column('pinned')[rows]]
    place = np.full(len(network), -1, np.int64)
    place[rows] = np.arange(len(rows))
    keys = network.column('turns')[rows]
    keys = np.where(keys == 0, -1 - rows, keys)
    speakers = network.column('speakers')[rows].astype(np.int64)
    persons = speakers + network.column('owners')[rows].astype(np.int64) * len(network.speakers)
    turns: dict[tuple[int, int], list[int]] = {}
    for row, person, key in zip(rows.tolist(), persons.tolist(), keys.tolist(), strict=True):
        turns.setdefault((person, key), []).append(row)
    turn_of = {row: turn for turn, members in turns.items() for row in members}
    about: dict[tuple[int, int], dict[tuple[int, int], None]] = {}
    for row, concept in zip(*_mentions(network, place), strict=True):
        turn = turn_of[row]
        about.setdefault((concept, turn[0]), {})[turn] = None
    groups, taken = list[Ints](), set[tuple[int, int]]()
    # Those that more share say more in one text; of equal ones, the newer concept.
    for _, key in sorted(((len(found), key) for key, found in about.items()), reverse=True):
        free = [turn for turn in about[key] if turn not in taken]
        members = sorted(row for turn in free for row in turns[turn])
        if len(free) > 1 and len(about[key]) <= most and len(members) <= most:
            taken.update(free)
            groups.append(np.array(members, np.int64))
    return sorted(groups, key=lambda group: int(place[group].min()))


def _mentions(network: Network, place: Ints) -> tuple[list[int], list[int]]:
    """Rows with a place, and the telling concepts that they mention."""
    a, b, kinds, weights = network.edges
    edges = np.flatnonzero((kinds == EdgeKind.MENTIONS) & (weights >= WORD_WEIGHT))
    edges = edges[(place[a[edges]] >= 0) & network.column('alive')[b[edges]]]
    idle = [concept_key(owner, key) for owner in network.owners for key in IDLE]
    edges = edges[~np.isin(network.column('keys')[b[edges]], idle)]
    return a[edges].tolist(), b[edges].tolist()


def of_one_time(members: Sequence[Node]) -> list[Node]:
    """The members without those that would move: "yesterday" means another day in a text of another day."""
    days = {node.born // _DAY_US for node in members}
    return list(members) if len(days) == 1 else [node for node in members if not speaks_of_time(node.text)]


def why_not_replaced(
    network: Network, rows: Ints, members: Sequence[Node], read: Callable[[Sequence[int]], Mapping[int, Node]]
) -> str:
    """Why members cannot become one general node, for people; empty if they can."""
    if len(rows) != len(members) or len(members) < 2:
        return 'a member is gone, or there is only one'
    if network.column('pinned')[rows].any() or (network.column('valid_to')[rows] != OPEN).any():
        return 'a member is pinned, or no longer holds'
    if len({(node.owner, node.speaker) for node in members}) > 1:
        return 'the members are not of one person'
    if len(of_one_time(members)) < len(members):
        return 'a member tells of a time that would no longer be clear'
    texts = read([node.node_id for node in members])
    if any(texts[node.node_id].text != node.text for node in members):
        return 'a member has changed'
    return ''
