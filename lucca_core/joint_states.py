"""Joint positions merged from messages with some of the joints each, as several controllers of one robot send them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

CLOCK_BACK_S = 1.0
"""A stamp this much older than the newest one means that the clock was reset; up to this, that publishers differ."""
APART, FASTER = 0.1, 2.0
"""Two positions of a joint, in rad or m, are of one robot if they differ by at most the first, and by the way that it
goes at so many times its greatest speed in the time between them."""


@dataclass(frozen=True, slots=True)
class Joints:
    """Positions of all joints that are not stale, with the stamp of each.

    `stamp_s` and `received_s` belong to the newest message. `not_finite`: the joints whose newest position is NaN or
    infinite; they have no position here. `contradictions`: joints that were measured at two places at nearly the same
    time, as by two publishers that disagree; the text says where.
    """

    stamp_s: float
    received_s: float
    positions: Mapping[str, float]
    stamps_s: Mapping[str, float]
    not_finite: frozenset[str] = frozenset()
    contradictions: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class JointMerge:
    """Merges messages by joint, without stale positions. Not safe for several threads.

    A joint is stale if it is more than `oldest_s` older than the newest message, both by stamp and by time of arrival.
    It takes both because a simulation may run faster than real time. A contradiction is told for that long.

    `speeds`: greatest speeds of joints, in rad/s or m/s; only these can contradict themselves.
    `endless`: joints whose positions may be told without whole turns; the one nearest to the last is kept, so that 3.1
    rad is followed by 3.2 rad where a driver says -3.1 rad. Whoever moves such a joint tells its controller positions
    of this kind, too: they go on from the last ones, and a controller of a continuous joint ignores whole turns.
    """

    oldest_s: float
    speeds: Mapping[str, float] = field(default_factory=dict)
    endless: frozenset[str] = frozenset()
    _joints: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    _turned: dict[str, float] = field(default_factory=dict)
    """The last finite positions of endless joints, kept when they are stale: a path may still be held there."""
    _contradictions: dict[str, tuple[float, str]] = field(default_factory=dict)
    _newest_s: float = float('-inf')
    _received_s: float = 0.0

    def add(self, stamp_s: float, received_s: float, positions: Mapping[str, float]) -> None:
        """Adds a message. The latest position of each joint wins, finite or not."""
        if stamp_s < self._newest_s - CLOCK_BACK_S:
            self._joints.clear()
            self._contradictions.clear()
            self._newest_s = stamp_s
        self._newest_s, self._received_s = max(self._newest_s, stamp_s), received_s
        for name, position in positions.items():
            known = self._joints.get(name)
            if name in self.endless and math.isfinite(position):
                self._turned[name] = position = _beside(self._turned.get(name, position), position)
            if known is not None and name in self.speeds:
                # Of two publishers, one may always be a little behind.
                gap_s = stamp_s - known[0]
                if abs(position - known[2]) > APART + FASTER * self.speeds[name] * abs(gap_s):
                    when = f'{abs(gap_s):.3f} s {"earlier" if gap_s < 0 else "later"}'
                    said = f'{name} at {known[2]:.2f} and {when} at {position:.2f}'
                    self._contradictions[name] = (received_s, said)
            if known is None or stamp_s >= known[0]:
                self._joints[name] = (stamp_s, received_s, position)
        stale = [name for name, (stamp_s, at_s, _) in self._joints.items() if self._is_stale(stamp_s, at_s)]
        for name in stale:
            del self._joints[name]

    def merged(self) -> Joints | None:
        """The current positions, or None before the first message."""
        if self._newest_s == float('-inf'):
            return None
        positions = {name: position for name, (_, _, position) in self._joints.items() if math.isfinite(position)}
        stamps_s = {name: self._joints[name][0] for name in positions}
        not_finite = frozenset(self._joints.keys() - positions.keys())
        told = {
            name: said
            for name, (at_s, said) in self._contradictions.items()
            if self._received_s - at_s <= self.oldest_s
        }
        return Joints(self._newest_s, self._received_s, positions, stamps_s, not_finite, told)

    def _is_stale(self, stamp_s: float, received_s: float) -> bool:
        return min(self._newest_s - stamp_s, self._received_s - received_s) > self.oldest_s


def _beside(known: float, position: float) -> float:
    """A position, changed by whole turns, that is nearest to a known one; both in rad."""
    if abs(position - known) <= math.pi:
        return position
    return known + math.remainder(position - known, math.tau)


def positions_at(memory: Sequence[Joints], stamp_s: float) -> tuple[dict[str, float], float]:
    """Positions of all joints at a time, and the distance in time to the nearest message, in s.

    Positions are interpolated linearly between two messages. Before the first message and after the last one, the
    joints are taken to stand still.

    Raises:
        ValueError: `memory` is empty.
    """
    if not memory:
        raise ValueError('there are no joint states')
    nearest = min(memory, key=lambda joints: abs(joints.stamp_s - stamp_s))
    away_s = abs(nearest.stamp_s - stamp_s)
    before = max((item for item in memory if item.stamp_s <= stamp_s), key=lambda item: item.stamp_s, default=None)
    after = min((item for item in memory if item.stamp_s >= stamp_s), key=lambda item: item.stamp_s, default=None)
    if before is None or after is None or after.stamp_s <= before.stamp_s:
        return dict(nearest.positions), away_s
    share = (stamp_s - before.stamp_s) / (after.stamp_s - before.stamp_s)
    both = before.positions.keys() & after.positions.keys()
    between = {name: before.positions[name] + share * (after.positions[name] - before.positions[name]) for name in both}
    return {**nearest.positions, **between}, away_s
