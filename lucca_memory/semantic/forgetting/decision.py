"""Deciding which nodes a forgetting pass removes or compresses, from arrays alone.

V_forget = {v | I(v) < θ} (the paper, section 1.3 c), with compression before deletion (1.3 d). With a budget in bytes,
nodes are ranked by importance, or, as far as nobody asks, by what they tell per byte: the best are kept in their share
of the budget, the next ones become general nodes in the rest of it, and θ is the importance at which the budget is
exhausted. Pinned nodes are kept and counted.
"""

from dataclasses import dataclass

import numpy as np

from lucca_memory.semantic.config import Ablations, ForgettingConfig
from lucca_memory.semantic.forgetting.importance import Terms, terms_of_importance
from lucca_memory.semantic.graph.change import CONCEPT, OPEN, STATEMENT, EdgeKind
from lucca_memory.semantic.graph.network import Floats, Ints, Network
from lucca_memory.semantic.language.extraction import PHRASE

_LOOKED_FURTHER = 100
_JOINT = 2
"""Bytes of the separator between two parts of a general node."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do with which rows.

    Attributes:
        terms: importance of every row, and its terms.
        theta: the threshold used.
        pruned: rows to put away, least important first.
        groups: rows that become one general node each, most important group first.
        bytes_before: size of all texts that can answer questions.
    """

    terms: Terms
    theta: float
    pruned: Ints
    groups: tuple[Ints, ...]
    bytes_before: int


def decide(
    network: Network,
    now: int,
    config: ForgettingConfig,
    ablations: Ablations | None = None,
    *,
    budget_bytes: int | None = None,
) -> Decision:
    """Decides which nodes to put away or compress.

    Args:
        network: the graph.
        now: microseconds since 1970.
        config: parameters.
        ablations: parts that are switched off.
        budget_bytes: maximum UTF-8 bytes of statements and general nodes; None to use θ alone.
    """
    off = ablations or Ablations()
    terms = terms_of_importance(network, now, config, off)
    telling = network.column('alive') & (network.column('kinds') != CONCEPT)
    sizes = network.column('sizes').astype(np.int64)
    total = int(sizes[telling].sum())
    worth = terms.importance
    if budget_bytes is not None and config.telling and terms.asking < 1:
        # Importance is by questions: where hardly any were asked, it only says what is new.
        told = network.column('tells') ** np.float32(config.telling * (1 - terms.asking))
        worth = np.asarray(worth ** np.float32(terms.asking) * told, np.float32)
    rows = _best_first(np.flatnonzero(telling & ~network.column('pinned')), worth)
    nothing = np.empty(0, np.int64)
    if budget_bytes is None:
        theta = config.theta
        low = rows[terms.importance[rows] < theta]
        squeezed = nothing if off.no_compression else low[terms.importance[low] >= theta / 2]
        pruned = low[len(squeezed) :]
    else:
        if total <= budget_bytes:
            return Decision(terms, 0.0, nothing, (), total)
        room = max(0, budget_bytes - (total - int(sizes[rows].sum())))
        low, squeezed = _ranked(network, rows, sizes, room, config, off)
        # Rows of the compressed part that cannot be shortened are kept: their bytes were counted.
        pruned = low[len(squeezed) :]
        theta = float(terms.importance[pruned[0]]) if len(pruned) else 0.0
    squeezed = squeezed[_can_be_squeezed(network, squeezed)]
    groups = _groups(network, squeezed, config.group_size)
    return Decision(terms, theta, pruned[::-1], groups, total)


def _best_first(rows: Ints, importance: Floats) -> Ints:
    """Rows by decreasing importance; of equal ones the newer first: rows increase with time."""
    # The bits of non-negative 32-bit floats have the same order as their values, so one integer sort suffices.
    bits = np.abs(importance[rows]).view(np.uint32).astype(np.int64)
    keys = np.sort((bits << 32) | rows)[::-1]
    return np.asarray(keys & 0xFFFFFFFF, np.int64)


