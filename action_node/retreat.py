"""The way home for a motion that was broken off: along its own path, which was checked for collisions already.

Before the release the arm goes back the way it came, so that what it carried stands again where it was taken; after the
release it goes on to the end. No planning is needed, and nothing else stands in the way than did a moment before.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from action_node.motion.plan import Segment
from action_node.trajectory import Array, Path

SEARCH_S, SEARCH_POINTS = 0.025, 100
"""The place on the path is looked for at least this often, in time and in all."""
TAKEN_BACK_S = 0.025
THERE_RAD = 0.005


def way_home(
    segments: Sequence[Segment],
    broken_off: int,
    release: int | None,
    joints: Mapping[str, float],
    *,
    ramp_s: float,
    near_rad: float | None,
) -> tuple[Segment, ...] | None:
    """The segments that bring the arms home from within segment `broken_off`; None if the joints are not on its path.

    Args:
        segments: the whole motion.
        broken_off: index of the segment under way.
        release: index of the segment that lets go of what is carried; None if nothing is: then the shorter way is taken.
        joints: measured positions.
        ramp_s: time to come to full speed.
        near_rad: an arm, which has come to rest, counts as on the path within this. None for a hand: what it holds keeps it
            from its path, and it may not yet have begun what it was told.
    """
    segment = segments[broken_off]
    if any(name not in joints for name in segment.joints):
        return None
    path = path_of(segment)
    measured = np.array([joints[name] for name in segment.joints])
    times = np.linspace(0.0, path.duration_s, max(SEARCH_POINTS, int(path.duration_s / SEARCH_S) + 2))
    distances = [float(np.abs(path.at(float(time_s))[0] - measured).max()) for time_s in times]
    best = int(np.argmin(distances))
    reached_s = float(times[best])
    if near_rad is not None and distances[best] > near_rad:
        return None
    ahead_s = path.duration_s - reached_s + sum(item.duration_s for item in segments[broken_off + 1 :])
    behind_s = reached_s + sum(item.duration_s for item in segments[:broken_off])
    forward = broken_off >= release if release is not None else ahead_s < behind_s
    if forward:
        rest = () if _at_end(path, measured) else (_piece(segment, path, reached_s, ramp_s, 'on'),)
        return (*rest, *segments[broken_off + 1 :])
    before = tuple(_with_path(item, reversed_path(path_of(item)), 'back') for item in segments[:broken_off][::-1])
    back = reversed_path(path)
    if near_rad is None:
        # Though nothing may have moved yet: what was sent last has to be taken back.
        reached_s = max(reached_s, min(TAKEN_BACK_S, path.duration_s))
    elif _at_end(back, measured):
        return before
    return (_piece(segment, back, path.duration_s - reached_s, ramp_s, 'back'), *before)


def path_of(segment: Segment) -> Path:
    """The path of a segment."""
    return Path(
        np.asarray(segment.times_s, float), np.asarray(segment.positions, float), np.asarray(segment.velocities, float)
    )


def reversed_path(path: Path) -> Path:
    """The same path, from its end to its beginning."""
    return Path(path.duration_s - path.times_s[::-1], path.positions[::-1], -path.velocities[::-1])


def _at_end(path: Path, measured: Array) -> bool:
    return bool(np.abs(path.positions[-1] - measured).max() < THERE_RAD)


def _piece(segment: Segment, path: Path, from_s: float, ramp_s: float, how: str) -> Segment:
    return _with_path(segment, path.resumed(from_s, ramp_s), how)


def _with_path(segment: Segment, path: Path, how: str) -> Segment:
    return replace(
        segment,
        name=f'{segment.name}, {how}',
        times_s=path.times_s,
        positions=path.positions,
        velocities=path.velocities,
    )
