"""Doctored traces of the pointing task: fingers that come too early, again, never, or beside the object."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from doctoring import moved, with_jobs, with_joint

from lucca_lab.judge.traces import SimulationTrace

Doctor = Callable[[SimulationTrace, Sequence[float]], SimulationTrace]

JOBS = ('banana', 'lemon', 'apple', 'can')
"""The order in which the honest run points; the first two have to come before the last two."""


def jobs(*names: str) -> Doctor:
    """The jobs of these objects in this order."""
    return lambda trace, starts_s: with_jobs(trace, starts_s, [JOBS.index(name) for name in names])


def aside(name: str, way_m: tuple[float, float, float]) -> Doctor:
    """The object lies elsewhere for the whole run."""

    def doctor(trace: SimulationTrace, starts_s: Sequence[float]) -> SimulationTrace:
        return moved(trace, name, np.tile(way_m, (len(trace.time_s), 1)), np.arange(len(trace.time_s)))

    return doctor


def trading_places(name: str, other: str) -> Doctor:
    """One object is where the other should be, for the whole run."""

    def doctor(trace: SimulationTrace, starts_s: Sequence[float]) -> SimulationTrace:
        columns = [trace.index_of(name), trace.index_of(other)]
        positions = trace.object_positions_m.copy()
        positions[:, columns] = positions[:, columns[::-1]]
        return replace(trace, object_positions_m=positions)

    return doctor


def with_open_hand(name: str) -> Doctor:
    """The middle finger is stretched, too, while the hand is at the object: a hand that points has only one out."""

    def doctor(trace: SimulationTrace, starts_s: Sequence[float]) -> SimulationTrace:
        edges = [*np.searchsorted(trace.time_s, starts_s).tolist(), len(trace.time_s)]
        job = JOBS.index(name)
        rows = np.arange(edges[job], edges[job + 1])
        for joint in ('l_jointM1', 'l_jointM2', 'l_jointM3', 'r_jointM1', 'r_jointM2', 'r_jointM3'):
            trace = with_joint(trace, joint, rows, 0.0)
        return trace

    return doctor


def with_bent_finger(name: str) -> Doctor:
    """The finger that points hangs down by half a radian."""

    def doctor(trace: SimulationTrace, starts_s: Sequence[float]) -> SimulationTrace:
        edges = [*np.searchsorted(trace.time_s, starts_s).tolist(), len(trace.time_s)]
        job = JOBS.index(name)
        rows = np.arange(edges[job], edges[job + 1])
        return with_joint(with_joint(trace, 'l_jointI1', rows, 0.5), 'r_jointI1', rows, 0.5)

    return doctor


DOCTORED_POINTING: list[tuple[str, str, Doctor]] = [
    ('order', 'apple', jobs('apple', 'banana', 'lemon', 'can')),
    ('order', 'can', jobs('banana', 'can', 'lemon', 'apple')),
    ('order', 'can', jobs('apple', 'can', 'banana', 'lemon')),
    ('repeats', 'banana', jobs('banana', 'banana', 'lemon', 'apple', 'can')),
    ('repeats', 'lemon', jobs('banana', 'lemon', 'apple', 'can', 'lemon')),
    ('repeats', 'can', jobs('banana', 'lemon', 'can', 'apple', 'can')),
    ('pointing', 'lemon', aside('lemon', (0.0, 0.05, 0.0))),
    ('pointing', 'can', aside('can', (0.05, 0.0, 0.0))),
    ('pointing', 'apple', jobs('banana', 'lemon', 'can')),
    ('pointing', 'orange', trading_places('can', 'orange')),
    ('pointing', 'banana', with_open_hand('banana')),
    ('pointing', 'apple', with_bent_finger('apple')),
]
"""Law, object and doctor."""
