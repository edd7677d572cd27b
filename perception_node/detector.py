"""The protocol of detectors: from colour and depth images and a vocabulary to labelled objects with 3D poses."""

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
    """One thing found in one frame: an object, or a container if `is_container`.

    `pose_world` is its centre; `size_m` is its extent along the axes of the pose. `partial`: part of it is hidden, so
    that its centre and size are less certain. `alternatives` are other labels that fit, with their scores.
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
        """The first attribute, by convention the colour; '' if none was seen."""
        return self.attributes[0] if self.attributes else ''

    def score_of(self, label: str) -> float:
        """How well the detection fits `label`; 0 if that label was not considered."""
        return self.score if label == self.label else dict(self.alternatives).get(label, 0.0)


class Detector(Protocol):
    """Finds the things of a vocabulary in one frame. Not thread-safe."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that it looks for unless a vocabulary is set."""
        ...

    def refused(self, words: Sequence[str]) -> tuple[str, ...]:
        """The words among `words` that it cannot look for."""
        ...

    def detect(
        self, rgb: Image, depth_m: Floats, camera: Camera, vocabulary: tuple[str, ...], mask: Mask
    ) -> tuple[Detection, ...]:
        """The things of `vocabulary` in one frame.

        Args:
            rgb: (h, w, 3) uint8, in RGB order.
            depth_m: (h, w) float32, registered to `rgb`; 0 or nan where unknown.
            camera: intrinsics and pose of both images.
            vocabulary: labels to look for; containers are always looked for.
            mask: (h, w), true where the robot hides the table; nothing is looked for there.

        Raises:
            PerceptionError: the frame cannot be used, or a model failed on it.
        """
        ...