def _ranked(
    network: Network, rows: Ints, sizes: Ints, room: int, config: ForgettingConfig, off: Ablations
) -> tuple[Ints, Ints]:
    """The rows that are not kept as they are, best first, and those of them that go into general nodes.

    As few as possible are shortened. The quantile θ is pruned whenever the budget is exceeded, so that the next pass is
    not due at once; more only if the share of general nodes is too small.
    """
    most = int(np.ceil(len(rows) * (1 - config.theta)))
    whole_bytes = np.concatenate([[0], np.cumsum(sizes[rows])])
    if off.no_compression:
        kept = min(most, int(np.searchsorted(whole_bytes, room, 'right')) - 1)
        return rows[kept:], rows[:0]
    short = np.where(_can_be_squeezed(network, rows), network.column('short')[rows] + _JOINT, sizes[rows])
    # A text that cannot be shortened must not become longer by the separator.
    short_bytes = np.concatenate([[0], np.cumsum(np.minimum(short, sizes[rows]))])
    by_share = int(np.searchsorted(whole_bytes, room * (1 - config.compressed_share), 'right')) - 1
    as_needed = int(np.searchsorted(whole_bytes - short_bytes, room - short_bytes[most], 'right')) - 1
    whole = min(most, max(by_share, as_needed))
    kept = int(np.searchsorted(short_bytes, room - whole_bytes[whole] + short_bytes[whole], 'right')) - 1
    kept = max(whole, min(most, kept))
    # Texts that are too long for the remaining space leave it to shorter ones after them.
    left = room - int(whole_bytes[whole]) - int(short_bytes[kept] - short_bytes[whole])
    fitting = []
    for at in range(kept, min(most, kept + _LOOKED_FURTHER)):
        size = int(short_bytes[at + 1] - short_bytes[at])
        if size <= left:
            left -= size
            fitting.append(at)
    squeezed = np.concatenate([rows[whole:kept], rows[fitting]]).astype(np.int64)
    others = np.delete(rows[kept:], [at - kept for at in fitting])
    return np.concatenate([squeezed, others]), squeezed


def _can_be_squeezed(network: Network, rows: Ints) -> np.ndarray:
    """Valid statements that can be shortened; history keeps its own times, and general nodes are short already."""
    # Over all rows in their own order, which is faster than indexing.
    can = network.column('short') + _JOINT < network.column('sizes')
    can &= network.column('kinds') == STATEMENT
    can &= network.column('valid_to') == OPEN
    return np.asarray(can[rows], np.bool_)


def _groups(network: Network, rows: Ints, most: int) -> tuple[Ints, ...]:
    """Groups rows of one owner and speaker that mention the same concept, in the order of their best member."""
    if not len(rows):
        return ()
    shared = _dominant_concepts(network, rows)
    owners, speakers = network.column('owners')[rows], network.column('speakers')[rows]
    order = np.lexsort((shared, speakers.astype(np.int64) + owners * np.int64(len(network.speakers))))
    keys = np.stack([owners[order], speakers[order], shared[order]])
    starts = np.flatnonzero(np.concatenate([[True], (keys[:, 1:] != keys[:, :-1]).any(axis=0)]))
    sizes = np.diff(np.append(starts, len(rows)))
    place = np.arange(len(rows)) - np.repeat(starts, sizes)
    breaks = np.flatnonzero(place % most == 0)
    ordered, ends = rows[order], np.append(breaks[1:], len(rows))
    first = np.argsort(np.minimum.reduceat(order, breaks), kind='stable')
    return tuple(ordered[begin:end] for begin, end in zip(breaks[first].tolist(), ends[first].tolist(), strict=True))


def _dominant_concepts(network: Network, rows: Ints) -> Ints:
    """For each row the full name that it shares with the most other rows, so that a general node has one subject; a
    unique negative number for rows without one."""
    a, b, kinds, weights = network.edges
    place = np.full(len(network), -1, np.int32)
    place[rows] = np.arange(len(rows), dtype=np.int32)
    edges = np.flatnonzero((kinds == EdgeKind.MENTIONS) & (weights >= PHRASE))
    edges = edges[place[a[edges]] >= 0]
    concepts = -1 - np.arange(len(rows))
    shared = np.bincount(b[edges], minlength=len(network))
    # The most shared one, then the highest row, encoded as one number to be deterministic.
    most = np.full(len(rows), -1, np.int64)
    np.maximum.at(most, place[a[edges]], (shared[b[edges]] << 32) | b[edges])
    return np.where(most < 0, concepts, most & 0xFFFFFFFF)
