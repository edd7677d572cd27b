"""How objects turn: rotations between orientations, and the law that nothing turns untouched."""

import numpy as np

from lucca_lab.judge.evidence import Evidence, runs_of
from lucca_lab.judge.faults import Fault
from lucca_lab.judge.traces import Floats, SimulationTrace

MAX_TURN_RAD = 0.15
MAX_TURN_BESIDE_OTHERS_RAD = 2.0
"""How far a resting object may turn while nothing that moves touches it: contacts are springs, and objects that lean on
each other slide for seconds after one of them is released; an orange among fruit in a bowl turned by 0.8."""

STILL_RADPS, STILL_ROWS, SETTLE_S = 0.01, 10, 5.0
MAX_SETTLING_RAD = 0.5
"""What was put down may roll on slower than what counts as rest, at most for so long and so far: a pear that leans on
the wall of its box rolled by 0.16 rad in 1.6 s."""


def relative_turns(orientations_wxyz: Floats, first: Floats | None = None) -> Floats:
    """Rotation vectors (n - 1, k, 3) from each sample to the next, about the object's own axes, from quaternions (n, k,
    4); with `first` (k, 4), those (n, k, 3) from there to each sample."""
    start, end = (orientations_wxyz[:-1], orientations_wxyz[1:]) if first is None else (first[None], orientations_wxyz)
    w = start[..., :1] * end[..., :1] + (start[..., 1:] * end[..., 1:]).sum(axis=-1, keepdims=True)
    v = start[..., :1] * end[..., 1:] - end[..., :1] * start[..., 1:] - np.cross(start[..., 1:], end[..., 1:])
    v = np.where(w < 0, -v, v)
    sine = np.linalg.norm(v, axis=-1, keepdims=True)
    angle = 2 * np.arctan2(sine, np.abs(w))
    return np.asarray(np.where(sine > 1e-9, angle / np.maximum(sine, 1e-12), 2.0) * v)


def nothing_turns_untouched(evidence: Evidence) -> list[Fault]:
    """What rests keeps its orientation until the robot, or something that it set in motion, touches it."""
    trace, faults = evidence.trace, []
    for column, name in enumerate(trace.object_names):
        for first, last in runs_of(~evidence.agitated[:, column]):
            settled = runs_of(evidence.resting[first:last, column])
            if not settled:
                continue
            start = first + settled[0][0]
            # What the robot moved before has until then to come to a standstill.
            still = _still_from(trace, column, start, last) if first > 0 else start
            alone = evidence.alone[start:last, column].all()
            most = MAX_TURN_RAD if alone else MAX_TURN_BESIDE_OTHERS_RAD
            for begin, end, limit in ((start, still + 1, max(most, MAX_SETTLING_RAD)), (still, last, most)):
                turns = trace.object_orientations_wxyz[begin:end, column : column + 1]
                turned = np.linalg.norm(relative_turns(turns, turns[0])[:, 0], axis=1)
                if (turned > limit).any():
                    time_s = float(trace.time_s[begin + int(np.argmax(turned > limit))])
                    text = f'lay still and turned by {turned.max():.2f} rad though nothing touched it'
                    faults.append(Fault(law='unheld motion', object=name, time_s=time_s, text=text))
                    break
            else:
                continue
            break
    return faults


def _still_from(trace: SimulationTrace, column: int, first: int, last: int) -> int:
    """The sample, at most SETTLE_S after the first, from which an object does not turn for 0.2 s."""
    turns = relative_turns(trace.object_orientations_wxyz[first:last, column : column + 1])[:, 0]
    speeds = np.linalg.norm(turns, axis=1) / np.diff(trace.time_s[first:last])
    still = runs_of(speeds < STILL_RADPS, STILL_ROWS)
    latest = int(np.searchsorted(trace.time_s[first:last], trace.time_s[first] + SETTLE_S))
    return first + min(still[0][0] if still else len(speeds), latest, len(speeds))
