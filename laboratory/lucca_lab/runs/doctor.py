"""The doctor of traces: finds what can be changed in an honest trace, from its recorded contacts and holds alone."""

import random
from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from lucca_lab.judge.traces import ContactTrack, SimulationTrace
from lucca_robot.profile import RobotProfile
from lucca_sim.scene import Scene

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]

_ALONE_M = 0.13
_STILL_MPS = 0.005
_AROUND_ROWS = 40
"""Samples before and after a change during which the robot must not touch the object."""


class NothingToDoctorError(Exception):
    """The trace has no place for this change."""


@dataclass(frozen=True)
class Doctored:
    """A trace that breaks a law. `how` says what was changed; `also` has other laws that it breaks or may break."""

    trace: SimulationTrace
    law: str
    object: str
    how: str
    also: tuple[str, ...] = ()

    def is_among(self, found: Collection[tuple[str, str]]) -> bool:
        """Whether one of these laws is reported for the object; `found` has pairs of law and object."""
        return any((law, self.object) in found for law in (self.law, *self.also))


@dataclass(frozen=True)
class Doctor:
    """Makes changes to one honest trace, with the random numbers of one draw."""

    trace: SimulationTrace
    scene: Scene
    profile: RobotProfile
    chance: random.Random

    @property
    def links(self) -> list[str]:
        """The robot's links that occur in contacts. `world` is left out, since the table has this name too."""
        track = self.trace.contacts
        assert track is not None
        return [
            link.name
            for link in self.profile.description.links
            if link.name in track.body_names and link.name != 'world'
        ]

    def an_object(self) -> str:
        """Any object."""
        return self.chance.choice(self.trace.object_names)

    def lying(self, rows: int, *, alone: bool = False) -> tuple[str, Rows]:
        """An object, and `rows` samples in a row during which it lies still and the robot does not touch it.

        With `alone`, no other object is near it either.

        Raises:
            NothingToDoctorError: there is no such object.
        """
        names = list(self.trace.object_names)
        self.chance.shuffle(names)
        for name in names:
            free = self._untouched(name)
            if alone:
                free &= self._nearest_m(name) > _ALONE_M
            starts = np.flatnonzero(_all_of(free, rows))
            # The first second is left out: objects start slightly above the table.
            starts = starts[starts >= 50]
            if len(starts):
                start = int(self.chance.choice(starts.tolist()))
                return name, np.arange(start, start + rows)
        raise NothingToDoctorError(f'nothing lies still for {rows} samples')

    def hold(self, least: int) -> tuple[str, str, int, int]:
        """An object, the hand that holds it, and the half-open range of samples of a hold with at least `least`
        samples.

        Raises:
            NothingToDoctorError: there is no such hold.
        """
        found = []
        for column, name in enumerate(self.trace.object_names):
            held = np.concatenate([[False], self.trace.held_by[:, column] != '', [False]])
            edges = np.flatnonzero(np.diff(held.astype(int)))
            for first, last in zip(edges[::2], edges[1::2], strict=True):
                if last - first >= least:
                    found.append((name, str(self.trace.held_by[first, column]), int(first), int(last)))
        if not found:
            raise NothingToDoctorError(f'nothing is held for {least} samples')
        return self.chance.choice(found)

    def flat(self, low_m: float, high_m: float) -> Floats:
        """A displacement (3,) along the table, with a drawn direction and length."""
        angle, length = self.chance.uniform(0, 2 * np.pi), self.chance.uniform(low_m, high_m)
        return length * np.array((np.cos(angle), np.sin(angle), 0.0))

    def moved(self, name: str, rows: Rows, offsets_m: Floats) -> SimulationTrace:
        """The trace with offsets (n, 3) added to an object's positions; its linear velocities are adapted."""
        positions, column = self.trace.object_positions_m.copy(), self.trace.index_of(name)
        positions[rows, column] += offsets_m
        return self._following(positions, column)

    def _following(self, positions: Floats, column: int) -> SimulationTrace:
        velocities = self.trace.object_velocities.copy()
        velocities[:, column, :3] = np.gradient(positions[:, column], self.trace.time_s, axis=0)
        return replace(self.trace, object_positions_m=positions, object_velocities=velocities)

    def at(self, name: str, rows: Rows, positions_m: Floats) -> SimulationTrace:
        """The trace with an object at other positions (n, 3); its linear velocities are adapted."""
        positions, column = self.trace.object_positions_m.copy(), self.trace.index_of(name)
        positions[rows, column] = positions_m
        return self._following(positions, column)

    def _untouched(self, name: str) -> npt.NDArray[np.bool_]:
        """(n,), true where an object lies still, untouched by the robot, for some time around the sample."""
        column = self.trace.index_of(name)
        still = self.trace.object_speeds_mps[:, column] < _STILL_MPS
        still &= self.trace.held_by[:, column] == ''
        track = self.trace.contacts
        assert track is not None
        of_robot = np.isin(track.body_names, self.links)
        mine = (track.bodies == track.body_names.index(name)).any(axis=1) & of_robot[track.bodies].any(axis=1)
        still[track.rows[mine]] = False
        wide = np.convolve(~still, np.ones(2 * _AROUND_ROWS + 1), 'same') > 0
        return np.asarray(~wide)

    def _nearest_m(self, name: str) -> Floats:
        """(n,), distance between the centres of an object and the nearest other object."""
        column = self.trace.index_of(name)
        places = self.trace.object_positions_m
        ways = np.linalg.norm(places - places[:, column : column + 1], axis=2)
        ways[:, column] = np.inf
        return np.asarray(ways.min(axis=1))


def _all_of(mask: npt.NDArray[np.bool_], rows: int) -> npt.NDArray[np.bool_]:
    """(n - rows + 1,), true where the mask is true for `rows` samples in a row."""
    sums = np.concatenate([[0], np.cumsum(mask)])
    return np.asarray(sums[rows:] - sums[:-rows] == rows) if len(mask) >= rows else np.zeros(0, dtype=bool)


def there_and_back(count: int) -> Floats:
    """A smooth course from 0 to 1 and back (n, 1)."""
    return np.asarray((0.5 - 0.5 * np.cos(2 * np.pi * np.linspace(0, 1, count)))[:, None])


def there(count: int) -> Floats:
    """A smooth course from 0 to 1 (n, 1)."""
    return np.asarray((0.5 - 0.5 * np.cos(np.pi * np.linspace(0, 1, count)))[:, None])


def with_rows(trace: SimulationTrace, rows: Rows) -> SimulationTrace:
    """The trace with only some of its samples, in the order given."""
    return replace(
        trace,
        time_s=trace.time_s[rows],
        object_positions_m=trace.object_positions_m[rows],
        object_orientations_wxyz=trace.object_orientations_wxyz[rows],
        object_velocities=trace.object_velocities[rows],
        joint_positions_rad=trace.joint_positions_rad[rows],
        held_by=trace.held_by[rows],
        hand_asked=trace.hand_asked[rows],
        hand_measured=trace.hand_measured[rows],
        contacts=_with_contact_rows(trace.contacts, rows),
    )


def _with_contact_rows(track: ContactTrack | None, rows: Rows) -> ContactTrack | None:
    if track is None:
        return None
    parts = [np.flatnonzero(track.rows == row) for row in rows]
    keep = np.concatenate(parts) if parts else np.zeros(0, dtype=int)
    new = np.concatenate([np.full(len(part), row) for row, part in enumerate(parts)]).astype(np.int32)
    return ContactTrack(
        track.body_names, new, track.bodies[keep], track.normals[keep], track.depths_m[keep], track.forces_n[keep]
    )
