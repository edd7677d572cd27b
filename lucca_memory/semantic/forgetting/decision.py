"""Deciding which nodes a forgetting pass removes or compresses, from arrays alone.

V_forget = {v | I(v) < θ} (the paper, section 1.3 c). With a budget in bytes, turns are ranked by importance as far as
people come back to what they asked about, otherwise by what they tell per byte and, if people ask for each thing once,
by how lately they were heard; a turn's statements are kept or forgotten together. θ is the importance at
which the budget is exhausted. Pinned nodes are kept and counted. With `compress` (1.3 d), the best turns are kept as
they are in their share of the budget, and the next ones become general nodes in the rest of it.
"""

from dataclasses import dataclass

import numpy as np

from lucca_memory.semantic.config import ForgettingConfig
from lucca_memory.semantic.forgetting.importance import Terms, TermsOf, terms_of_importance
from lucca_memory.semantic.graph.change import CONCEPT, OPEN, STATEMENT, EdgeKind
from lucca_memory.semantic.graph.network import Floats, Ints, Network
from lucca_memory.semantic.language.extraction import PHRASE

_LOOKED_FURTHER = 100
_LEAST = 1e-6
_JOINT = 2
"""Bytes of the separator between two parts of a general node."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do with which rows.

    Attributes:
        terms: importance of every row, and its terms.
        worth: what the rows are ranked by: their importance or, with a budget, their worth for it.
        theta: the threshold used.
        pruned: rows to put away, least important first.
        groups: rows that become one general node each, most important group first.
        bytes_before: size of all texts that can answer questions.
    """

    terms: Terms
    worth: Floats
    theta: float
    pruned: Ints
    groups: tuple[Ints, ...]
    bytes_before: int


def decide(
    network: Network,
    now: int,
    config: ForgettingConfig,
    *,
    budget_bytes: int | None = None,
    terms_of: TermsOf = terms_of_importance,
) -> Decision:
    """Decides which nodes to put away or compress.

    Args:
        network: the graph.
        now: microseconds since 1970.
        config: parameters.
        budget_bytes: maximum UTF-8 bytes of statements and general nodes; None to use θ alone.
        terms_of: computes the importance.
    """
    terms = terms_of(network, now, config)
    telling = network.column('alive') & (network.column('kinds') != CONCEPT)
    rows = np.flatnonzero(telling & ~network.column('pinned'))
    sizes = network.column('sizes').astype(np.int64)
    total = int(sizes[telling].sum())
    worth = terms.importance if budget_bytes is None else _worth(network, rows, now, terms, config)
    nothing = np.empty(0, np.int64)
    if budget_bytes is None:
        theta = config.theta
        rows = _best_first(rows, worth)
        low = rows[terms.importance[rows] < theta]
        squeezed = low[terms.importance[low] >= theta / 2] if config.compress else nothing
        pruned = low[len(squeezed) :]
    else:
        if total <= budget_bytes:
            return Decision(terms, worth, 0.0, nothing, (), total)
        worth = _less_if_repeated(network, worth, config.repeated_share)
        turns = _turns_best_first(network, rows, worth, sizes)
        room = max(0, budget_bytes - (total - int(sizes[rows].sum())))
        low, squeezed = _ranked(network, turns, sizes, room, config)
        # Rows of the compressed part that cannot be shortened are kept: their bytes were counted.
        pruned = low[len(squeezed) :]
        theta = float(terms.importance[pruned[0]]) if len(pruned) else 0.0
    squeezed = squeezed[_can_be_squeezed(network, squeezed)]
    groups = _groups(network, squeezed, config.group_size)
    return Decision(terms, worth, theta, pruned[::-1], groups, total)


def _worth(network: Network, rows: Ints, now: int, terms: Terms, config: ForgettingConfig) -> Floats:
    """The worth of every row for a budget, from 0 to 1: I^t · (what it tells per byte)^(1 - t) · exp(-o · age / span).

    `rows` are those that the budget may forget. t is how far importance can be trusted, o how far people ask for each
    thing once (see `Asking`), and span the time since the oldest of `rows` was heard or used. Importance learns from
    questions: if hardly any were asked, it only says which texts are new, and if none came back, it prefers what has
    been asked for already.
    """
    trust, once = np.float32(terms.asking.trust), terms.asking.once
    if not config.telling or trust == 1:
        return terms.importance
    worth = terms.importance**trust * network.column('tells') ** np.float32(config.telling * (1 - trust))
    if once:
        ages = np.maximum(now - network.column('last'), 0)
        worth *= np.exp(np.float32(-once / max(1, int(ages[rows].max(initial=0)))) * ages)
    return np.asarray(worth, np.float32)


def _less_if_repeated(network: Network, worth: Floats, share: float) -> Floats:
    """Of two valid statements that say nearly the same, the one of less worth keeps only a share of it."""
    a, b, kinds, _ = network.edges
    valid = network.column('alive') & (network.column('valid_to') == OPEN)
    edges = np.flatnonzero(kinds == EdgeKind.REPEATS)
    edges = edges[valid[a[edges]] & valid[b[edges]]]
    one, two = a[edges], b[edges]
    less = np.unique(np.where(worth[one] < worth[two], one, two))
    worth = worth.copy()
    worth[less] *= np.float32(share)
    return worth


