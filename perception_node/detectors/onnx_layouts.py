"""Input and output of common exports of detectors to ONNX: images in, boxes in pixels of the image out.

A layout is recognised by the names and shapes of the model's outputs, k being the number of its classes:

| layout | outputs | exports of |
| --- | --- | --- |
| `yolo` | (1, 4 + k, n): middle, size, scores of the classes | YOLOv8 to YOLO12 |
| `yolo_object` | (1, n, 5 + k): middle, size, score of any object, scores of the classes | YOLOv5, YOLOv7 |
| `yolo_ended` | (1, n, 6), n at most 1000: corners, score, class | YOLOv10, YOLO26; with suppression inside |
| `yolox` | (1, n, 5 + k), n the number of cells of three grids: as `yolo_object`, within each cell | YOLOX |
| `detr` | labels, boxes, scores, with a second input for the image's size | RT-DETR, D-FINE, DEIM |
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from perception_node.camera import Doubles, Floats
from perception_node.detector import Image
from perception_node.detectors.boxes import Boxes

STRIDES = (8, 16, 32)
"""Sizes of the cells of YOLOX's grids, in pixels of the input."""
MOST_ENDED = 1000
"""Most rows of an output after suppression; one before it has thousands."""
MOST_BOXES = 1000
"""Of more boxes, which only a model that fits nothing gives, the best are taken."""
_PADDING = 114
DETR_OUTPUTS = ('labels', 'boxes', 'scores')


@dataclass(frozen=True, slots=True, eq=False)
class ClassBoxes:
    """Boxes (n, 4) in pixels of the image, the class (n,) of each, and its score (n,) from 0 to 1."""

    boxes: Boxes
    classes: NDArray[np.intp]
    scores: Doubles


@dataclass(frozen=True, slots=True)
class InputTransform:
    """How an image was fitted into the input: image pixels times `scale`, plus `left` and `top`, are input pixels."""

    scale: tuple[float, float]
    left: float = 0.0
    top: float = 0.0

    def in_image(self, boxes: Boxes) -> Boxes:
        """Boxes (n, 4) of the input, in pixels of the image."""
        shift = np.array([self.left, self.top, self.left, self.top])
        result: Boxes = (boxes - shift) / np.array([*self.scale, *self.scale])
        return result


def layout_of(outputs: Mapping[str, Sequence[object]], classes: int, size: tuple[int, int]) -> str | None:
    """The layout of a model, or None if it has none of those known here.

    Args:
        outputs: shape of each output by name; sizes that are not fixed are not integers.
        classes: number of classes.
        size: height and width of the input, in pixels.
    """
    if set(DETR_OUTPUTS) <= set(outputs):
        return 'detr'
    [shape] = outputs.values() if len(outputs) == 1 else [()]
    if len(shape) != 3:
        return None
    rows, last = shape[1], shape[2]
    if last == 6 and not (isinstance(rows, int) and rows > MOST_ENDED):
        return 'yolo_ended'
    if last == 5 + classes:
        return 'yolox' if rows == len(_cells(size)[0]) else 'yolo_object'
    return 'yolo' if rows == 4 + classes else None


def fitted(rgb: Image, size: tuple[int, int], layout: str) -> tuple[Floats, InputTransform]:
    """An image (h, w, 3) as input (1, 3, height, width) of a layout, and how it was fitted into it.

    YOLO takes red, green and blue from 0 to 1, with a grey margin on both sides; YOLOX blue, green and red from 0 to
    255, with a margin at the right and at the bottom; DETR takes 0 to 1, stretched to the size.
    """
    height, width = rgb.shape[:2]
    if layout == 'detr':
        stretched = cv2.resize(rgb, (size[1], size[0]))
        return _planes(stretched) / np.float32(255), InputTransform((size[1] / width, size[0] / height))
    scale = min(size[0] / height, size[1] / width)
    wide, high = min(round(width * scale), size[1]), min(round(height * scale), size[0])
    left, top = (0, 0) if layout == 'yolox' else ((size[1] - wide) // 2, (size[0] - high) // 2)
    canvas = np.full((*size, 3), _PADDING, np.uint8)
    canvas[top : top + high, left : left + wide] = cv2.resize(rgb, (wide, high))
    if layout == 'yolox':
        return _planes(canvas[..., ::-1]), InputTransform((scale, scale))
    return _planes(canvas) / np.float32(255), InputTransform((scale, scale), left, top)


def decoded(
    outputs: Mapping[str, Floats], layout: str, size: tuple[int, int], transform: InputTransform, least: float
) -> ClassBoxes:
    """The boxes of an answer that score at least `least`, in pixels of the image; see `layout_of` for the layouts.

    A `detr` gives pixels of the image itself.
    """
    if layout == 'detr':
        labels, boxes, certain = (outputs[name] for name in DETR_OUTPUTS)
        return _above(boxes.reshape(-1, 4), labels.ravel(), certain.ravel(), least)
    [answer] = outputs.values()
    table: Doubles = np.asarray(answer[0], np.float64)
    if layout == 'yolo_ended':
        return _above(transform.in_image(table[:, :4]), table[:, 5], table[:, 4], least)
    if layout == 'yolo':
        table = table.T
        scores: Doubles = table[:, 4:]
    else:
        scores = table[:, 5:] * table[:, 4:5]
    if layout == 'yolox':
        corner, stride = _cells(size)
        table = np.hstack([(table[:, :2] + corner) * stride, np.exp(np.minimum(table[:, 2:4], 20.0)) * stride])
    best = scores.argmax(axis=1)
    found = _above(table[:, :4], best, scores[np.arange(len(scores)), best], least)
    half = found.boxes[:, 2:] / 2
    corners = np.hstack([found.boxes[:, :2] - half, found.boxes[:, :2] + half])
    return ClassBoxes(transform.in_image(corners), found.classes, found.scores)


def _above(boxes: np.ndarray, classes: np.ndarray, scores: np.ndarray, least: float) -> ClassBoxes:
    # An answer that is no number at all is no detection.
    rows = np.flatnonzero((scores >= least) & np.isfinite(boxes).all(axis=1))
    rows = rows[np.argsort(-scores[rows], kind='stable')[:MOST_BOXES]]
    return ClassBoxes(
        boxes[rows].astype(np.float64), classes[rows].astype(np.intp), np.minimum(scores[rows].astype(np.float64), 1.0)
    )


def _cells(size: tuple[int, int]) -> tuple[Doubles, Doubles]:
    """Column and row (n, 2) of each cell of YOLOX's grids, and its size (n, 1) in pixels."""
    corners, strides = [], []
    for stride in STRIDES:
        rows, columns = np.mgrid[0 : size[0] // stride, 0 : size[1] // stride]
        corners.append(np.stack((columns.ravel(), rows.ravel()), axis=1).astype(np.float64))
        strides.append(np.full((rows.size, 1), float(stride)))
    return np.concatenate(corners), np.concatenate(strides)


def _planes(rgb: Image) -> Floats:
    result: Floats = np.ascontiguousarray(rgb.transpose(2, 0, 1)[None], dtype=np.float32)
    return result
