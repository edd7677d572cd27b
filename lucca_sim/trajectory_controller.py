"""A joint trajectory controller like ros2_control's: it follows the newest trajectory and holds its last point.

Interpolation between points is linear, or cubic if the points have velocities; the state at the time of the command
serves as the point before the first one. Times are simulated seconds. Unlike in ros2_control, the joints catch up at a
limited speed if a trajectory arrives late, instead of jumping to the point that is due.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_LATE_S = 1e-9
_CATCH_UP_PER_S = 1.0
_SHORTEST_CATCH_UP_S = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class Trajectory:
    """A trajectory for one controller.

    Attributes:
        joints: all of the controller's joints, in any order.
        times_s: (n,) after `start_s`, increasing; the first may be 0.
        positions: (n, k) in the order of `joints`; clamped to the limits.
        velocities: (n, k), or None for straight lines between points.
        start_s: when it begins, possibly in the past; 0 means at the time of the command.
    """

    joints: Sequence[str]
    times_s: Sequence[float] | Array
    positions: Sequence[Sequence[float]] | Array
    velocities: Sequence[Sequence[float]] | Array | None = None
    start_s: float = 0.0


class TrajectoryController:
    """One controller over a fixed group of joints; positions in rad (or m), in the order of `joints`."""

    def __init__(
        self, name: str, joints: Sequence[str], limits: Mapping[str, tuple[float, float]], start: Sequence[float]
    ) -> None:
        self.name = name
        self.joints = tuple(joints)
        self._lower = np.array([limits[joint][0] for joint in self.joints])
        self._upper = np.array([limits[joint][1] for joint in self.joints])
        self._times = np.zeros(1)
        self._positions = np.clip(np.array(start, dtype=float), self._lower, self._upper)[None, :]
        self._velocities: Array | None = None

    def command(self, trajectory: Trajectory, now_s: float) -> None:
        """Replaces the present trajectory at the time `now_s`.

        Raises:
            ValueError: the joints are not the controller's, shapes do not match, numbers are not finite, times do not
                increase, or the trajectory ended before now. The present trajectory is then kept.
        """
        joints, start_s = list(trajectory.joints), trajectory.start_s
        if sorted(joints) != sorted(self.joints):
            raise ValueError(f'{self.name}: joints must be {list(self.joints)}, got {joints}')
        times = np.asarray(trajectory.times_s, dtype=float)
        points = np.asarray(trajectory.positions, dtype=float)
        if times.ndim != 1 or len(times) == 0 or points.shape != (len(times), len(self.joints)):
            raise ValueError(
                f'{self.name}: needs times (n,) and positions (n, {len(self.joints)}), '
                f'got {times.shape} and {points.shape}'
            )
        rates = None if trajectory.velocities is None else np.asarray(trajectory.velocities, dtype=float)
        if rates is not None and rates.shape != points.shape:
            raise ValueError(f'{self.name}: velocities {rates.shape} do not match positions {points.shape}')
        finite = [times, points, np.array([start_s])] + ([] if rates is None else [rates])
        if not all(np.isfinite(part).all() for part in finite):
            raise ValueError(f'{self.name}: a number of the trajectory is not finite')
        if times[0] < 0 or (np.diff(times) <= 0).any():
            raise ValueError(f'{self.name}: times must increase and not be negative, got {times.tolist()}')
        begin_s = now_s if start_s == 0 else start_s
        if begin_s + times[-1] < now_s - _LATE_S:
            raise ValueError(
                f'{self.name}: the trajectory ended at {begin_s + times[-1]:.3f} s, but it is {now_s:.3f} s'
            )
        order = [joints.index(joint) for joint in self.joints]
        points = np.clip(points[:, order], self._lower, self._upper)
        rates = None if rates is None else rates[:, order]
        times = begin_s + times
        position, velocity = self.sample(now_s)
        self._times, self._positions, self._velocities = times, points, rates
        if times[0] > now_s + _LATE_S:
            self._begin_with(now_s, position, velocity, times[0])
            return
        behind = float(np.abs(self.sample(now_s)[0] - position).max())
        if behind > 1e-6:
            joined_s = now_s + max(_SHORTEST_CATCH_UP_S, behind / _CATCH_UP_PER_S)
            self._begin_with(now_s, position, velocity, joined_s)

    def _begin_with(self, now_s: float, position: Array, velocity: Array, joined_s: float) -> None:
        """Starts from the present state, and joins the trajectory at `joined_s`."""
        due, rate = self.sample(joined_s)
        later = self._times > joined_s + _LATE_S
        if joined_s <= self._times[0] + _LATE_S and self._velocities is not None:
            rate = self._velocities[0]
        self._positions = np.vstack([position, due, self._positions[later]])
        if self._velocities is not None:
            self._velocities = np.vstack([velocity, rate, self._velocities[later]])
        self._times = np.concatenate([[now_s, joined_s], self._times[later]])

    def sample(self, time_s: float) -> tuple[Array, Array]:
        """Commanded positions and velocities (k,) at a time; outside the trajectory, the nearest end at rest."""
        times, points = self._times, self._positions
        if time_s >= times[-1]:
            return points[-1], np.zeros(len(self.joints))
        if time_s <= times[0]:
            return points[0], np.zeros(len(self.joints))
        index = int(np.searchsorted(times, time_s, side='right')) - 1
        span = times[index + 1] - times[index]
        part = (time_s - times[index]) / span
        first, second = points[index], points[index + 1]
        if self._velocities is None:
            return first + part * (second - first), (second - first) / span
        # Cubic Hermite between the two points.
        start_rate, end_rate = self._velocities[index] * span, self._velocities[index + 1] * span
        step = second - first
        square = 3 * step - 2 * start_rate - end_rate
        cube = start_rate + end_rate - 2 * step
        position = first + part * (start_rate + part * (square + part * cube))
        velocity = (start_rate + part * (2 * square + 3 * part * cube)) / span
        return np.clip(position, self._lower, self._upper), velocity

    def target(self, time_s: float) -> dict[str, float]:
        """Commanded positions at a time, by joint."""
        return dict(zip(self.joints, self.sample(time_s)[0].tolist(), strict=True))

    def is_moving(self, time_s: float) -> bool:
        """Whether the trajectory ends later than a time."""
        return bool(time_s < self._times[-1])
