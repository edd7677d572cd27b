"""What detectors with models share: any words can be asked for, and regions of a picture become things on the table."""

from collections.abc import Sequence

from perception_node.config import PerceptionConfig
from perception_node.detector import Detection
from perception_node.detectors.prompts import not_askable
from perception_node.detectors.segmenter import Segmenter
from perception_node.lexicon import PrototypeLexicon


class OpenVocabulary:
    """The words of a detector that takes any, and the segmenter of its pictures. See Detector."""

    def __init__(self, lexicon: PrototypeLexicon, config: PerceptionConfig) -> None:
        self._lexicon = lexicon
        self._config = config
        self._segmenter = Segmenter(lexicon, config)

    @property
    def labels(self) -> tuple[str, ...]:
        """What is looked for unless a vocabulary is set: the lexicon's labels."""
        return self._lexicon.labels

    def refused(self, words: Sequence[str]) -> tuple[str, ...]:
        """See Detector."""
        return not_askable(words, self._lexicon)


def one_of_each_container(found: list[Detection]) -> tuple[Detection, ...]:
    """Containers are single things with names of their own: of each, the detection with the highest score."""
    result: list[Detection] = []
    for item in sorted(found, key=lambda item: -item.score):
        if not (item.is_container and any(other.label == item.label for other in result)):
            result.append(item)
    return tuple(result)
