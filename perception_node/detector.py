"""The protocol of detectors: colour and depth images and a vocabulary in, labelled things with 3-D poses out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lucca_core.protocol.snapshots import Pose
from perception_node.camera import Camera, Floats

Image = NDArray[np.uint8]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Detection:
    """One thing found in one frame: an object, or a container when `is_container`.

    `pose_world` is the centre and `size_m` the extent along the axes of the pose. `partial`: part of it is hidden, so
    its centre and size are less certain. `alternatives` are other labels that fit, with their scores.
    """

    label: str
    score: float
    attributes: tuple[str, ...] = ()
    box_px: tuple[int, int, int, int] = (0, 0, 0, 0)
    pose_world: Pose
    size_m: tuple[float, float, float]
    partial: bool = False
    is_container: bool = False
    alternatives: tuple[tuple[str, float], ...] = ()

    @property
    def colour(self) -> str:
        """The first attribute: by convention the colour, '' if none was seen."""
        return self.attributes[0] if self.attributes else ''

    def score_of(self, label: str) -> float:
        """How well this fits `label`, 0 if it was not considered."""
        return self.score if label == self.label else dict(self.alternatives).get(label, 0.0)


class Detector(Protocol):
    """Finds things of a vocabulary in one frame; of one thread at a time."""

    @property
    def labels(self) -> tuple[str, ...]:
        """What it looks for unless a vocabulary is set."""
        ...

    def refused(self, words: Sequence[str]) -> tuple[str, ...]:
        """Those of some words that it cannot look for."""
        ...

    def detect(
        self, rgb: Image, depth_m: Floats, camera: Camera, vocabulary: tuple[str, ...], mask: Mask
    ) -> tuple[Detection, ...]:
        """The things of `vocabulary` in one frame.

        Args:
            rgb: (h, w, 3) uint8, red first.
            depth_m: (h, w) float32, registered to `rgb`; 0 or nan where unknown.
            camera: intrinsics and pose that belong to both images.
            vocabulary: labels asked for; containers are looked for always.
            mask: (h, w), true where the robot hides the table; nothing is looked for there.

        Raises:
            PerceptionError: the frame cannot be used, or a model failed on it.
        """
        ...
