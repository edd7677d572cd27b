"""Segments of a frame: connected pixels of one colour above the table."""

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from lucca_core.errors import PerceptionError
from perception_node.camera import Camera, Floats
from perception_node.config import PerceptionConfig
from perception_node.detector import Image, Mask
from perception_node.detectors.colour_table import ColourTable

Bounds = tuple[float, float, float, float]
"""x low, x high, y low, y high of a footprint, in m in the world."""

_CELL_M = 0.006
_PLANE_STRIDE = 8
_PLANE_MIN_SHARE = 0.1


@dataclass(frozen=True, kw_only=True, eq=False)
class Segment:
    """Connected points of one colour: `points` (n, 3) in the world, in m; `pixels` (n,) flat indices into the image."""

    colour: str
    points: Floats
    pixels: NDArray[np.intp]

    @property
    def area_px(self) -> int:
        """Number of pixels."""
        return len(self.pixels)

    @cached_property
    def bounds(self) -> Bounds:
        """x low, x high, y low, y high of the footprint."""
        x, y = self.points[:, 0], self.points[:, 1]
        return float(x.min()), float(x.max()), float(y.min()), float(y.max())

    def joined(self, other: 'Segment') -> 'Segment':
        """Both segments as one, with the colour of this one."""
        return Segment(
            colour=self.colour,
            points=np.concatenate((self.points, other.points)),
            pixels=np.concatenate((self.pixels, other.pixels)),
        )


def box_of(pixels: NDArray[np.intp], width: int) -> tuple[int, int, int, int]:
    """x, y, width and height of pixels given as flat indices into an image of this width."""
    rows, columns = np.divmod(pixels, width)
    x, y = int(columns.min()), int(rows.min())
    return x, y, int(columns.max()) - x + 1, int(rows.max()) - y + 1


def at_edge(box: tuple[int, int, int, int], camera: Camera) -> bool:
    """Whether a box reaches the edge of the image."""
    x, y, width, height = box
    return x == 0 or y == 0 or x + width == camera.width or y + height == camera.height


def table_offset_m(depth_m: Floats, camera: Camera, mask: Mask, config: PerceptionConfig) -> float:
    """How far the table is above `config.table_z_m`: the median of the pixels near it.

    Raises:
        PerceptionError: too few pixels are near the expected table, or it is too far off: the camera pose, the depth or
            the table height is wrong.
    """
    step = (slice(None, None, _PLANE_STRIDE), slice(None, None, _PLANE_STRIDE))
    depth = depth_m[step]
    ray_x, ray_y, ray_z = (ray[step] for ray in camera.rays)
    # A pixel counts if its ray meets the expected plane on the table, so that things beside the table do not count.
    with np.errstate(divide='ignore', invalid='ignore'):
        expected = (config.table_z_m - camera.position_m[2]) / ray_z
        x = camera.position_m[0] + expected * ray_x
        y = camera.position_m[1] + expected * ray_y
    on_table = (expected > 0) & (x > config.table_x_m[0]) & (x < config.table_x_m[1])
    on_table &= (y > config.table_y_m[0]) & (y < config.table_y_m[1]) & ~mask[step]
    error = camera.position_m[2] + depth * ray_z - config.table_z_m
    near = on_table & (np.abs(error) < 2 * config.max_table_offset_m) & (depth > 0)
    seen, wanted = int(np.count_nonzero(near)), int(np.count_nonzero(on_table))
    if seen < 20 or seen < _PLANE_MIN_SHARE * wanted:
        raise PerceptionError(
            f'only {seen} of {wanted} samples lie near a table at z = {config.table_z_m:g} m; '
            'check camera_pose, table_z_m and the depth image'
        )
    offset = float(np.median(error[near]))
    if abs(offset) > config.max_table_offset_m:
        raise PerceptionError(
            f'the table appears {offset * 1000:+.0f} mm from z = {config.table_z_m:g} m, more than the '
            f'{config.max_table_offset_m * 1000:.0f} mm that are corrected; check camera_pose and table_z_m'
        )
    return offset


def segments(
    rgb: Image,
    depth_m: Floats,
    camera: Camera,
    mask: Mask,
    table_z: float,
    colours: ColourTable,
    flat_colours: tuple[str, ...],
    config: PerceptionConfig,
) -> tuple[Segment, ...]:
    """All patches on the table, biggest first. Pixels of `flat_colours` also count at the level of the table itself."""
    ray_x, ray_y, ray_z = camera.rays
    height = depth_m * ray_z
    height += np.float32(camera.position_m[2] - table_z)
    classes = colours.classify(rgb)
    found = height > np.float32(config.min_height_m)
    if flat_colours:
        flat = np.zeros(len(colours.names) + 1, bool)
        flat[[colours.number(name) for name in flat_colours]] = True
        found |= flat[classes] & (height > np.float32(-config.max_table_offset_m))
    found &= height < np.float32(config.max_height_m)
    found &= ~mask
    found &= depth_m > 0
    pixels = np.flatnonzero(found)
    depth = depth_m.ravel()[pixels]
    x = ray_x.ravel()[pixels] * depth + np.float32(camera.position_m[0])
    y = ray_y.ravel()[pixels] * depth + np.float32(camera.position_m[1])
    inside = (x > config.table_x_m[0]) & (x < config.table_x_m[1])
    inside &= (y > config.table_y_m[0]) & (y < config.table_y_m[1])
    pixels, x, y = pixels[inside], x[inside], y[inside]
    points = np.stack((x, y, height.ravel()[pixels] + np.float32(table_z)), axis=1)
    return _split(points, pixels, classes.ravel()[pixels], colours, config)


def _split(
    points: Floats,
    pixels: NDArray[np.intp],
    classes: NDArray[np.uint8],
    colours: ColourTable,
    config: PerceptionConfig,
) -> tuple[Segment, ...]:
    """Splits pixels by colour and by connection on the table plane.

    In this way, objects that only overlap in the image stay apart.
    """
    rows = ((points[:, 0] - config.table_x_m[0]) / _CELL_M).astype(np.intp)
    columns = ((points[:, 1] - config.table_y_m[0]) / _CELL_M).astype(np.intp)
    shape = (
        int((config.table_x_m[1] - config.table_x_m[0]) / _CELL_M) + 2,
        int((config.table_y_m[1] - config.table_y_m[0]) / _CELL_M) + 2,
    )
    result: list[Segment] = []
    order = np.argsort(classes, kind='stable')
    edges = np.searchsorted(classes[order], np.arange(len(colours.names) + 2))
    for number in range(1, len(colours.names) + 1):
        chosen = order[edges[number] : edges[number + 1]]
        if len(chosen) < config.min_area_px:
            continue
        grid = np.zeros(shape, np.uint8)
        grid[rows[chosen], columns[chosen]] = 1
        _, parts = cv2.connectedComponents(grid, connectivity=8)
        part = parts[rows[chosen], columns[chosen]]
        by_part = np.argsort(part, kind='stable')
        cuts = np.flatnonzero(np.diff(part[by_part])) + 1
        for group in np.split(by_part, cuts):
            if len(group) >= config.min_area_px:
                index = chosen[group]
                result.append(Segment(colour=colours.name(number), points=points[index], pixels=pixels[index]))
    result.sort(key=lambda item: -item.area_px)
    return tuple(result)
