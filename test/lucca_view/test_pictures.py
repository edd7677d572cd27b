"""Pictures of a recording are decoded, or left out if they are damaged or claim to be huge."""

import base64

import cv2
import numpy as np
import pytest

from lucca_view import pictures
from lucca_view.pictures import decoded, jpeg_of

JPEG = cv2.imencode('.jpg', np.full((24, 32, 3), 200, np.uint8))[1].tobytes()
PNG = cv2.imencode('.png', np.full((24, 32, 3), 200, np.uint8))[1].tobytes()
FRAME = JPEG.index(b'\xff\xc0')


def text(data):
    return base64.b64encode(data).decode()


def claiming(height, width):
    """A picture of a few hundred bytes that says that it has this size."""
    return JPEG[: FRAME + 5] + height.to_bytes(2) + width.to_bytes(2) + JPEG[FRAME + 9 :]


@pytest.mark.parametrize('data', [JPEG, JPEG[:FRAME] + b'\xff' + JPEG[FRAME:]], ids=['plain', 'filled'])
def test_a_picture_is_decoded(data):
    picture = decoded(text(data))
    assert picture.shape == (24, 32, 3)
    assert abs(picture.mean() - 200) < 3


@pytest.mark.parametrize('damaged', ['', 'A', '%%%', 'é', '\ud800', text(b''), text(JPEG[:4]), text(JPEG[:FRAME])])
def test_what_is_no_picture_is_left_out(damaged):
    assert decoded(damaged) is None


@pytest.mark.parametrize('end', range(2, len(JPEG), 25))
def test_a_picture_that_is_cut_off_is_shown_as_far_as_it_goes_or_left_out(end):
    picture = decoded(text(JPEG[:end]))
    assert picture is None or picture.shape == (24, 32, 3)


@pytest.mark.parametrize(
    'data',
    [
        claiming(60_000, 60_000),
        claiming(65_535, 1_000),
        claiming(0, 32),
        PNG,
        # A marker without a length, behind which another size stands first for whoever takes its next bytes for one.
        JPEG[:2] + b'\xff\xd0' + claiming(60_000, 60_000)[2:],
    ],
    ids=['huge', 'wide', 'flat', 'other format', 'hidden'],
)
def test_what_claims_another_size_than_a_camera_has_is_not_even_decoded(data, monkeypatch):
    monkeypatch.setattr(pictures.cv2, 'imdecode', lambda *_: pytest.fail('it was decoded'))
    assert decoded(text(data)) is None


def test_the_bytes_of_a_picture_are_those_of_its_text():
    assert jpeg_of(text(JPEG)) == JPEG
    assert jpeg_of('A') == b''
