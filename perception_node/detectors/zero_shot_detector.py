"""A zero-shot detector: a model finds boxes for phrases, and the depth image gives each object's place and size."""

from collections.abc import Sequence

import numpy as np

from perception_node.camera import Camera, Doubles, Floats
from perception_node.config import PerceptionConfig
from perception_node.detector import Detection, Image, Mask
from perception_node.detectors.boxes import NamedBox, kept_by_nms
from perception_node.detectors.open_vocabulary import OpenVocabulary, one_of_each_container
from perception_node.detectors.phrase_models import PhraseModel
from perception_node.detectors.prompts import Prompt, prompts
from perception_node.detectors.region_proposals import in_world
from perception_node.lexicon import PrototypeLexicon


class ZeroShotDetector(OpenVocabulary):
    """Takes boxes for phrases from a model, and depth and colour from the images. It accepts any words."""

    def __init__(self, lexicon: PrototypeLexicon, config: PerceptionConfig, model: PhraseModel) -> None:
        super().__init__(lexicon, config)
        self._model = model

    def detect(
        self, rgb: Image, depth_m: Floats, camera: Camera, vocabulary: tuple[str, ...], mask: Mask
    ) -> tuple[Detection, ...]:
        """See Detector. Boxes without anything standing on the table are dropped."""
        boxes = self.boxes_in(rgb, vocabulary)
        seen = self._segmenter.split(rgb, depth_m, camera, mask)
        return one_of_each_container(in_world(boxes, seen, camera))

    def boxes_in(self, rgb: Image, vocabulary: Sequence[str]) -> tuple[NamedBox, ...]:
        """Boxes of a vocabulary and of all containers in an image (h, w, 3), the best first.

        Raises:
            PerceptionError: the model failed.
        """
        asked = prompts(self._lexicon, vocabulary)
        boxes, scores = self._asked(rgb, asked)
        best = scores.argmax(axis=1) if len(scores) else np.zeros(0, np.intp)
        kept = kept_by_nms(boxes, scores.max(axis=1, initial=0.0), best, self._config.most_overlap)
        return tuple(
            NamedBox(asked[best[row]].label, float(scores[row, best[row]]), boxes[row], asked[best[row]].is_container)
            for row in kept
            if scores[row, best[row]] >= self._config.model_min_score
        )

    def _asked(self, rgb: Image, asked: tuple[Prompt, ...]) -> tuple[Doubles, Doubles]:
        """Boxes (n, 4), and scores (n, prompts): for each prompt, that of its best phrase."""
        phrases = [phrase for prompt in asked for phrase in prompt.phrases]
        answer = self._model.find(rgb, phrases)
        starts = np.cumsum([0, *(len(prompt.phrases) for prompt in asked)])[:-1]
        if not len(answer.boxes):
            return answer.boxes, np.zeros((0, len(asked)))
        return answer.boxes, np.maximum.reduceat(answer.scores, starts, axis=1)
