"""A detector by colour and shape, from the prototypes in `config/objects.yaml`. It needs no trained model."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lucca_core.protocol.snapshots import Pose
from perception_node.camera import Camera, Floats
from perception_node.config import PerceptionConfig
from perception_node.detector import Detection, Image, Mask
from perception_node.detectors.segmenter import Segmenter
from perception_node.detectors.segments import Bounds, Segment, at_edge, box_of
from perception_node.detectors.shapes import LEAST_POINTS, MeasuredShape, match, match_partly, measure
from perception_node.lexicon import ContainerPrototype, ObjectPrototype, PrototypeLexicon

_FRAGMENT_SHARE = 0.5
_NEAR_M = 0.012
_GROUP_GAP_M = 0.03
_PARTIAL_TRUST = 0.6
_WALL_M, _WALL_SHARE = 0.015, 0.8
_HEIGHT_SLACK_M = 0.01
_SIDE_TOP_PERCENT = 90.0
_ABOVE_RIM_M = 0.004


@dataclass(frozen=True, slots=True)
class _Found:
    prototype: ContainerPrototype
    detection: Detection
    bounds: Bounds


class PrototypeDetector:
    """Finds patches of one colour above the table, and identifies them by colour, size and shape."""

    def __init__(self, lexicon: PrototypeLexicon, config: PerceptionConfig) -> None:
        self._lexicon = lexicon
        self._config = config
        self._segmenter = Segmenter(lexicon, config)
        self._colours = self._segmenter.colours

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels of the lexicon."""
        return self._lexicon.labels

    def refused(self, words: Sequence[str]) -> tuple[str, ...]:
        """Words without a prototype."""
        return tuple(word for word in words if word not in self._lexicon.labels)

    def detect(
        self, rgb: Image, depth_m: Floats, camera: Camera, vocabulary: tuple[str, ...], mask: Mask
    ) -> tuple[Detection, ...]:
        """See `Detector.detect`. In each frame, the table's height is corrected from what is seen of it.

        Raises:
            PerceptionError: the table is not where it should be.
        """
        seen = self._segmenter.split(rgb, depth_m, camera, mask)
        patches, table_z, near_mask = list(seen.patches), seen.table_z, seen.near_mask.ravel()
        found = self._containers(patches, table_z, camera, near_mask)
        patches = self._whole(patches, found)
        result = [item.detection for item in found]
        for patch in patches:
            detection = self._object(patch, table_z, camera, vocabulary, near_mask, found)
            if detection is not None:
                result.append(detection)
        return tuple(result)

    def _containers(self, patches: list[Segment], table_z: float, camera: Camera, near_mask: Mask) -> list[_Found]:
        """The containers among the patches. Patches that belong to one are removed from `patches`."""
        found = []
        for prototype in self._lexicon.containers:
            # Walls and floor of a box may be apart in the image. They belong together if they fit the box's size.
            limit = prototype.ranges['length_m'][1] * 1.1
            own = [item for item in patches if item.colour in prototype.colours]
            if not own:
                continue
            group = [own[0]]
            bounds = own[0].bounds
            for item in own[1:]:
                joined = _union(bounds, item.bounds)
                if _gap(bounds, item.bounds) < _GROUP_GAP_M and max(_extent(joined)) < limit:
                    group.append(item)
                    bounds = joined
            points = np.concatenate([item.points for item in group])
            # Where two objects of other colours meet, edges may have the container's colour, high above it.
            points = points[points[:, 2] < table_z + prototype.ranges['height_m'][1] + _HEIGHT_SLACK_M]
            if len(points) < LEAST_POINTS:
                continue
            shape = measure(points, table_z, camera)
            score = match(shape, prototype.ranges)
            if score < self._config.min_score:
                continue
            for item in group:
                patches.remove(item)
            pixels = np.concatenate([item.pixels for item in group])
            found.append(
                _Found(
                    prototype,
                    self._container(
                        prototype, shape, score, bounds, pixels, table_z, camera, bool(near_mask[pixels].any())
                    ),
                    bounds,
                )
            )
        return found

    def _container(
        self,
        prototype: ContainerPrototype,
        shape: MeasuredShape,
        score: float,
        bounds: Bounds,
        pixels: np.ndarray,
        table_z: float,
        camera: Camera,
        partial: bool,
    ) -> Detection:
        half_pixel = (camera.position_m[2] - table_z) / camera.fx / 2
        x0, x1, y0, y1 = bounds
        size = (x1 - x0 + 2 * half_pixel, y1 - y0 + 2 * half_pixel, max(shape.height_m, 0.001))
        return Detection(
            label=prototype.name,
            score=score,
            attributes=prototype.colours[:1],
            box_px=box_of(pixels, camera.width),
            pose_world=Pose(((x0 + x1) / 2, (y0 + y1) / 2, table_z + size[2] / 2)),
            size_m=size,
            partial=partial,
            is_container=True,
        )

    def _whole(self, patches: list[Segment], found: list[_Found]) -> list[Segment]:
        """The patches, with fragments joined: shaded parts, seams, the inside of a cup."""
        result: list[Segment] = []
        for patch in patches:
            bounds = patch.bounds
            host, lit = None, False
            for index, big in enumerate(result):
                if not _inside(bounds, big.bounds, _NEAR_M):
                    continue
                lit = self._colours.is_shade(big.colour, patch.colour) and big.colour != 'black'
                same = lit or patch.colour == big.colour or self._colours.is_shade(patch.colour, big.colour)
                on_pad = _holder(bounds, found, 'pad') is not None
                in_open = _holder(bounds, found, 'open') is not None
                if (same and not (patch.colour == 'black' and on_pad)) or (
                    patch.area_px < _FRAGMENT_SHARE * big.area_px
                    and not on_pad
                    and not in_open
                    and not self._lies_in(patch, big)
                ):
                    host = index
                    break
            if host is None:
                result.append(patch)
            else:
                # Whichever is bigger, the colour is that of the lit part.
                result[host] = patch.joined(result[host]) if lit else result[host].joined(patch)
        return result

    def _lies_in(self, patch: Segment, big: Segment) -> bool:
        """Whether a patch rises above the rim of an object that holds things; its shade and seams never do."""
        holds = any(item.holds and big.colour in item.colours for item in self._lexicon.objects)
        return holds and _top(patch) > _top(big) + _ABOVE_RIM_M

    def _object(
        self,
        patch: Segment,
        table_z: float,
        camera: Camera,
        vocabulary: tuple[str, ...],
        near_mask: Mask,
        found: list[_Found],
    ) -> Detection | None:
        inside = _holder(patch.bounds, found, '')
        if inside is not None and inside.prototype.kind == 'open' and _is_wall(patch, inside.bounds):
            return None
        shape = measure(patch.points, table_z, camera)
        box = box_of(patch.pixels, camera.width)
        cut = at_edge(box, camera) or bool(near_mask[patch.pixels].any())
        partial = cut or inside is not None
        scores: dict[str, float] = {}
        for prototype in self._lexicon.objects:
            if prototype.label not in vocabulary or patch.colour not in prototype.colours:
                continue
            ranges = prototype.ranges
            if inside is not None:
                # Of an object in or on something, only the top's height is known, which says nothing about its size.
                ranges = {name: value for name, value in ranges.items() if name not in ('height_m', 'hollow')}
            score = match(shape, ranges)
            if partial and inside is not None and inside.prototype.kind == 'pad':
                if _can_carry(prototype):
                    # Below the top of a stack, a side is visible that is nearly as long as the object itself.
                    short = max(0.0, 1.0 - shape.length_m / _middle(prototype, 'length_m'))
                    score = max(score, _PARTIAL_TRUST * (1.0 - 0.3 * short) * match_partly(shape, prototype.ranges))
            elif partial:
                score = max(score, _PARTIAL_TRUST * match_partly(shape, prototype.ranges))
            scores[prototype.label] = score
        if not scores:
            return None
        label = max(scores, key=lambda name: scores[name])
        if scores[label] < self._config.min_score:
            return None
        best = self._lexicon.object_of(label)
        assert best is not None
        x, y = shape.centre_xy
        length, width, height = shape.length_m, shape.width_m, shape.height_m
        whole = scores[label] > _PARTIAL_TRUST
        top_z = shape.top_z
        if not whole:
            length, width = _middle(best, 'length_m'), _middle(best, 'width_m')
            if inside is not None and inside.prototype.kind == 'pad':
                # This is a side below other objects; edges between two of them may have its colour.
                top_z = float(np.percentile(patch.points[:, 2], _SIDE_TOP_PERCENT))
        if inside is not None:
            height = _middle(best, 'height_m')
        return Detection(
            label=label,
            score=scores[label],
            attributes=(patch.colour,),
            box_px=box,
            pose_world=Pose(
                (x, y, top_z - height / 2), (0.0, 0.0, math.sin(shape.yaw_rad / 2), math.cos(shape.yaw_rad / 2))
            ),
            size_m=(length, width, height),
            partial=cut or not whole,
            alternatives=tuple((name, score) for name, score in scores.items() if name != label),
        )


