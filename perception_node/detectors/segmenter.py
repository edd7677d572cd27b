"""Splitting of a frame into patches of one colour, after correcting the table's height and the colour of the light."""

from dataclasses import dataclass

import cv2
import numpy as np

from perception_node.camera import Camera, Doubles, Floats
from perception_node.config import PerceptionConfig
from perception_node.detector import Image, Mask
from perception_node.detectors.colour_table import ColourTable
from perception_node.detectors.segments import Segment, segments, table_offset_m
from perception_node.detectors.white_balance import HEADROOM, balanced, gains
from perception_node.lexicon import PrototypeLexicon

_STRIDE = 6


@dataclass(frozen=True, slots=True, eq=False)
class Patches:
    """The patches of one frame, biggest first, and the height of the table seen in it.

    `near_mask` (h, w) marks the pixels that the robot hides and those next to them.
    """

    patches: tuple[Segment, ...]
    table_z: float
    near_mask: Mask


class Segmenter:
    """Splits images by the colours of a lexicon."""

    def __init__(self, lexicon: PrototypeLexicon, config: PerceptionConfig) -> None:
        self._config = config
        self.colours = ColourTable(lexicon.colours, HEADROOM)
        self._flat_colours = tuple(
            dict.fromkeys(name for item in lexicon.containers if item.kind == 'pad' for name in item.colours)
        )

    def split(self, rgb: Image, depth_m: Floats, camera: Camera, mask: Mask) -> Patches:
        """The patches of a frame, with the table's height corrected from what is seen of it.

        Raises:
            PerceptionError: the table is not where it should be.
        """
        # Medians of nine pixels remove most sensor noise and leave edges in place.
        rgb, depth_m = cv2.medianBlur(rgb, 3), cv2.medianBlur(depth_m, 3)
        offset_m = table_offset_m(depth_m, camera, mask, self._config)
        table_z = self._config.table_z_m + offset_m
        rgb = balanced(rgb, self._gains(rgb, depth_m, camera, mask, table_z))
        found = segments(rgb, depth_m, camera, mask, table_z, self.colours, self._flat_colours, self._config)
        near_mask = cv2.dilate(mask.view(np.uint8), np.ones((5, 5), np.uint8)) > 0
        return Patches(found, table_z, near_mask)

    def _gains(self, rgb: Image, depth_m: Floats, camera: Camera, mask: Mask, table_z: float) -> Doubles:
        step = (slice(None, None, _STRIDE), slice(None, None, _STRIDE))
        ray_x, ray_y, ray_z = (ray[step] for ray in camera.rays)
        depth = depth_m[step]
        config = self._config
        x, y = camera.position_m[0] + depth * ray_x, camera.position_m[1] + depth * ray_y
        table = np.abs(camera.position_m[2] + depth * ray_z - table_z) < config.min_height_m
        table &= (x > config.table_x_m[0]) & (x < config.table_x_m[1]) & (depth > 0)
        table &= (y > config.table_y_m[0]) & (y < config.table_y_m[1]) & ~mask[step]
        return gains(rgb[step], table, config.table_rgb)
