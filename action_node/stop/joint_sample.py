"""Measured joints."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class JointSample:
    """Measured joint positions in rad by name, and the ROS time of the measurement.

    `stamps_s` has the times of joints measured before `stamp_s`, as controllers may publish separately. `not_finite`:
    joints whose newest position is NaN or infinite; a sensor or driver that says so is broken. `contradictions`: joints
    that are measured at two places at once; the text says where.
    """

    stamp_s: float
    positions: Mapping[str, float]
    stamps_s: Mapping[str, float] = field(default_factory=dict)
    not_finite: frozenset[str] = frozenset()
    contradictions: Mapping[str, str] = field(default_factory=dict)

    def contradicting(self, joints: Iterable[str]) -> str:
        """What is said about the first of these joints that is measured at two places at once; empty if none is."""
        return next((self.contradictions[name] for name in joints if name in self.contradictions), '')

    def broken(self, joints: Iterable[str]) -> list[str]:
        """Those of these joints whose newest position is not finite. A joint that is not measured is not among them."""
        return [name for name in joints if name in self.not_finite or not math.isfinite(self.positions.get(name, 0.0))]

    def measured_s(self, joints: Sequence[str]) -> float:
        """The time of the oldest measurement among these joints."""
        return min((self.stamps_s.get(name, self.stamp_s) for name in joints), default=self.stamp_s)
