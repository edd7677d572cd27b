"""Scores of detections against ground truth: boxes by overlap, places by distance, identities by switches."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import linear_sum_assignment

from lucca_core.protocol.snapshots import Snapshot, TableObject
from lucca_lab.perception.view import Box, ObjectTruth

IOU = 0.5


def iou(a: Box, b: Box) -> float:
    """Intersection over union of two boxes x, y, width, height; 0 if both are empty."""
    width = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    height = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    inside = max(width, 0) * max(height, 0)
    union = a[2] * a[3] + b[2] * b[3] - inside
    return inside / union if union > 0 else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameScore:
    """The score of one frame.

    Attributes:
        found: objects that were seen with the right label and place.
        missed: objects that were not.
        wrong: false detections.
        errors_mm: distance of the centres in the world, for each found object.
    """

    found: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    errors_mm: tuple[float, ...] = ()


def score(truth: Sequence[ObjectTruth], snapshot: Snapshot) -> FrameScore:
    """Compares the visible objects of a snapshot with the truth. Each is matched with at most one other.

    Objects that are not scored (less than half visible, or cut by the picture's edge) may be detected under their label
    or not.
    """
    seen = [item for item in snapshot.objects if item.visible and item.box_px[2] > 0]
    pairs = match(truth, seen, by_label=True)
    scored = [item for item in truth if item.scored]
    told = {id(truth[row]): seen[column] for row, column in pairs}
    found = [(item, told[id(item)]) for item in scored if id(item) in told]
    taken = {column for _, column in pairs}
    return FrameScore(
        found=tuple(item.name for item, _ in found),
        missed=tuple(item.name for item in scored if id(item) not in told),
        wrong=tuple(item.name for column, item in enumerate(seen) if column not in taken and not _excused(truth, item)),
        errors_mm=tuple(
            1000.0 * float(np.linalg.norm(np.subtract(item.position_m, other.pose_world.position_m)))
            for item, other in found
        ),
    )


def match(truth: Sequence[ObjectTruth], seen: Sequence[TableObject], *, by_label: bool) -> list[tuple[int, int]]:
    """Pairs of indices in `truth` and `seen` whose boxes overlap by IOU or more, with the largest total overlap."""
    if not truth or not seen:
        return []
    overlap = np.array(
        [
            [
                0.0 if by_label and item.label != other.label else iou(item.box_px, other.box_px) + 0.01 * item.scored
                for other in seen
            ]
            for item in truth
        ]
    )
    overlap[overlap < IOU] = 0.0
    rows, columns = linear_sum_assignment(-overlap)
    return [(int(row), int(column)) for row, column in zip(rows, columns, strict=True) if overlap[row, column] > 0]


def _excused(truth: Sequence[ObjectTruth], item: TableObject) -> bool:
    """Whether a detection is part of an object that is not scored, under its right label."""
    middle_x, middle_y = item.box_px[0] + item.box_px[2] / 2, item.box_px[1] + item.box_px[3] / 2
    return any(
        not other.scored
        and other.label == item.label
        and other.box_px[0] <= middle_x <= other.box_px[0] + other.box_px[2]
        and other.box_px[1] <= middle_y <= other.box_px[1] + other.box_px[3]
        for other in truth
    )


@dataclass
class Identities:
    """The identities of objects over a sequence.

    Attributes:
        frames: number of sightings of scored objects.
        switches: number of sightings with another id than before.
        missed: number of times that a scored object was not seen.
        events: time, object, old id and new id of each switch.
    """

    frames: int = 0
    switches: int = 0
    missed: int = 0
    events: list[tuple[float, str, str, str]] = field(default_factory=list)
    _last: dict[str, str] = field(default_factory=dict)

    def add(self, truth: Sequence[ObjectTruth], snapshot: Snapshot) -> None:
        """Adds one frame. Only places count here, not labels: an object with a new name is still the same object."""
        seen = [item for item in snapshot.objects if item.visible and item.box_px[2] > 0]
        pairs = {row: seen[column].object_id for row, column in match(truth, seen, by_label=False)}
        for row, item in enumerate(truth):
            if not item.scored:
                continue
            if row not in pairs:
                self.missed += 1
                continue
            self.frames += 1
            before = self._last.get(item.name)
            if before is not None and before != pairs[row]:
                self.switches += 1
                self.events.append((snapshot.stamp_s, item.name, before, pairs[row]))
            self._last[item.name] = pairs[row]
