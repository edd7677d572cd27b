"""Events in a trace, in order: objects carried to a place, and objects pointed at."""

from dataclasses import dataclass

from lucca_lab.judge.evidence import Evidence, runs_of
from lucca_lab.judge.places import places_at
from lucca_lab.judge.pointing import pointed_objects

SETTLING_ROWS = 50
"""Samples of 20 ms after which a released object has come to rest."""


@dataclass(frozen=True, slots=True)
class Transport:
    """A release of an object by a hand. `place` is where the object lay afterwards."""

    time_s: float
    object: str
    place: str


def transports(evidence: Evidence) -> tuple[Transport, ...]:
    """Every release of an object by a hand, in order of time."""
    trace = evidence.trace
    found = []
    for column, name in enumerate(trace.object_names):
        holds = runs_of(trace.attached[:, column])
        for index, (_, end) in enumerate(holds):
            until = holds[index + 1][0] - 1 if index + 1 < len(holds) else len(trace.time_s) - 1
            row = min(end + SETTLING_ROWS, until)
            if end < len(trace.time_s):
                found.append(Transport(float(trace.time_s[end]), name, places_at(trace, evidence.scene, row)[name]))
    return tuple(sorted(found, key=lambda item: item.time_s))


def pointed(evidence: Evidence) -> tuple[str, ...]:
    """Names of the objects pointed at, in order."""
    return pointed_objects(evidence.trace, evidence.profile)
