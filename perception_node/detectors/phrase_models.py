"""OWL-ViT, OWLv2 and Grounding DINO from transformers, which find boxes for phrases."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from perception_node.camera import Doubles
from perception_node.detector import Image
from perception_node.detectors.boxes import Boxes
from perception_node.detectors.loaded_model import LoadedModel


@dataclass(frozen=True, slots=True, eq=False)
class PhraseBoxes:
    """Boxes (n, 4) in pixels, and scores (n, phrases) from 0 to 1 of how well each box fits each phrase."""

    boxes: Boxes
    scores: Doubles


class PhraseModel(Protocol):
    """Finds boxes that phrases describe."""

    def find(self, rgb: Image, phrases: Sequence[str]) -> PhraseBoxes:
        """All boxes that the model proposes for an image (h, w, 3), however unlikely.

        Raises:
            PerceptionError: the model failed.
        """
        ...


class OwlModel:
    """OWL-ViT or OWLv2, by `kind` owlvit or owlv2, with one query per phrase. For loading, see LoadedModel."""

    _CLASSES: ClassVar[dict[str, str]] = {'owlvit': 'OwlViTForObjectDetection', 'owlv2': 'Owlv2ForObjectDetection'}

    def __init__(self, kind: str, model: str, *, device: str = 'auto') -> None:
        self._model = LoadedModel(kind, model, kind, self._CLASSES[kind], device)
        # OWLv2 pads an image to a square, at the right and at the bottom, before resizing it.
        self._squared = kind == 'owlv2'
        self._tokens: tuple[tuple[str, ...], Any] = ((), {})

    def find(self, rgb: Image, phrases: Sequence[str]) -> PhraseBoxes:
        """See PhraseModel."""
        return self._model.run(lambda: self._find(rgb, tuple(phrases)))

    def _find(self, rgb: Image, phrases: tuple[str, ...]) -> PhraseBoxes:
        processor = self._model.processor
        if self._tokens[0] != phrases:
            longest = self._model.network.config.text_config.max_position_embeddings
            tokens = processor.tokenizer(
                list(phrases), padding='max_length', truncation=True, max_length=longest, return_tensors='pt'
            )
            self._tokens = phrases, {key: tokens[key] for key in ('input_ids', 'attention_mask')}
        pixels = processor.image_processor(images=rgb, return_tensors='pt')
        made = self._model.network(**self._model.to_device({**self._tokens[1], 'pixel_values': pixels.pixel_values}))
        height, width = rgb.shape[:2]
        size = (max(height, width),) * 2 if self._squared else (height, width)
        scores = made.logits[0].float().sigmoid().cpu().numpy().astype(np.float64)
        return PhraseBoxes(_corners(made.pred_boxes[0], size), scores)


class GroundingDinoModel:
    """Grounding DINO: the phrases become one text of sentences; a phrase's score is the mean over its tokens."""

    def __init__(self, model: str, *, device: str = 'auto') -> None:
        self._model = LoadedModel('grounding-dino', model, 'grounding-dino', 'GroundingDinoForObjectDetection', device)

    def find(self, rgb: Image, phrases: Sequence[str]) -> PhraseBoxes:
        """See PhraseModel. Phrases that do not fit into one text are split into several texts."""
        return self._model.run(lambda: self._find(rgb, tuple(phrases)))

    def _find(self, rgb: Image, phrases: tuple[str, ...]) -> PhraseBoxes:
        pixels = self._model.processor.image_processor(images=rgb, return_tensors='pt')
        inputs = {key: pixels[key] for key in ('pixel_values', 'pixel_mask') if key in pixels}
        boxes, scores = [], []
        for start, end in self._groups(phrases):
            found = self._ask(inputs, phrases[start:end], rgb.shape[:2])
            row = np.zeros((len(found.boxes), len(phrases)))
            row[:, start:end] = found.scores
            boxes.append(found.boxes)
            scores.append(row)
        return PhraseBoxes(np.concatenate(boxes), np.concatenate(scores))

    def _groups(self, phrases: tuple[str, ...]) -> list[tuple[int, int]]:
        room = self._model.network.config.max_text_len - 2
        lengths = [
            len(self._model.processor.tokenizer(f'{item}. ', add_special_tokens=False).input_ids) for item in phrases
        ]
        groups, start, used = [], 0, 0
        for index, length in enumerate(lengths):
            if used + length > room and index > start:
                groups.append((start, index))
                start, used = index, 0
            used += length
        return [*groups, (start, len(phrases))]

    def _ask(self, inputs: dict[str, Any], phrases: tuple[str, ...], size: tuple[int, ...]) -> PhraseBoxes:
        text, spans = '', []
        for phrase in phrases:
            spans.append((len(text), len(text) + len(phrase)))
            # The model was trained on lower-case sentences that each end with a full stop.
            text += f'{phrase.lower()}. '
        tokens = self._model.processor.tokenizer(
            text,
            return_offsets_mapping=True,
            return_token_type_ids=True,
            truncation=True,
            max_length=self._model.network.config.max_text_len,
            return_tensors='pt',
        )
        offsets = tokens.pop('offset_mapping')[0].tolist()
        made = self._model.network(**self._model.to_device({**tokens, **inputs}))
        fits = made.logits[0].float().sigmoid().cpu().numpy().astype(np.float64)
        scores = np.zeros((len(fits), len(phrases)))
        for column, (low, high) in enumerate(spans):
            own = [number for number, (a, b) in enumerate(offsets) if a < b and a < high and b > low]
            if own:
                scores[:, column] = fits[:, own].mean(axis=1)
        return PhraseBoxes(_corners(made.pred_boxes[0], (size[0], size[1])), scores)


def _corners(boxes: Any, size: tuple[int, int]) -> Boxes:
    """Converts centres and sizes, as shares of an image (height, width), to corners in pixels."""
    x, y, width, height = boxes.float().cpu().numpy().astype(np.float64).T
    corners = np.stack((x - width / 2, y - height / 2, x + width / 2, y + height / 2), axis=1)
    result: Boxes = corners * np.array([size[1], size[0], size[1], size[0]], np.float64)
    return result
