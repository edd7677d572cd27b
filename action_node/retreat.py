"""The retreat from an interrupted motion: home along its own path, which was already checked for collisions.

Before the release, the arm goes back the way it came, so that the object is put back where it was taken. After the
release, it goes on to the end. No planning is needed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from action_node.motion.motion_plan import MotionSegment
from action_node.stop.joint_path import Array, JointPath

SEARCH_S, SEARCH_POINTS = 0.025, 100
"""Sampling of the path when searching for the arm's place on it: largest interval, and least number of samples."""
TAKEN_BACK_S = 0.025
THERE = 0.005
"""Largest distance from the end of a path at which it is complete: in rad, or as a fraction of `JointTravel.unit`."""


def way_home(
    segments: Sequence[MotionSegment],
    broken_off: int,
    release: int | None,
    joints: Mapping[str, float],
    *,
    ramp_s: float,
    near_rad: float | None,
    units: Array | float = 1.0,
    own_pace: bool = False,
) -> tuple[MotionSegment, ...] | None:
    """The segments that bring the arms home from within segment `broken_off`; None if the joints are not on its path.

    Args:
        segments: the whole motion.
        broken_off: index of the interrupted segment.
        release: index of the segment that releases the carried object; None if nothing is carried, which takes the
            shorter way.
        joints: measured positions.
        ramp_s: time to reach full speed.
        near_rad: distance within which an arm at rest counts as on the path. None for a hand, which may be off its path
            because of what it holds, or may not have started yet.
        units: of distances of the joints of that segment, in rad or m.
        own_pace: that segment moves a hand at its own pace, so its goal is sent again whatever is measured.
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
        if own_pace:
            reached_s = min(reached_s, max(0.0, path.duration_s - TAKEN_BACK_S))
        completed = not own_pace and _at_end(path, measured, units)
        rest = () if completed else (_piece(segment, path, reached_s, ramp_s, 'on'),)
        return (*rest, *segments[broken_off + 1 :])
    before = tuple(_with_path(item, reversed_path(path_of(item)), 'back') for item in segments[:broken_off][::-1])
    back = reversed_path(path)
    if near_rad is None:
        # Even if nothing has moved yet, the last command sent has to be reverted.
        reached_s = max(reached_s, min(TAKEN_BACK_S, path.duration_s))
    elif _at_end(back, measured, units):
        return before
    return (_piece(segment, back, path.duration_s - reached_s, ramp_s, 'back'), *before)


def path_of(segment: MotionSegment) -> JointPath:
    """The path of a segment."""
    return JointPath(
        np.asarray(segment.times_s, float), np.asarray(segment.positions, float), np.asarray(segment.velocities, float)
    )


def reversed_path(path: JointPath) -> JointPath:
    """The same path, from its end to its beginning."""
    return JointPath(path.duration_s - path.times_s[::-1], path.positions[::-1], -path.velocities[::-1])


def _at_end(path: JointPath, measured: Array, units: Array | float) -> bool:
    return bool((np.abs(path.positions[-1] - measured) / units).max() < THERE)


def _piece(segment: MotionSegment, path: JointPath, from_s: float, ramp_s: float, how: str) -> MotionSegment:
    return _with_path(segment, path.resumed(from_s, ramp_s), how)


def _with_path(segment: MotionSegment, path: JointPath, how: str) -> MotionSegment:
    return replace(
        segment,
        name=f'{segment.name}, {how}',
        times_s=path.times_s,
        positions=path.positions,
        velocities=path.velocities,
    )
