"""Frame by frame from pictures to patches: the table's height, the light's colour, then pieces of one colour."""

from dataclasses import dataclass

import cv2
import numpy as np

from perception_node.camera import Camera, Floats
from perception_node.colours import ColourTable
from perception_node.config import PerceptionConfig
from perception_node.detector import Image, Mask
from perception_node.lexicon import Lexicon
from perception_node.segments import Segment, segments, table_offset_m


@dataclass(frozen=True, slots=True, eq=False)
class Patches:
    """The patches of one frame, biggest first; `table_z` as seen in it; `near_mask` (h, w) what the robot hides, and beside."""

    patches: tuple[Segment, ...]
    table_z: float
    near_mask: Mask


class Segmenter:
    """Splits pictures by the colours of a lexicon."""

    def __init__(self, lexicon: Lexicon, config: PerceptionConfig) -> None:
        self._config = config
        self.colours = ColourTable(lexicon.colours)
        self._flat_colours = tuple(
            dict.fromkeys(name for item in lexicon.containers if item.kind == 'pad' for name in item.colours)
        )

    def split(self, rgb: Image, depth_m: Floats, camera: Camera, mask: Mask) -> Patches:
        """The patches of a frame, with the table's height corrected by what is seen of it.

        Raises:
            PerceptionError: the table is not where it should be.
        """
        table_z = self._config.table_z_m + table_offset_m(depth_m, camera, mask, self._config)
        found = segments(rgb, depth_m, camera, mask, table_z, self.colours, self._flat_colours, self._config)
        near_mask = cv2.dilate(mask.view(np.uint8), np.ones((5, 5), np.uint8)) > 0
        return Patches(found, table_z, near_mask)
