"""Requests to the motion planner, and the plans that it returns."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lucca_core.protocol.snapshots import Pose

Array = NDArray[np.float64]
MotionKind = Literal['point', 'give', 'pick_and_place']


@dataclass(frozen=True, slots=True)
class MotionRequest:
    """A requested motion of the object `object_id` in the snapshot, to `container` if there is one."""

    kind: MotionKind
    object_id: str
    container: str = ''


@dataclass(frozen=True, slots=True, eq=False)
class MotionSegment:
    """A trajectory of one controller. The planner's segments begin and end at rest.

    `times_s` (n,) increase from 0. `positions` and `velocities` (n, k), in rad or m, are in the order of `joints`. The
    controller interpolates between points with a cubic polynomial.
    """

    name: str
    controller: str
    joints: tuple[str, ...]
    times_s: Array
    positions: Array
    velocities: Array

    @property
    def duration_s(self) -> float:
        """Length in s."""
        return float(self.times_s[-1])


@dataclass(frozen=True, slots=True, eq=False)
class MotionPlan:
    """Segments to be carried out one after another, each from where the previous one ended.

    `arm` is '' if nothing has to move. `placed_at_m` is the expected position of the object's centre when it is
    released; None if nothing is carried. `grasp` is the pose of the hand's tool frame in the world when the hand
    closes; None if nothing is grasped.
    """

    arm: str
    segments: tuple[MotionSegment, ...]
    placed_at_m: tuple[float, float, float] | None = None
    grasp: Pose | None = None

    @property
    def duration_s(self) -> float:
        """Length of all segments together, in s."""
        return sum(segment.duration_s for segment in self.segments)
