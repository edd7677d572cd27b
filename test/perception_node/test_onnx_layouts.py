"""What goes into exported detectors, and what comes out of them, layout by layout."""

import numpy as np
import pytest

from perception_node.detectors.onnx_layouts import STRIDES, decoded, fitted, layout_of

SIZE = (320, 320)
CELLS = sum((SIZE[0] // stride) ** 2 for stride in STRIDES)
CLASSES = 3
BOX = (50.0, 20.0, 90.0, 80.0)
"""Left, top, right, bottom in a picture of 200 times 100 pixels."""
PICTURE = np.zeros((100, 200, 3), np.uint8)


@pytest.mark.parametrize(
    ('outputs', 'layout'),
    [
        ({'output0': (1, 4 + CLASSES, 2100)}, 'yolo'),
        ({'output0': (1, 4 + CLASSES, 'anchors')}, 'yolo'),
        ({'output0': (1, 6300, 5 + CLASSES)}, 'yolo_object'),
        ({'output': (1, CELLS, 5 + CLASSES)}, 'yolox'),
        ({'output0': (1, 300, 6)}, 'yolo_ended'),
        ({'labels': (1, 300), 'boxes': (1, 300, 4), 'scores': (1, 300)}, 'detr'),
        ({'output0': (1, 12, 2100)}, None),
        ({'output0': (1, 1000)}, None),
        ({'output0': (1, 4 + CLASSES, 2100), 'output1': (1, 32, 80, 80)}, None),
        ({}, None),
    ],
)
def test_layouts_are_recognised_by_names_and_shapes(outputs, layout):
    assert layout_of(outputs, CLASSES, SIZE) == layout


def test_with_one_or_two_classes_rows_of_six_are_told_apart_by_their_number():
    assert layout_of({'output0': (1, 6300, 6)}, 1, SIZE) == 'yolo_object'
    assert layout_of({'output0': (1, 6, 2100)}, 2, SIZE) == 'yolo'
    assert layout_of({'output0': (1, 300, 6)}, 2, SIZE) == 'yolo_ended'


def test_yolo_sees_colours_from_0_to_1_between_grey_margins():
    rgb = np.full((100, 200, 3), (255, 51, 0), np.uint8)
    pixels, _ = fitted(rgb, SIZE, 'yolo')
    assert pixels.shape == (1, 3, 320, 320)
    assert pixels.dtype == np.float32
    assert pixels[0, :, 160, 160] == pytest.approx((1.0, 0.2, 0.0))
    assert pixels[0, :, [10, 310], 160] == pytest.approx(114 / 255)


def test_yolox_sees_blue_first_from_0_to_255_and_a_margin_at_the_end():
    pixels, _ = fitted(np.full((100, 200, 3), (255, 51, 0), np.uint8), SIZE, 'yolox')
    assert pixels[0, :, 5, 5] == pytest.approx((0, 51, 255))
    assert pixels[0, :, 310, 160] == pytest.approx(114)


def test_detr_sees_the_picture_stretched():
    pixels, _ = fitted(np.full((100, 200, 3), (255, 51, 0), np.uint8), SIZE, 'detr')
    assert np.allclose(pixels[0].transpose(1, 2, 0), (1.0, 0.2, 0.0))


def answer_for(layout):
    """What a model gives that sees one thing of class 2 with a score of 0.8 in BOX."""
    # 200 x 100 become 320 x 160, with 80 above and below; at the top in YOLOX.
    left, top, right, bottom = (1.6 * item for item in BOX)
    if layout == 'detr':
        return {
            'labels': np.array([[2, 0]]),
            'boxes': np.array([[BOX, (0, 0, 1, 1)]]),
            'scores': np.array([[0.8, 0.1]]),
        }
    if layout != 'yolox':
        top, bottom = top + 80, bottom + 80
    x, y, width, height = (left + right) / 2, (top + bottom) / 2, right - left, bottom - top
    if layout == 'yolo_ended':
        return {'output0': np.array([[(left, top, right, bottom, 0.8, 2), (0, 0, 1, 1, 0.1, 0)]], np.float32)}
    if layout == 'yolo':
        return {
            'output0': np.array([[(x, y, width, height, 0.1, 0, 0.8), (9, 9, 9, 9, 0.1, 0, 0)]], np.float32).transpose(
                0, 2, 1
            )
        }
    if layout == 'yolo_object':
        return {
            'output0': np.array(
                [[(x, y, width, height, 0.9, 0.1, 0, 0.8 / 0.9), (9, 9, 9, 9, 0.1, 1, 0, 0)]], np.float32
            )
        }
    # In the grid of 16 pixels, whose cells come after the 40 x 40 of the grid of 8.
    table = np.zeros((1, CELLS, 5 + CLASSES), np.float32)
    column, row = int(x // 16), int(y // 16)
    cell = (x / 16 - column, y / 16 - row, np.log(width / 16), np.log(height / 16), 0.9, 0.1, 0, 0.8 / 0.9)
    table[0, 40 * 40 + 20 * row + column] = cell
    return {'output': table}


@pytest.mark.parametrize('layout', ['yolo', 'yolo_object', 'yolo_ended', 'yolox', 'detr'])
def test_boxes_come_out_in_pixels_of_the_picture(layout):
    _, transform = fitted(PICTURE, SIZE, layout)
    found = decoded(answer_for(layout), layout, SIZE, transform, 0.2)
    assert found.classes.tolist() == [2]
    assert found.scores == pytest.approx([0.8], abs=1e-6)
    assert found.boxes == pytest.approx(np.array([BOX]), abs=1e-3)


def test_boxes_that_are_no_numbers_are_dropped():
    rows = np.array([[(np.nan, 0, 9, 9, 0.9, 1), (0, 0, 9, 9, np.nan, 1), (0, 0, 9, np.inf, 0.9, 1)]], np.float32)
    _, transform = fitted(PICTURE, SIZE, 'yolo_ended')
    assert len(decoded({'output0': rows}, 'yolo_ended', SIZE, transform, 0.2).boxes) == 0