def _top(patch: Segment) -> float:
    return float(np.percentile(patch.points[:, 2], _SIDE_TOP_PERCENT))


def _is_wall(patch: Segment, bounds: Bounds) -> bool:
    """Whether a patch lies only along the edge of an open container: its wall, in shade or in other light."""
    x, y = patch.points[:, 0], patch.points[:, 1]
    inwards = np.minimum(np.minimum(x - bounds[0], bounds[1] - x), np.minimum(y - bounds[2], bounds[3] - y))
    return bool(np.count_nonzero(inwards < _WALL_M) > _WALL_SHARE * len(x))


def _can_carry(prototype: ObjectPrototype) -> bool:
    """Whether the object has a level top. Only then can it be partly hidden by something that stands on it."""
    return prototype.ranges.get('flat', (0.0, 1.0))[1] >= 0.9


def _middle(prototype: ObjectPrototype, feature: str) -> float:
    return sum(prototype.ranges[feature]) / 2


def _union(a: Bounds, b: Bounds) -> Bounds:
    return min(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), max(a[3], b[3])


def _extent(a: Bounds) -> tuple[float, float]:
    return a[1] - a[0], a[3] - a[2]


def _gap(a: Bounds, b: Bounds) -> float:
    return max(a[0] - b[1], b[0] - a[1], a[2] - b[3], b[2] - a[3], 0.0)


def _inside(small: Bounds, big: Bounds, slack: float) -> bool:
    """True if the centre of `small` is in `big` enlarged by `slack`."""
    x, y = (small[0] + small[1]) / 2, (small[2] + small[3]) / 2
    return big[0] - slack <= x <= big[1] + slack and big[2] - slack <= y <= big[3] + slack


def _holder(bounds: Bounds, found: list[_Found], kind: str) -> _Found | None:
    """The container of this kind ('' for any) over which the centre of `bounds` lies."""
    for item in found:
        if kind in ('', item.prototype.kind) and _inside(bounds, item.bounds, 0.0):
            return item
    return None
