"""Fakes of a detector and its models."""

import zlib
from collections.abc import Sequence

import numpy as np

from perception_node.camera import Camera, Doubles, Floats
from perception_node.detector import Detection, Image, Mask
from perception_node.detectors.boxes import normalised
from perception_node.detectors.phrase_models import PhraseBoxes


class FakeDetector:
    """Gives what it was told to, frame by frame (the last one for ever), and records what it was asked."""

    def __init__(self, *frames: tuple[Detection, ...], labels: tuple[str, ...] = ()) -> None:
        self._frames = list(frames)
        self._labels = labels or tuple(dict.fromkeys(item.label for frame in frames for item in frame))
        self.asked: list[tuple[str, ...]] = []

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels it was made with, else those of its detections."""
        return self._labels

    def refused(self, words: Sequence[str]) -> tuple[str, ...]:
        """Other words than its labels."""
        return tuple(word for word in words if word not in self._labels)

    def detect(
        self, rgb: Image, depth_m: Floats, camera: Camera, vocabulary: tuple[str, ...], mask: Mask
    ) -> tuple[Detection, ...]:
        """The next frame's detections, of the vocabulary."""
        self.asked.append(vocabulary)
        frame = self._frames.pop(0) if len(self._frames) > 1 else self._frames[0] if self._frames else ()
        return tuple(item for item in frame if item.is_container or item.label in vocabulary)


class FakeImageTextEmbedder:
    """Pictures by their mean colour, texts by a colour that is given for them, else by their letters."""

    def __init__(self, **colours: tuple[float, float, float]) -> None:
        self._colours = colours
        self.texts: list[str] = []

    def of_images(self, images: Sequence[Image]) -> Doubles:
        """See ImageTextEmbedder."""
        return normalised(np.array([image.reshape(-1, 3).mean(axis=0) for image in images]).reshape(-1, 3))

    def of_texts(self, texts: Sequence[str]) -> Doubles:
        """See ImageTextEmbedder."""
        self.texts += texts
        return normalised(np.array([self._colour(text) for text in texts], np.float64))

    def _colour(self, text: str) -> tuple[float, float, float]:
        for word, colour in self._colours.items():
            if word in text:
                return colour
        number = zlib.crc32(text.encode())
        return float(1 + number % 7), float(1 + number // 7 % 7), float(1 + number // 49 % 7)


class FakePhraseModel:
    """Gives the same boxes for every picture: (phrase, score, box); records what it was asked for."""

    def __init__(self, *answers: tuple[str, float, tuple[float, float, float, float]]) -> None:
        self._answers = answers
        self.asked: list[tuple[str, ...]] = []

    def find(self, rgb: Image, phrases: Sequence[str]) -> PhraseBoxes:
        """See PhraseModel."""
        self.asked.append(tuple(phrases))
        scores = [[score if phrase == said else 0.0 for phrase in phrases] for said, score, _ in self._answers]
        boxes = np.array([box for _, _, box in self._answers], np.float64).reshape(-1, 4)
        return PhraseBoxes(boxes, np.array(scores, np.float64).reshape(len(boxes), len(phrases)))
