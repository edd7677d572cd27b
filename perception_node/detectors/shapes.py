"""The shape of a patch of points seen from above: footprint, height, and what distinguishes a ball from a can."""

import math
from dataclasses import dataclass

import cv2
import numpy as np

from perception_node.camera import Camera, Floats
from perception_node.lexicon import Range

LEAST_POINTS = 3
_SIZE_TOLERANCE_M = 0.007
_RATIO_TOLERANCE = 0.10
_PART_TOLERANCE_M = 0.010
_CURVED_BELOW = 0.45


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredShape:
    """Measurements of a visible surface. Lengths in m, in the world frame; `yaw_rad` is the direction of `length_m`.

    `flat` is the share of points near the height of the top, `fill` the area of the footprint relative to its
    rectangle, `hollow` the depth of the middle below the top relative to the height.
    """

    centre_xy: tuple[float, float]
    top_z: float
    height_m: float
    length_m: float
    width_m: float
    yaw_rad: float
    flat: float
    fill: float
    hollow: float

    def feature(self, name: str) -> float:
        """A feature, by its name in prototypes."""
        return float(getattr(self, name))


def measure(points: Floats, support_z: float, camera: Camera) -> MeasuredShape:
    """The shape of surface points (n, 3) of one object standing on `support_z`, at least LEAST_POINTS of them."""
    z = points[:, 2]
    top = float(np.partition(z, -max(1, len(z) // 100))[-max(1, len(z) // 100)])
    height = max(top - support_z, 1e-4)
    # In millimetres, because minAreaRect loses digits with metres.
    flat_points = points[:, :2] * np.float32(1000.0)
    hull = cv2.convexHull(flat_points)
    (mid_x, mid_y), (side_a, side_b), angle = cv2.minAreaRect(hull)
    hull_area = cv2.contourArea(hull)
    rectangle = max(side_a * side_b, 1e-6)
    length, width, yaw = (side_a, side_b, angle) if side_a >= side_b else (side_b, side_a, angle + 90.0)
    centre = np.array([mid_x, mid_y]) / 1000.0

    towards = camera.position_m[:2] - centre
    across = float(np.hypot(*towards))
    down = max(float(camera.position_m[2]) - top, 0.05)
    # Samples are at pixel centres, so up to half a pixel is missing on either side.
    pixel_m = math.hypot(across, down) / camera.fx / 2.0
    length, width = length / 1000.0 + pixel_m, width / 1000.0 + pixel_m

    flat = float(np.count_nonzero(z > top - max(0.004, 0.07 * height)) / len(z))
    near = np.sum((points[:, :2] - centre.astype(np.float32)) ** 2, axis=1) < (0.25 * width) ** 2
    # If no surface is seen in the middle, there is a hole whose bottom is hidden by the near wall.
    middle = float(np.median(z[near])) if near.any() else support_z
    hollow = min(max((top - middle) / height, 0.0), 1.0)
    if flat < _CURVED_BELOW and hollow < 0.3 and across > 1e-6:
        # A round back turns away from the camera before it reaches its full extent.
        lost = (1.0 - down / math.hypot(across, down)) * width / 2.0
        centre = centre - towards / across * lost / 2.0
        width += lost / 2.0
        length += lost / 2.0
    yaw_rad = math.radians(yaw)
    yaw_rad = math.atan2(math.sin(2 * yaw_rad), math.cos(2 * yaw_rad)) / 2.0
    return MeasuredShape(
        centre_xy=(float(centre[0]), float(centre[1])),
        top_z=top,
        height_m=height,
        length_m=length,
        width_m=min(width, length),
        yaw_rad=yaw_rad,
        flat=flat,
        fill=float(hull_area / rectangle),
        hollow=hollow,
    )


def match(shape: MeasuredShape, ranges: dict[str, Range]) -> float:
    """How well a view of the whole object fits a prototype: 1 inside all ranges, falling smoothly outside."""
    cost = 0.0
    for name, (low, high) in ranges.items():
        value = shape.feature(name)
        excess = max(low - value, 0.0, value - high)
        tolerance = _SIZE_TOLERANCE_M if name.endswith('_m') else _RATIO_TOLERANCE
        cost += (excess / tolerance) ** 2
    return math.exp(-0.5 * cost)


def match_partly(shape: MeasuredShape, ranges: dict[str, Range]) -> float:
    """How well a view of a part fits: it may be smaller than the whole, but not larger."""
    cost = 0.0
    for name in ('length_m', 'width_m'):
        excess = max(0.0, shape.feature(name) - ranges[name][1])
        cost += (excess / _PART_TOLERANCE_M) ** 2
    return math.exp(-0.5 * cost)
