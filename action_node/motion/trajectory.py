"""Smooth trajectories through waypoints in joint space, within all speed limits.

Straight segments at their highest allowed speed are smoothed by two moving averages. An average of velocities exceeds
none of them, so joint speeds stay within their limits. The tool's speed is measured afterwards, and the whole
trajectory is slowed down if it is too fast.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from action_node.motion.motion_plan import MotionSegment

Array = NDArray[np.float64]

_GRID_S = 0.01


def smooth_trajectory(
    name: str,
    controller: str,
    joints: tuple[str, ...],
    waypoints: Array,
    *,
    joint_speeds: Array,
    smoothing_s: float,
    sample_s: float,
    dwell_s: float = 0.0,
    tool_path: Callable[[Array], Array] | None = None,
    tool_speed_mps: float = np.inf,
) -> MotionSegment:
    """A segment through waypoints (n, k) from rest to rest; corners are rounded within the smoothing time.

    Args:
        name, controller, joints: fields of the segment.
        waypoints: (n, k) joint positions; the first is the present one.
        joint_speeds: (k,) largest speeds.
        smoothing_s: time over which velocities are averaged.
        sample_s: time between the points of the segment.
        dwell_s: rest added at the end.
        tool_path: positions (n, 3) of the tool in m for joint positions (n, k); None if no tool moves.
        tool_speed_mps: largest speed of the tool.
    """
    waypoints = _without_repeats(np.asarray(waypoints, dtype=float))
    if len(waypoints) == 1:
        ends = np.array([0.0, max(dwell_s, sample_s)])
        return MotionSegment(
            name, controller, joints, ends, np.repeat(waypoints, 2, axis=0), np.zeros((2, len(joints)))
        )
    steps = np.diff(waypoints, axis=0)
    durations = (np.abs(steps) / joint_speeds).max(axis=1)
    if tool_path is not None:
        travel = np.linalg.norm(np.diff(tool_path(waypoints), axis=0), axis=1)
        durations = np.maximum(durations, travel / tool_speed_mps)
    durations = np.maximum(durations, 1e-3)
    positions, velocities = _smoothed(waypoints, durations, smoothing_s)
    times: Array = np.arange(len(positions), dtype=np.float64) * _GRID_S
    if tool_path is not None:
        fastest = np.linalg.norm(np.diff(tool_path(positions), axis=0), axis=1).max() / _GRID_S
        stretch = max(1.0, float(fastest) / tool_speed_mps)
        times = times * stretch
        velocities = velocities / stretch
    return _sampled(name, controller, joints, times, positions, velocities, sample_s, dwell_s)


def positions_at(segment: MotionSegment, times_s: Array) -> Array:
    """Joint positions (m, k) of a segment at times (m,), by the cubic through its points."""
    times = np.clip(times_s, 0.0, segment.times_s[-1])
    index = np.clip(np.searchsorted(segment.times_s, times, side='right') - 1, 0, len(segment.times_s) - 2)
    span = (segment.times_s[index + 1] - segment.times_s[index])[:, None]
    u = (times - segment.times_s[index])[:, None] / span
    first, second = segment.positions[index], segment.positions[index + 1]
    start, end = segment.velocities[index] * span, segment.velocities[index + 1] * span
    result: Array = (
        (2 * u**3 - 3 * u**2 + 1) * first
        + (u**3 - 2 * u**2 + u) * start
        + (-2 * u**3 + 3 * u**2) * second
        + (u**3 - u**2) * end
    )
    return result


def line(first: Array, second: Array, largest_step: float) -> list[Array]:
    """Points on the line between two joint positions, without the first, at most `largest_step` apart in any joint."""
    count = max(1, int(np.ceil(np.abs(second - first).max() / largest_step)))
    return [first + (second - first) * (index / count) for index in range(1, count + 1)]


def _without_overshoot(times: Array, positions: Array, velocities: Array) -> Array:
    """Velocities for which the cubic between two points stays between them (bound by Fritsch and Carlson).

    A joint that moves to its limit therefore never exceeds it.
    """
    slopes = np.diff(positions, axis=0) / np.diff(times)[:, None]
    inner = np.minimum(np.abs(slopes[:-1]), np.abs(slopes[1:])) * (slopes[:-1] * slopes[1:] > 0)
    bound = np.vstack([np.zeros_like(slopes[:1]), 3.0 * inner, np.zeros_like(slopes[:1])])
    limited: Array = np.clip(velocities, -bound, bound)
    return limited


def _without_repeats(waypoints: Array) -> Array:
    keep = np.concatenate([[True], np.abs(np.diff(waypoints, axis=0)).max(axis=1) > 1e-6])
    kept: Array = waypoints[keep]
    return kept


def _smoothed(waypoints: Array, durations: Array, smoothing_s: float) -> tuple[Array, Array]:
    """Positions and velocities on a fine time grid, from rest to rest."""
    ends = np.concatenate([[0.0], np.cumsum(durations)])
    count = int(np.ceil(ends[-1] / _GRID_S))
    grid = np.linspace(0.0, ends[-1], count + 1)
    raw = np.column_stack([np.interp(grid, ends, column) for column in waypoints.T])
    # Rounding up the count makes the grid slightly finer than its nominal step, so that playback is slightly slower.
    long, short = (max(1, round(share * smoothing_s / _GRID_S)) for share in (2 / 3, 1 / 3))
    pad = long + short
    raw = np.vstack([np.repeat(raw[:1], pad, axis=0), raw, np.repeat(raw[-1:], pad, axis=0)])
    kernel = np.convolve(np.ones(long) / long, np.ones(short) / short)
    positions = np.column_stack([np.convolve(column, kernel, mode='valid') for column in raw.T])
    positions[0], positions[-1] = waypoints[0], waypoints[-1]
    velocities = np.gradient(positions, _GRID_S, axis=0)
    velocities[0] = velocities[-1] = 0.0
    return positions, velocities


def _sampled(
    name: str,
    controller: str,
    joints: tuple[str, ...],
    times: Array,
    positions: Array,
    velocities: Array,
    sample_s: float,
    dwell_s: float,
) -> MotionSegment:
    stride = max(1, round(sample_s / float(times[1] - times[0])))
    keep = np.arange(0, len(times), stride)
    if keep[-1] != len(times) - 1:
        keep = np.append(keep, len(times) - 1)
    times, positions = times[keep], positions[keep]
    velocities = _without_overshoot(times, positions, velocities[keep])
    if dwell_s > 0:
        times = np.append(times, times[-1] + dwell_s)
        positions = np.vstack([positions, positions[-1:]])
        velocities = np.vstack([velocities, np.zeros_like(velocities[-1:])])
    return MotionSegment(name, controller, joints, times, positions, velocities)
