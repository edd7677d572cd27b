"""Distortion is taken out: what a bent lens shows lands where a pinhole camera would show it."""

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perception_node.camera import Intrinsics
from perception_node.lens import FISHEYE, Lens, Rectifier

CAMERA = Intrinsics(width=320, height=240, fx=300.0, fy=302.0, cx=158.0, cy=121.0)
# As drivers publish them: a RealSense D455's colour camera, an Orbbec Femto Bolt's, and a fisheye.
D455 = (-0.0560, 0.0655, -0.0004, 0.0006, -0.0210)
FEMTO_BOLT = (0.0741, -0.1022, 0.0002, -0.0001, 0.0408, 0.0, 0.0, 0.0)
WIDE = (0.08, -0.02, 0.004, -0.001)
LENSES = [('plumb_bob', D455), ('rational_polynomial', FEMTO_BOLT), (FISHEYE, WIDE)]


def matrix() -> np.ndarray:
    return np.array([[CAMERA.fx, 0.0, CAMERA.cx], [0.0, CAMERA.fy, CAMERA.cy], [0.0, 0.0, 1.0]])


def seen_at(points: np.ndarray, lens: Lens) -> np.ndarray:
    """Pixels (n, 2) at which a lens shows points (n, 3) of the optical frame."""
    still, bend = np.zeros(3), np.array(lens.coefficients)
    if lens.model == FISHEYE:
        return cv2.fisheye.projectPoints(points[:, None], still, still, matrix(), bend)[0][:, 0]
    return cv2.projectPoints(points, still, still, matrix(), bend)[0][:, 0]


def blob(picture: np.ndarray, near: np.ndarray) -> np.ndarray:
    """Centre (column, row) of what is bright around a pixel."""
    column, row = np.round(near).astype(int)
    part = picture[row - 8 : row + 9, column - 8 : column + 9].astype(float)
    rows, columns = np.mgrid[row - 8 : row + 9, column - 8 : column + 9]
    return np.array([(columns * part).sum(), (rows * part).sum()]) / part.sum()


@pytest.mark.parametrize(('model', 'coefficients'), LENSES, ids=lambda value: value if isinstance(value, str) else '')
@settings(max_examples=20, deadline=None)
@given(x=st.floats(-0.4, 0.4), y=st.floats(-0.28, 0.28))
def test_a_point_lands_where_a_pinhole_camera_shows_it(
    model: str, coefficients: tuple[float, ...], x: float, y: float
) -> None:
    lens = Lens(intrinsics=CAMERA, model=model, coefficients=coefficients)
    bent = seen_at(np.array([[x, y, 1.0]]), lens)[0]
    picture = np.zeros((240, 320, 3), np.uint8)
    cv2.circle(picture, tuple(np.round(bent * 16).astype(int).tolist()), 3 * 16, (255, 255, 255), -1, cv2.LINE_AA, 4)
    pinhole = np.array([CAMERA.fx * x + CAMERA.cx, CAMERA.fy * y + CAMERA.cy])
    assert blob(Rectifier(lens).rectified(picture)[..., 0], pinhole) == pytest.approx(pinhole, abs=0.35)


@pytest.mark.parametrize(('model', 'coefficients'), LENSES, ids=lambda value: value if isinstance(value, str) else '')
def test_depths_are_never_mixed(model: str, coefficients: tuple[float, ...]) -> None:
    lens = Lens(intrinsics=CAMERA, model=model, coefficients=coefficients)
    depth = np.random.default_rng(0).choice(np.array([0.8, 1.4, np.nan], np.float32), (240, 320))
    got = Rectifier(lens).rectified(depth)
    assert got.dtype == np.float32
    assert {float(value) for value in np.unique(got[np.isfinite(got)])} <= {
        0.0,
        float(np.float32(0.8)),
        float(np.float32(1.4)),
    }


def test_without_distortion_pictures_are_left_as_they_are() -> None:
    rectifier = Rectifier(Lens(intrinsics=CAMERA, model='plumb_bob', coefficients=(0.0,) * 5))
    picture = np.zeros((240, 320, 3), np.uint8)
    assert rectifier.rectified(picture) is picture


def test_a_fisheye_without_coefficients_of_its_own_bends_pictures_all_the_same() -> None:
    lens = Lens(intrinsics=CAMERA, model=FISHEYE, coefficients=(0.0,) * 4)
    bent = seen_at(np.array([[0.4, 0.0, 1.0]]), lens)[0]
    picture = np.zeros((240, 320, 3), np.uint8)
    cv2.circle(picture, tuple(np.round(bent * 16).astype(int).tolist()), 3 * 16, (255, 255, 255), -1, cv2.LINE_AA, 4)
    pinhole = np.array([CAMERA.fx * 0.4 + CAMERA.cx, CAMERA.cy])
    assert abs(bent[0] - pinhole[0]) > 5
    assert blob(Rectifier(lens).rectified(picture)[..., 0], pinhole) == pytest.approx(pinhole, abs=0.35)


def test_an_unknown_lens_is_refused() -> None:
    with pytest.raises(ValueError, match=r"must be one of plumb_bob, .* got 'omnidir'"):
        Lens(intrinsics=CAMERA, model='omnidir', coefficients=(0.1,))
    with pytest.raises(ValueError, match='plumb_bob has 4 or 5 or 8 finite coefficients'):
        Lens(intrinsics=CAMERA, coefficients=(0.1, float('nan'), 0.0, 0.0))


def test_a_picture_of_another_size_is_refused() -> None:
    rectifier = Rectifier(Lens(intrinsics=CAMERA, coefficients=D455))
    with pytest.raises(ValueError, match='camera info is for 320x240 pixels'):
        rectifier.rectified(np.zeros((480, 640, 3), np.uint8))
