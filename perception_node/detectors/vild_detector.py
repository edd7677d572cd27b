"""Open-vocabulary detection as in ViLD: class-agnostic regions are named by a model that knows images and texts.

The method is that of Gu et al., "Open-vocabulary Object Detection via Vision and Language Knowledge Distillation", ICLR
2022. Here the regions come from depth and colour instead of a trained proposal network, and nothing is distilled: each
region is embedded by CLIP itself, like in the paper's ViLD-text with CLIP on cropped regions (its section 3.2), from
crops of 1 and 1.5 times its size. Classes are embedded by an ensemble of prompts; the background has a class of its
own.
"""

from collections.abc import Sequence

import numpy as np

from perception_node.camera import Camera, Doubles, Floats
from perception_node.config import PerceptionConfig
from perception_node.detector import Detection, Image, Mask
from perception_node.detectors.boxes import Boxes, ensemble, kept_by_nms, normalised, softmax
from perception_node.detectors.clip_model import ImageTextEmbedder
from perception_node.detectors.open_vocabulary import OpenVocabulary, one_of_each_container
from perception_node.detectors.prompts import Prompt, prompts
from perception_node.detectors.region_proposals import Place3d, lift, proposals
from perception_node.lexicon import PrototypeLexicon

TEMPLATES = (
    'a photo of {}.',
    'a photo of {} on a table.',
    'a close-up photo of {}.',
    'a picture of {} seen from above.',
    'there is {} in the scene.',
)
BACKGROUND = ('background', 'an empty table', 'a grey surface', 'a part of a robot arm')
CROPS = (1.0, 1.5)
_LEAST_CROP_PX = 8


class VildDetector(OpenVocabulary):
    """Finds regions by depth and colour and names them with CLIP. It accepts any words."""

    def __init__(self, lexicon: PrototypeLexicon, config: PerceptionConfig, embedder: ImageTextEmbedder) -> None:
        super().__init__(lexicon, config)
        self._embedder = embedder
        self._known: tuple[tuple[str, ...], tuple[Prompt, ...], Doubles] | None = None

    def detect(
        self, rgb: Image, depth_m: Floats, camera: Camera, vocabulary: tuple[str, ...], mask: Mask
    ) -> tuple[Detection, ...]:
        """See Detector."""
        asked, texts = self._classes(vocabulary)
        seen = self._segmenter.split(rgb, depth_m, camera, mask)
        boxes, groups = proposals(seen.patches, camera.width)
        if not groups:
            return ()
        # The last class is the background; regions that fit it best are dropped.
        odds = softmax(self._regions(rgb, boxes) @ texts.T, self._config.temperature)
        best = odds.argmax(axis=1)
        scores = odds[np.arange(len(odds)), best]
        place = Place3d(camera, seen.table_z, seen.near_mask)
        found = []
        for row in kept_by_nms(boxes, scores, best, self._config.most_overlap):
            if best[row] == len(asked) or scores[row] < self._config.model_min_score:
                continue
            prompt = asked[best[row]]
            item = lift(prompt.label, float(scores[row]), groups[row], place, is_container=prompt.is_container)
            if item is not None:
                found.append(item)
        return one_of_each_container(found)

    def _classes(self, vocabulary: tuple[str, ...]) -> tuple[tuple[Prompt, ...], Doubles]:
        """Prompts and directions (prompts + 1, d), with the background last; kept until the vocabulary changes."""
        if self._known is None or self._known[0] != vocabulary:
            asked = prompts(self._lexicon, vocabulary)
            rows = [ensemble(self._embedder.of_texts(texts_of(item.phrases))) for item in asked]
            rows.append(ensemble(self._embedder.of_texts(texts_of(BACKGROUND))))
            self._known = vocabulary, asked, np.array(rows)
        return self._known[1], self._known[2]

    def _regions(self, rgb: Image, boxes: Boxes) -> Doubles:
        """One direction (n, d) for each box, averaged over its crops."""
        crops = [crop(rgb, box, share) for share in CROPS for box in boxes]
        vectors = self._embedder.of_images(crops)
        return normalised(vectors.reshape(len(CROPS), len(boxes), -1).mean(axis=0))


def texts_of(phrases: Sequence[str]) -> list[str]:
    """Every phrase inserted into every template."""
    return [template.format(phrase) for phrase in phrases for template in TEMPLATES]


def crop(rgb: Image, box: Doubles, share: float) -> Image:
    """The image in a box (left, top, right, bottom) enlarged by `share` about its centre, cut at the image's edge."""
    height, width = rgb.shape[:2]
    middle_x, middle_y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    half_x = max((box[2] - box[0]) * share, _LEAST_CROP_PX) / 2
    half_y = max((box[3] - box[1]) * share, _LEAST_CROP_PX) / 2
    left, right = max(int(middle_x - half_x), 0), min(int(np.ceil(middle_x + half_x)), width)
    top, bottom = max(int(middle_y - half_y), 0), min(int(np.ceil(middle_y + half_y)), height)
    return np.ascontiguousarray(rgb[top:bottom, left:right])
