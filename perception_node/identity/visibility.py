"""Visibility of a place in one frame: empty, occupied or hidden."""

from enum import Enum

import numpy as np

from perception_node.camera import Camera, Doubles, Floats
from perception_node.detector import Mask

_SLACK_M = 0.015


class Sight(Enum):
    """What a frame shows of a place."""

    EMPTY = 'empty'
    OCCUPIED = 'occupied'
    HIDDEN = 'hidden'


class View:
    """The depth image of one frame as evidence about places: the ray to a place ends there, before it, or behind it."""

    def __init__(self, depth_m: Floats, camera: Camera, mask: Mask) -> None:
        self._depth = depth_m
        self._camera = camera
        self._mask = mask

    def looks_through(self, points: Doubles) -> tuple[Doubles, Doubles]:
        """For world points (n, 3): whether each is seen, and whether its ray goes on behind it; boolean arrays (n,)."""
        pixels, depth = self._camera.project(points)
        with np.errstate(invalid='ignore'):
            columns, rows = np.round(np.nan_to_num(pixels, nan=-1.0)).astype(np.intp).T
        inside = (columns >= 0) & (columns < self._camera.width) & (rows >= 0) & (rows < self._camera.height)
        inside &= depth > 0
        columns, rows = np.where(inside, columns, 0), np.where(inside, rows, 0)
        measured = self._depth[rows, columns]
        known = inside & ~self._mask[rows, columns] & (measured > 0) & np.isfinite(measured)
        seen = known & (measured > depth - _SLACK_M)
        return seen, known & (measured > depth + _SLACK_M)

    def sight(self, position_m: Doubles, size_m: Doubles) -> Sight:
        """What is at the place of an upright object with this centre and size, judged by five points near its top."""
        x, y, z = position_m
        # Within the top's edge, and inside the cap of a round object.
        dx, dy, top = 0.2 * size_m[0], 0.2 * size_m[1], z + 0.4 * size_m[2]
        points = np.array(
            [(x, y, top), (x + dx, y, top), (x - dx, y, top), (x, y + dy, top), (x, y - dy, top)], np.float64
        )
        seen, through = self.looks_through(points)
        if np.count_nonzero(through) >= 4:
            return Sight.EMPTY
        return Sight.OCCUPIED if np.count_nonzero(seen) >= 3 else Sight.HIDDEN

    def excludes(self, places_m: Doubles, size_m: Doubles) -> bool:
        """True if an object of this size is at none of `places_m` (n, 3): at each, the ray passes through its top."""
        tops = places_m + np.array([0.0, 0.0, 0.4 * float(size_m[2])])
        _, through = self.looks_through(tops)
        return bool(through.all())
