"""How objects turn: rotations between orientations, and the law that nothing turns untouched."""

import numpy as np

from lucca_lab.judge.evidence import Evidence, runs_of
from lucca_lab.judge.faults import Fault
from lucca_lab.judge.traces import Floats

MAX_TURN_RAD = 0.15
MAX_TURN_BESIDE_OTHERS_RAD = 2.0
"""How far a resting object may turn while nothing that moves touches it: contacts are springs, and objects that lean on
each other slide for seconds after one of them is released; an orange among fruit in a bowl turned by 0.8."""


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
            turns = trace.object_orientations_wxyz[start:last, column : column + 1]
            turned = np.linalg.norm(relative_turns(turns, turns[0])[:, 0], axis=1)
            alone = evidence.alone[start:last, column].all()
            most = MAX_TURN_RAD if alone else MAX_TURN_BESIDE_OTHERS_RAD
            if (turned > most).any():
                row = start + int(np.argmax(turned > most))
                text = f'lay still and turned by {turned.max():.2f} rad though nothing touched it'
                faults.append(Fault(law='unheld motion', object=name, time_s=float(trace.time_s[row]), text=text))
                break
    return faults
