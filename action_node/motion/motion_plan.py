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
    closes; None if nothing is grasped. `grasps_at` and `releases_at` are the indexes of the segments in which the hand
    closes around the object and lets it go; both are None if nothing is carried.

    Raises:
        ValueError: the two are not in this order among the segments, or only one is given.
    """

    arm: str
    segments: tuple[MotionSegment, ...]
    placed_at_m: tuple[float, float, float] | None = None
    grasp: Pose | None = None
    grasps_at: int | None = None
    releases_at: int | None = None

    def __post_init__(self) -> None:
        if self.grasps_at is None and self.releases_at is None:
            return
        if (
            self.grasps_at is None
            or self.releases_at is None
            or not 0 <= self.grasps_at < self.releases_at < len(self.segments)
        ):
            raise ValueError(
                f'a motion grasps in one of its {len(self.segments)} segments and releases in a later one, '
                f'got {self.grasps_at} and {self.releases_at}'
            )

    @property
    def duration_s(self) -> float:
        """Length of all segments together, in s."""
        return sum(segment.duration_s for segment in self.segments)
