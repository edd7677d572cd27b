"""A detector of fixed classes: an ONNX file finds them, the depth image places them, colours find the containers."""

from collections.abc import Sequence

import numpy as np

from perception_node.camera import Camera, Floats
from perception_node.config import PerceptionConfig
from perception_node.detector import Detection, Image, Mask
from perception_node.detectors.boxes import NamedBox, kept_by_nms, overlaps
from perception_node.detectors.onnx_model import UNUSED, OnnxModel
from perception_node.detectors.open_vocabulary import one_of_each_container
from perception_node.detectors.prototype_detector import PrototypeDetector
from perception_node.detectors.region_proposals import in_world
from perception_node.detectors.segmenter import Segmenter
from perception_node.lexicon import PrototypeLexicon


class OnnxDetector:
    """Finds the classes of a model. Containers that are not among them are found by colour, as by `prototypes`."""

    def __init__(self, lexicon: PrototypeLexicon, config: PerceptionConfig, model: OnnxModel) -> None:
        self._config = config
        self._model = model
        self._segmenter = Segmenter(lexicon, config)
        self._by_colour = PrototypeDetector(lexicon, config)
        self._labels = tuple(label_of(name, lexicon) for name in model.names)
        self._containers = {
            label for label in self._labels if lexicon.container_of(label) and not lexicon.object_of(label)
        }

    @property
    def labels(self) -> tuple[str, ...]:
        """The model's classes, without containers: by the label in the lexicon where it has one."""
        return tuple(dict.fromkeys(label for label in self._labels if label not in {UNUSED, *self._containers}))

    def refused(self, words: Sequence[str]) -> tuple[str, ...]:
        """Words that are no class of the model."""
        return tuple(word for word in words if word not in self.labels)

    def boxes_in(self, rgb: Image, vocabulary: Sequence[str]) -> tuple[NamedBox, ...]:
        """Boxes of a vocabulary and of the model's containers in an image (h, w, 3), the best first.

        Raises:
            PerceptionError: the model failed.
        """
        wanted = {*vocabulary, *self._containers} - {UNUSED}
        found = self._model.find(rgb, self._config.model_min_score)
        # Two classes may have one label.
        labels = [self._labels[number] for number in found.classes]
        numbers = np.array([self._labels.index(label) for label in labels], np.intp)
        return tuple(
            NamedBox(labels[row], float(found.scores[row]), found.boxes[row], labels[row] in self._containers)
            for row in kept_by_nms(found.boxes, found.scores, numbers, self._config.most_overlap)
            if labels[row] in wanted
        )

    def detect(
        self, rgb: Image, depth_m: Floats, camera: Camera, vocabulary: tuple[str, ...], mask: Mask
    ) -> tuple[Detection, ...]:
        """See Detector. Boxes of nothing that stands on the table, and of containers, are dropped."""
        containers = self._by_colour.detect(rgb, depth_m, camera, (), mask)
        corners = np.array([_corners(item.box_px) for item in containers], np.float64).reshape(-1, 4)
        boxes = [
            item
            for item in self.boxes_in(rgb, vocabulary)
            if item.is_container or overlaps(item.box, corners).max(initial=0.0) <= self._config.most_overlap
        ]
        seen = self._segmenter.split(rgb, depth_m, camera, mask)
        return one_of_each_container([*in_world(boxes, seen, camera), *containers])


def label_of(name: str, lexicon: PrototypeLexicon) -> str:
    """The label in the lexicon of a class: the same word, or one with a phrase that is this word; else the word."""
    if lexicon.object_of(name) is not None:
        return name
    said = {f'{article} {name}' for article in ('a', 'an', 'the')} | {name}
    return next((item.label for item in lexicon.objects if said & set(item.phrases)), name)


def _corners(box_px: tuple[int, int, int, int]) -> tuple[float, float, float, float]:
    left, top, width, height = box_px
    return left, top, left + width, top + height
