"""Class-agnostic region proposals, grouped from image segments, and the conversion of segments to 3D detections."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from lucca_core.protocol.snapshots import Pose
from perception_node.camera import Camera, Doubles
from perception_node.detector import Detection, Mask
from perception_node.detectors.boxes import Boxes, NamedBox
from perception_node.detectors.segmenter import Patches
from perception_node.detectors.segments import Segment, at_edge, box_of
from perception_node.detectors.shapes import measure

_IN_BOX = 0.6
_NEAR_M = 0.012
_LEAST_POINTS = 12


@dataclass(frozen=True, slots=True)
class Place3d:
    """The camera and the table's height in one frame.

    `near_mask` (h, w) marks the pixels that the robot hides and those next to them.
    """

    camera: Camera
    table_z: float
    near_mask: Mask


def proposals(patches: tuple[Segment, ...], width: int) -> tuple[Boxes, list[tuple[Segment, ...]]]:
    """Class-agnostic boxes (n, 4): one for each patch of one colour, and one for each group of patches that touch."""
    groups: list[tuple[Segment, ...]] = [(patch,) for patch in patches]
    left = list(patches)
    while left:
        group = [left.pop(0)]
        grown = True
        while grown:
            near = [item for item in left if any(_touch(item, other) for other in group)]
            grown = bool(near)
            group += near
            left = [item for item in left if not any(item is other for other in near)]
        if len(group) > 1:
            groups.append(tuple(group))
    return np.array([_corners(group, width) for group in groups], np.float64).reshape(-1, 4), groups


def inside(patches: tuple[Segment, ...], box: Doubles, width: int) -> tuple[Segment, ...]:
    """The patches that have most of their pixels in a box (left, top, right, bottom), biggest first."""
    chosen = []
    for patch in patches:
        rows, columns = np.divmod(patch.pixels, width)
        within = (columns >= box[0]) & (columns < box[2]) & (rows >= box[1]) & (rows < box[3])
        if np.count_nonzero(within) >= _IN_BOX * patch.area_px:
            chosen.append(patch)
    return tuple(sorted(chosen, key=lambda item: -item.area_px))


def in_world(boxes: Iterable[NamedBox], seen: Patches, camera: Camera) -> list[Detection]:
    """What stands on the table in each box, as detections in the world; boxes of nothing are dropped."""
    place = Place3d(camera, seen.table_z, seen.near_mask)
    found = (
        lift(
            item.label,
            item.score,
            inside(seen.patches, item.box, camera.width),
            place,
            is_container=item.is_container,
        )
        for item in boxes
    )
    return [item for item in found if item is not None]


def lift(
    label: str, score: float, patches: tuple[Segment, ...], place: Place3d, *, is_container: bool = False
) -> Detection | None:
    """The patches of one thing as a detection in the world; None if there are too few points to measure.

    Its colour is that of the first patch: what the image shows, whatever the label says.
    """
    if sum(patch.area_px for patch in patches) < _LEAST_POINTS:
        return None
    points = np.concatenate([patch.points for patch in patches])
    pixels = np.concatenate([patch.pixels for patch in patches])
    shape = measure(points, place.table_z, place.camera)
    box = box_of(pixels, place.camera.width)
    middle, yaw = shape.centre_xy, shape.yaw_rad
    size = (shape.length_m, shape.width_m, shape.height_m)
    if is_container:
        # Containers have their footprint along the world's axes.
        low, high = points[:, :2].min(axis=0), points[:, :2].max(axis=0)
        middle, yaw = (float((low[0] + high[0]) / 2), float((low[1] + high[1]) / 2)), 0.0
        size = (float(high[0] - low[0]), float(high[1] - low[1]), max(shape.height_m, 0.001))
    return Detection(
        label=label,
        score=score,
        attributes=(patches[0].colour,),
        box_px=box,
        pose_world=Pose((*middle, shape.top_z - size[2] / 2), (0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2))),
        size_m=size,
        partial=at_edge(box, place.camera) or bool(place.near_mask.ravel()[pixels].any()),
        is_container=is_container,
    )


def _touch(a: Segment, b: Segment) -> bool:
    one, other = a.bounds, b.bounds
    gap = max(one[0] - other[1], other[0] - one[1], one[2] - other[3], other[2] - one[3])
    return gap < _NEAR_M


def _corners(group: tuple[Segment, ...], width: int) -> tuple[float, float, float, float]:
    left, top, wide, high = box_of(np.concatenate([item.pixels for item in group]), width)
    return left, top, left + wide, top + high
