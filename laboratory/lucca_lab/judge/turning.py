"""Rotations between orientations, and the law that no object turns untouched."""

import numpy as np

from lucca_lab.judge.evidence import Evidence, runs_of
from lucca_lab.judge.faults import Fault
from lucca_lab.judge.traces import Floats, SimulationTrace

MAX_TURN_RAD = 0.15
MAX_TURN_BESIDE_OTHERS_RAD = 2.0
"""How far a resting object may turn while nothing moving touches it. Contacts are springs, and objects that lean on
each other slide for seconds after one of them is released; an orange among fruit in a bowl turned by 0.8 rad."""

STILL_RADPS, SETTLE_S = 0.01, 5.0
STILL_ROWS = 10
"""An object that turns no faster than this for this many samples (0.2 s) stands still."""

MAX_SETTLING_RAD = 0.5
"""How far an object that was put down may roll on, for at most `SETTLE_S`, below the speed that counts as rest. A pear
that leaned on the wall of its box rolled by 0.16 rad in 1.6 s."""


def relative_turns(orientations_wxyz: Floats, first: Floats | None = None) -> Floats:
    """Rotation vectors (n - 1, k, 3) from each sample to the next, about own axes, from quaternions (n, k, 4).

    With `first` (k, 4): rotation vectors (n, k, 3) from there to each sample.
    """
    start, end = (orientations_wxyz[:-1], orientations_wxyz[1:]) if first is None else (first[None], orientations_wxyz)
    w = start[..., :1] * end[..., :1] + (start[..., 1:] * end[..., 1:]).sum(axis=-1, keepdims=True)
    v = start[..., :1] * end[..., 1:] - end[..., :1] * start[..., 1:] - np.cross(start[..., 1:], end[..., 1:])
    v = np.where(w < 0, -v, v)
    sine = np.linalg.norm(v, axis=-1, keepdims=True)
    angle = 2 * np.arctan2(sine, np.abs(w))
    return np.asarray(np.where(sine > 1e-9, angle / np.maximum(sine, 1e-12), 2.0) * v)


def nothing_turns_untouched(evidence: Evidence) -> list[Fault]:
    """Checks that a resting object does not turn until the robot, or something set in motion by it, touches it."""
    found = (_turned_untouched(evidence, column, name) for column, name in enumerate(evidence.trace.object_names))
    return [fault for fault in found if fault is not None]


def _turned_untouched(evidence: Evidence, column: int, name: str) -> Fault | None:
    """The first time that an object turns too far while untouched; None if it never does."""
    trace = evidence.trace
    for first, last in runs_of(~evidence.agitated[:, column]):
        settled = runs_of(evidence.resting[first:last, column])
        if not settled:
            continue
        start = first + settled[0][0]
        limit = MAX_TURN_RAD if evidence.alone[start:last, column].all() else MAX_TURN_BESIDE_OTHERS_RAD
        phases = [('lay still', start, last, limit)]
        if first > 0 and limit < MAX_SETTLING_RAD:
            # The robot moved the object before, so until then it may still come to a standstill.
            still = _still_from(trace, column, start, last)
            phases = [('was put down', start, still + 1, MAX_SETTLING_RAD), ('lay still', still, last, limit)]
        for phase, begin, end, most in phases:
            turns = trace.object_orientations_wxyz[begin:end, column : column + 1]
            turned = np.linalg.norm(relative_turns(turns, turns[0])[:, 0], axis=1)
            if (turned > most).any():
                time_s = float(trace.time_s[begin + int(np.argmax(turned > most))])
                text = f'{phase} and turned by {turned.max():.2f} rad though nothing touched it'
                return Fault(law='unheld motion', object=name, time_s=time_s, text=text)
    return None


def _still_from(trace: SimulationTrace, column: int, first: int, last: int) -> int:
    """The sample from which an object stands still for STILL_ROWS samples, at most SETTLE_S after the first sample."""
    turns = relative_turns(trace.object_orientations_wxyz[first:last, column : column + 1])[:, 0]
    speeds = np.linalg.norm(turns, axis=1) / np.diff(trace.time_s[first:last])
    still = runs_of(speeds < STILL_RADPS, STILL_ROWS)
    latest = int(np.searchsorted(trace.time_s[first:last], trace.time_s[first] + SETTLE_S))
    return first + min(still[0][0] if still else len(speeds), latest, len(speeds))
