"""A timed path of a group of joints, and the chunks of it that are sent to a controller."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


FROM_REST, TURNING = 1.5, 1.5 * 2**0.5
"""The greatest speed of a cubic that ends at rest, over its mean speed: from rest; and the ratio at which a joint that
begins at that speed away from the end comes back no faster."""
LEAST_PACE = 0.2
"""Least pace, in rad/s, at which a joint is brought back: one that rests on the path has no pace of its own."""


@dataclass(frozen=True, slots=True, eq=False)
class JointPath:
    """A path with cubic interpolation: increasing times (n,) in s, none negative; positions and velocities (n, k).

    Raises:
        ValueError: shapes differ, a number is not finite, or times do not increase.
    """

    times_s: Array
    positions: Array
    velocities: Array

    def __post_init__(self) -> None:
        count = self.times_s.shape[0] if self.times_s.ndim == 1 else 0
        if count < 1 or self.positions.ndim != 2 or self.positions.shape[0] != count:
            raise ValueError(f'{self.times_s.shape} times do not fit positions of shape {self.positions.shape}')
        if self.velocities.shape != self.positions.shape:
            raise ValueError(f'velocities {self.velocities.shape} must have the shape {self.positions.shape}')
        if not all(np.isfinite(item).all() for item in (self.times_s, self.positions, self.velocities)):
            raise ValueError('a path holds a number that is not finite')
        if self.times_s[0] < 0 or (np.diff(self.times_s) <= 0).any():
            raise ValueError(f'times must rise from 0 or later, got {self.times_s[:5]}')

    @property
    def duration_s(self) -> float:
        """Time of the last knot."""
        return float(self.times_s[-1])

    def at(self, time_s: float) -> tuple[Array, Array]:
        """Position and velocity (k,) at a time; outside the path, the nearest end at rest."""
        times = self.times_s
        if time_s <= times[0] or len(times) == 1:
            return self.positions[0], self.velocities[0] * (time_s == times[0])
        if time_s >= times[-1]:
            return self.positions[-1], self.velocities[-1] * (time_s == times[-1])
        after = int(np.searchsorted(times, time_s, side='right'))
        h = float(times[after] - times[after - 1])
        u = (time_s - float(times[after - 1])) / h
        p0, p1 = self.positions[after - 1], self.positions[after]
        m0, m1 = self.velocities[after - 1] * h, self.velocities[after] * h
        position = (
            (2 * u**3 - 3 * u**2 + 1) * p0
            + (u**3 - 2 * u**2 + u) * m0
            + (-2 * u**3 + 3 * u**2) * p1
            + (u**3 - u**2) * m1
        )
        velocity = (
            (6 * u**2 - 6 * u) * p0 + (3 * u**2 - 4 * u + 1) * m0 + (6 * u - 6 * u**2) * p1 + (3 * u**2 - 2 * u) * m1
        ) / h
        return position, velocity

    def time_from(self, at_s: float, place: Array, *, turning: bool = False) -> float:
        """Time in s in which an arm comes from where it is at a time to a place (k,), on a cubic.

        No joint is faster than it is on the path, or than LEAST_PACE. It begins at rest, or with `turning` at any speed
        of the path, also away from the place.
        """
        paces = np.maximum(LEAST_PACE, np.abs(self.velocities).max(axis=0))
        return (TURNING if turning else FROM_REST) * float((np.abs(self.at(at_s)[0] - place) / paces).max())

    def greatest_speeds(self, from_s: float = -math.inf, to_s: float = math.inf) -> Array:
        """Greatest speeds (k,) of the knots between two times and of those around them."""
        first = max(0, int(np.searchsorted(self.times_s, from_s, side='right')) - 1)
        last = int(np.searchsorted(self.times_s, to_s))
        greatest: Array = np.abs(self.velocities[first : last + 1]).max(axis=0)
        return greatest

    def time_to_rest(self, at_s: float, place: Array, speeds: Array, accelerations: Array) -> float:
        """Time in s in which an arm comes to rest at a place (k,) on a cubic, within accelerations (k,).

        It begins where it is at a time, at up to these speeds (k,), also away from the place.
        """
        ways = np.abs(self.at(at_s)[0] - place)
        # A cubic accelerates most at its begin, by up to 6 way / time**2 + 4 speed / time.
        times = (2 * speeds + np.sqrt(4 * speeds**2 + 6 * accelerations * ways)) / accelerations
        return float(times.max())

    def chunk(self, from_s: float, to_s: float, brake_s: float) -> 'JointPath':
        """The knots between two times, with the knot before them and an end at rest at `to_s`.

        With the knot before, an interpolating controller is on the path at once. The arm comes to rest at the end if no
        further chunk follows, along the path and within `brake_s`; see `resting_time`.
        """
        path = self if to_s >= self.duration_s else self._braked(to_s, brake_s)
        first = max(0, int(np.searchsorted(path.times_s, from_s, side='right')) - 1)
        velocities = path.velocities[first:].copy()
        velocities[-1] = 0.0
        return JointPath(path.times_s[first:], path.positions[first:], velocities)

    def resting_time(self, to_s: float, brake_s: float) -> float:
        """When the arm would be, without braking, where a chunk to a time comes to rest."""
        return to_s if to_s >= self.duration_s else to_s - min(brake_s, to_s) / 2

    def _braked(self, to_s: float, brake_s: float) -> 'JointPath':
        """The path up to a time, along which the arm comes to rest at a constant rate in the last `brake_s`."""
        brake_s = min(brake_s, to_s)
        begin, speed = self.at(to_s - brake_s)
        before, rest_s = self.times_s < to_s - brake_s - 1e-3, self.resting_time(to_s, brake_s)
        # Knots very near the end are left out, because their times would be too close together.
        within = (self.times_s > to_s - brake_s + 1e-3) & (2 * brake_s * (rest_s - self.times_s) > 1e-6)
        taken = np.sqrt(2 * brake_s * (rest_s - self.times_s[within]))
        end, _ = self.at(rest_s)
        return JointPath(
            np.concatenate([self.times_s[before], [to_s - brake_s], to_s - taken, [to_s]]),
            np.vstack([self.positions[before], begin, self.positions[within], end]),
            np.vstack(
                [
                    self.velocities[before],
                    speed,
                    self.velocities[within] * (taken / brake_s)[:, None],
                    np.zeros_like(end),
                ]
            ),
        )

    def resumed(self, at_s: float, ramp_s: float) -> 'JointPath':
        """The rest of the path from `at_s` on; it starts at rest, at time 0, and reaches full speed after `ramp_s`."""
        position, _ = self.at(at_s)
        keep = self.times_s > at_s + 1e-6
        left = self.times_s[keep] - at_s
        ramping = left < ramp_s / 2
        taken = np.where(ramping, np.sqrt(2 * ramp_s * left), left + ramp_s / 2)
        rate = np.where(ramping, taken / ramp_s, 1.0)
        return JointPath(
            np.concatenate([[0.0], taken]),
            np.vstack([position, self.positions[keep]]),
            np.vstack([np.zeros_like(position), self.velocities[keep] * rate[:, None]]),
        )
