"""Ways to doctor a trace; velocities follow the new positions, so that only the law in question is broken."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lucca_lab.judge.traces import ContactTrack, SimulationTrace
from lucca_lab.runs.doctor import with_rows


def rows_between(trace: SimulationTrace, first_s: float, last_s: float) -> np.ndarray:
    """Numbers of the samples between two times."""
    return np.flatnonzero((trace.time_s >= first_s) & (trace.time_s <= last_s))


def moved(trace: SimulationTrace, name: str, offsets_m: np.ndarray, rows: np.ndarray) -> SimulationTrace:
    """Adds offsets (n, 3) to an object's positions at some samples, its velocities following."""
    positions = trace.object_positions_m.copy()
    positions[rows, trace.index_of(name)] += offsets_m
    return following(replace(trace, object_positions_m=positions), name)


def following(trace: SimulationTrace, name: str) -> SimulationTrace:
    """The trace with an object's recorded linear velocities as its positions have them."""
    velocities, column = trace.object_velocities.copy(), trace.index_of(name)
    velocities[:, column, :3] = np.gradient(trace.object_positions_m[:, column], trace.time_s, axis=0)
    return replace(trace, object_velocities=velocities)


def there_and_back(rows: np.ndarray, way_m: tuple[float, float, float]) -> np.ndarray:
    """Offsets that grow smoothly to a way and go back."""
    part = 0.5 - 0.5 * np.cos(2 * np.pi * np.linspace(0, 1, len(rows)))
    return part[:, None] * np.array(way_m)


def hop(trace: SimulationTrace, rows: np.ndarray, height_m: float) -> np.ndarray:
    """Offsets of a hop: up with the speed that reaches a height, and down by gravity."""
    time_s = trace.time_s[rows] - trace.time_s[rows[0]]
    speed = np.sqrt(2 * 9.81 * height_m)
    heights = np.maximum(0.0, speed * time_s - 0.5 * 9.81 * time_s**2)
    return np.column_stack([np.zeros_like(heights), np.zeros_like(heights), heights])


def held(trace: SimulationTrace, name: str, side: str, rows: np.ndarray) -> SimulationTrace:
    """The trace that says that a hand holds an object at some samples."""
    held_by = trace.held_by.astype('<U8')
    held_by[rows, trace.index_of(name)] = side
    return replace(trace, held_by=held_by)


def first_hold(trace: SimulationTrace, name: str) -> np.ndarray:
    """Samples of the first time that a hand holds an object."""
    mask = trace.attached[:, trace.index_of(name)]
    first = int(np.argmax(mask))
    return np.arange(first, first + int(np.argmin(mask[first:])))


def without_contacts(trace: SimulationTrace, keep: np.ndarray) -> SimulationTrace:
    """The trace with only some rows of its contacts."""
    track = trace.contacts
    assert track is not None
    left = ContactTrack(
        track.body_names,
        track.rows[keep],
        track.bodies[keep],
        track.normals[keep],
        track.depths_m[keep],
        track.forces_n[keep],
    )
    return replace(trace, contacts=left)


def with_joint(trace: SimulationTrace, name: str, rows: np.ndarray, positions: np.ndarray | float) -> SimulationTrace:
    """The trace with other positions of one joint."""
    joints = trace.joint_positions_rad.copy()
    joints[rows, trace.joint_names.index(name)] = positions
    return replace(trace, joint_positions_rad=joints)


def with_jobs(trace: SimulationTrace, starts_s: Sequence[float], jobs: Sequence[int]) -> SimulationTrace:
    """The trace with only these of its jobs, in this order; each job begins and ends with the arms at home."""
    edges = [*np.searchsorted(trace.time_s, starts_s).tolist(), len(trace.time_s)]
    rows = np.concatenate([np.arange(edges[0]), *(np.arange(edges[job], edges[job + 1]) for job in jobs)])
    return replace(with_rows(trace, rows), time_s=0.02 * np.arange(len(rows)))
