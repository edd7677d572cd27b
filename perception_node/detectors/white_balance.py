"""White balance: correction of an image for the light, judged by the known colour of the table."""

import cv2
import numpy as np

from perception_node.camera import Doubles
from perception_node.detector import Image, Mask

HEADROOM = 0.75
"""Balanced images are darkened by this factor, so that something brighter than usual keeps its hue."""

_FULL = 252
_LEAST_PIXELS = 50
_GAINS = (0.3, 6.0)


def gains(rgb: Image, table: Mask, table_rgb: tuple[float, ...]) -> Doubles:
    """Factors (3,) for red, green and blue that give the table the median colour `table_rgb` (0 to 255).

    `table` (h, w) is true where only the table is seen. All factors are 1 if too little of it is seen, or if it is too
    dark or too bright to judge.
    """
    seen = rgb[table]
    if len(seen) < _LEAST_PIXELS or not any(table_rgb):
        return np.ones(3)
    median = np.median(seen, axis=0)
    if median.min() < 4 or median.max() >= _FULL:
        return np.ones(3)
    result: Doubles = np.clip(np.array(table_rgb) / median, *_GAINS)
    return result


def balanced(rgb: Image, factors: Doubles) -> Image:
    """The image (h, w, 3) with its channels multiplied by `factors` (3,) and by HEADROOM.

    A saturated channel in light brighter than usual was brighter than its value. If one channel is saturated, its value
    is estimated in between; if two or more are, they are set to the brightest channel, so that white stays white in
    light of any colour.
    """
    values = np.arange(256, dtype=np.float64)[:, None] * factors * HEADROOM
    # In the usual light it could have been anything from this value to full: the geometric mean is taken.
    values[_FULL:] *= np.sqrt(np.maximum(1.0 / factors, 1.0))
    tables = np.clip(np.rint(values), 0, 255).astype(np.uint8)
    result: Image = cv2.LUT(rgb, np.ascontiguousarray(tables.reshape(256, 1, 3)))
    full = (rgb >= _FULL).view(np.uint8)
    several = np.flatnonzero(cv2.transform(full, np.ones((1, 3), np.float32)).ravel() >= 2)
    if len(several):
        flat = result.reshape(-1, 3)
        least = np.clip(np.rint(rgb.reshape(-1, 3)[several] * factors * HEADROOM), 0, 255).astype(np.uint8)
        brightest = least.max(axis=1, keepdims=True)
        flat[several] = np.where(full.reshape(-1, 3)[several] > 0, brightest, least)
    return result
