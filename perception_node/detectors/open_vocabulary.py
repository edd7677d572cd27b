"""Shared parts of the detectors with models: they accept any words, and turn regions of an image into objects."""

from collections.abc import Sequence

from perception_node.config import PerceptionConfig
from perception_node.detector import Detection
from perception_node.detectors.prompts import not_askable
from perception_node.detectors.segmenter import Segmenter
from perception_node.lexicon import PrototypeLexicon


class OpenVocabulary:
    """The vocabulary and the segmenter of a detector that accepts any words. See Detector."""

    def __init__(self, lexicon: PrototypeLexicon, config: PerceptionConfig) -> None:
        self._lexicon = lexicon
        self._config = config
        self._segmenter = Segmenter(lexicon, config)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that are looked for unless a vocabulary is set: those of the lexicon."""
        return self._lexicon.labels

    def refused(self, words: Sequence[str]) -> tuple[str, ...]:
        """See Detector."""
        return not_askable(words, self._lexicon)


def one_of_each_container(found: list[Detection]) -> tuple[Detection, ...]:
    """The detections, with only the best one of each container, because every container exists once."""
    result: list[Detection] = []
    for item in sorted(found, key=lambda item: -item.score):
        if not (item.is_container and any(other.label == item.label for other in result)):
            result.append(item)
    return tuple(result)
