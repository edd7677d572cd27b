"""Calculations with scores and boxes, shared by the detectors with models."""

from dataclasses import dataclass

import numpy as np
from scipy import special

from perception_node.camera import Doubles, Floats

Boxes = Doubles
"""(n, 4): left, top, right, bottom in pixels."""
_CANCELLED = 1e-5
"""Embeddings have 32 bits, so that the mean of opposite ones is some 1e-7 instead of 0."""


@dataclass(frozen=True, slots=True, eq=False)
class NamedBox:
    """A box (4,) in an image, in pixels, with its label and score from 0 to 1."""

    label: str
    score: float
    box: Doubles
    is_container: bool = False


def softmax(logits: Doubles, temperature: float) -> Doubles:
    """Probabilities along the last axis: exp(x / T), normalised. A smaller T > 0 gives more extreme ones.

    Raises:
        ValueError: `temperature` is not above 0.
    """
    if temperature <= 0:
        raise ValueError(f'temperature must be above 0, got {temperature:g}')
    result: Doubles = special.softmax(np.asarray(logits, np.float64) / temperature, axis=-1)
    return result


def normalised(vectors: Floats | Doubles) -> Doubles:
    """Rows (n, d) scaled to length 1; rows of zeros stay zero."""
    vectors = np.asarray(vectors, np.float64)
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    result: Doubles = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return result


def ensemble(embeddings: Floats | Doubles) -> Doubles:
    """One direction (d,) for several embeddings (n, d): the mean of the unit vectors, scaled to length 1 again.

    All zeros if they cancel out, because then the mean is only rounding error.
    """
    mean = normalised(embeddings).mean(axis=0)
    if np.linalg.norm(mean) < _CANCELLED:
        return np.zeros_like(mean)
    result: Doubles = normalised(mean[None])[0]
    return result


def overlaps(box: Doubles, boxes: Boxes) -> Doubles:
    """Intersection over union of one box (4,) with others (n, 4)."""
    width = np.minimum(box[2], boxes[:, 2]) - np.maximum(box[0], boxes[:, 0])
    height = np.minimum(box[3], boxes[:, 3]) - np.maximum(box[1], boxes[:, 1])
    inside = np.maximum(width, 0.0) * np.maximum(height, 0.0)
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    union = (box[2] - box[0]) * (box[3] - box[1]) + areas - inside
    result: Doubles = np.divide(inside, union, out=np.zeros_like(inside), where=union > 0)
    return result


def kept_by_nms(boxes: Boxes, scores: Doubles, classes: np.ndarray, most_overlap: float) -> list[int]:
    """Per-class non-maximum suppression: the rows to keep, best first.

    A box is dropped if a kept box of its class with a higher score (or an equal score and an earlier row) overlaps it
    by more than `most_overlap`.
    """
    kept: list[int] = []
    for row in np.argsort(-scores, kind='stable'):
        same = [other for other in kept if classes[other] == classes[row]]
        if not same or overlaps(boxes[row], boxes[same]).max() <= most_overlap:
            kept.append(int(row))
    return kept