def _best_first(rows: Ints, worth: Floats) -> Ints:
    """Rows by decreasing worth; of equal ones the newer first: rows increase with time."""
    # The bits of non-negative 32-bit floats have the same order as their values, so one integer sort suffices.
    bits = np.abs(worth[rows]).view(np.uint32).astype(np.int64)
    keys = np.sort((bits << 32) | rows)[::-1]
    return np.asarray(keys & 0xFFFFFFFF, np.int64)


@dataclass(frozen=True, slots=True)
class _Turns:
    """Rows by turn, best turn first; turn t has the rows from `starts[t]` up to `starts[t + 1]`."""

    rows: Ints
    starts: Ints

    def __len__(self) -> int:
        return len(self.starts) - 1

    def between(self, first: int, last: int) -> Ints:
        """The rows of the turns from `first` up to but excluding `last`."""
        return self.rows[self.starts[first] : self.starts[last]]

    def added(self, sizes: Ints) -> Ints:
        """The bytes of all turns before each, and of all turns at the end, given those of `rows`."""
        return np.asarray(np.concatenate([[0], np.cumsum(sizes)])[self.starts], np.int64)


def _turns_best_first(network: Network, rows: Ints, worth: Floats, sizes: Ints) -> _Turns:
    """Groups the statements of each turn, since half a turn seldom answers; a turn is worth the mean over its bytes.

    General nodes, and statements without a source, are turns of their own.
    """
    keys = network.column('turns')[rows]
    keys = np.where(keys == 0, -1 - rows, keys)
    _, turn, counts = np.unique(keys, return_inverse=True, return_counts=True)
    if counts.max(initial=1) == 1:
        return _Turns(_best_first(rows, worth), np.arange(len(rows) + 1))
    weights = np.maximum(sizes[rows], 1)
    # The odds of what a text tells are its density, which adds up over the statements of a turn.
    odds = np.bincount(turn, weights * worth[rows] / np.maximum(1 - worth[rows], _LEAST)) / np.bincount(turn, weights)
    mean = (odds / (1 + odds)).astype(np.float32)
    shared = worth.copy()
    several = counts[turn] > 1
    shared[rows[several]] = mean[turn[several]]
    # The newest statement of each turn stands for it.
    newest = np.zeros(len(counts), np.int64)
    np.maximum.at(newest, turn, rows)
    order = _best_first(newest, shared)
    place = np.empty(len(network), np.int64)
    place[order] = np.arange(len(order))
    at = place[newest[turn]]
    sorted_at = np.argsort(at, kind='stable')
    starts = np.searchsorted(at[sorted_at], np.arange(len(order) + 1))
    return _Turns(rows[sorted_at], starts)


def _ranked(network: Network, turns: _Turns, sizes: Ints, room: int, config: ForgettingConfig) -> tuple[Ints, Ints]:
    """The rows that are not kept as they are, best first, and those of them that go into general nodes.

    As few as possible are shortened. The quantile θ is pruned whenever the budget is exceeded, so that the next pass is
    not due at once; more only if the share of general nodes is too small.
    """
    rows, count = turns.rows, len(turns)
    most = int(np.ceil(count * (1 - config.theta)))
    whole_bytes = turns.added(sizes[rows])
    if not config.compress:
        kept = min(most, int(np.searchsorted(whole_bytes, room, 'right')) - 1)
        return turns.between(kept, count), rows[:0]
    short = np.where(_can_be_squeezed(network, rows), network.column('short')[rows] + _JOINT, sizes[rows])
    # A text that cannot be shortened must not become longer by the separator.
    short_bytes = turns.added(np.minimum(short, sizes[rows]))
    by_share = int(np.searchsorted(whole_bytes, room * (1 - config.compressed_share), 'right')) - 1
    as_needed = int(np.searchsorted(whole_bytes - short_bytes, room - short_bytes[most], 'right')) - 1
    whole = min(most, max(by_share, as_needed))
    kept = int(np.searchsorted(short_bytes, room - whole_bytes[whole] + short_bytes[whole], 'right')) - 1
    kept = max(whole, min(most, kept))
    # Turns that are too long for the remaining space leave it to shorter ones after them.
    left = room - int(whole_bytes[whole]) - int(short_bytes[kept] - short_bytes[whole])
    fitting = []
    seen = min(most, kept + _LOOKED_FURTHER)
    for at in range(kept, seen):
        size = int(short_bytes[at + 1] - short_bytes[at])
        if size <= left:
            left -= size
            fitting.append(at)
    squeezed = np.concatenate([turns.between(whole, kept), *(turns.between(at, at + 1) for at in fitting)])
    others = [turns.between(at, at + 1) for at in range(kept, seen) if at not in fitting]
    return np.concatenate([squeezed, *others, turns.between(seen, count)]), squeezed


def _can_be_squeezed(network: Network, rows: Ints) -> np.ndarray:
    """Valid statements that can be shortened; history keeps its own times, and general nodes are short already."""
    # Over all rows in their own order, which is faster than indexing.
    can = network.column('short') + _JOINT < network.column('sizes')
    can &= network.column('kinds') == STATEMENT
    can &= network.column('valid_to') == OPEN
    return np.asarray(can[rows], np.bool_)


def _groups(network: Network, rows: Ints, most: int) -> tuple[Ints, ...]:
    """Groups rows of one turn, or of one owner and speaker that mention the same concept, in the order of their best
    member."""
    if not len(rows):
        return ()
    shared = _dominant_concepts(network, rows)
    _, turn, counts = np.unique(network.column('turns')[rows], return_inverse=True, return_counts=True)
    # Beyond all concepts, which are rows of the network.
    shared = np.where(counts[turn] > 1, len(network) + turn, shared)
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
