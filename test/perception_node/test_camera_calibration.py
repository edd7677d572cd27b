"""A camera's pose from rendered boards with noise, blur and distortion, against the pose they were rendered with."""

import logging

import cv2
import numpy as np
import pytest
from rendered_boards import BOARD, CAMERA, FLAT, LENS, TABLE_M, board_place, depth_mm, drawn_pose, metres, rendered

from lucca_core.errors import PerceptionError
from perception_node.camera_calibration import Board, PlacedBoard, camera_pose, straightened
from perception_node.lens import FISHEYE, Lens
from perception_node.table_check import DepthView, table_seen

_LOG = logging.getLogger(__name__)
SEEDS = [*range(4), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(4, 20))]


@pytest.mark.parametrize('seed', SEEDS)
def test_the_pose_is_within_3_mm_and_half_a_degree_of_the_truth(seed: int) -> None:
    rng = np.random.default_rng(seed)
    camera, board = drawn_pose(rng), board_place(rng)
    found = camera_pose(rendered(rng, camera, board, 8), board, LENS)
    error_mm, error_deg = found.off_by(camera.rotation, camera.position_m)
    table = table_seen([DepthView(metres(depth_mm(rng, camera, board)), found.pose)], board, LENS, TABLE_M)
    table.check()
    _LOG.info(
        'seed %d: %.2f mm, %.3f degrees, %.3f px in %d pictures; table %+.2f mm, %.3f degrees',
        *(seed, error_mm, error_deg, found.residual_px, found.pictures, 1e3 * table.above_m, table.tilt_deg),
    )
    assert found.pictures >= 6
    assert error_mm < 3.0
    assert error_deg < 0.5


def test_pictures_without_the_board_are_refused() -> None:
    placed = PlacedBoard(board=BOARD, rotation=FLAT, position_m=np.array([0.3, 0.1, TABLE_M]))
    with pytest.raises(PerceptionError, match='seen in 0 of 1 pictures'):
        camera_pose([np.full((480, 640, 3), 150, np.uint8)], placed, LENS)


def test_a_board_that_moved_in_between_is_refused() -> None:
    rng = np.random.default_rng(3)
    camera, board = drawn_pose(rng), board_place(rng)
    moved = PlacedBoard(board=BOARD, rotation=board.rotation, position_m=board.position_m + np.array([0.03, 0.0, 0.0]))
    with pytest.raises(PerceptionError, match='did it lie still'):
        camera_pose([*rendered(rng, camera, board), *rendered(rng, camera, moved)], board, LENS)


def test_pictures_of_another_size_than_the_camera_info_are_refused() -> None:
    rng = np.random.default_rng(4)
    camera, board = drawn_pose(rng), board_place(rng)
    (picture,) = rendered(rng, camera, board)
    large = cv2.resize(picture, None, fx=2.0, fy=2.0)
    with pytest.raises(PerceptionError, match='camera info is for 640x480 pixels, but a picture has 1280x960'):
        camera_pose([large], board, LENS)


def test_the_same_few_corners_in_many_pictures_are_too_few() -> None:
    rng = np.random.default_rng(5)
    camera, board = drawn_pose(rng), board_place(rng)
    (picture,) = rendered(rng, camera, board)
    found = cv2.aruco.CharucoDetector(BOARD.pattern()).detectBoard(picture[..., 0])
    corners = dict(zip(found[1].ravel().tolist(), found[0].reshape(-1, 2), strict=True))
    across = BOARD.columns - 1
    few = np.array([corners[number] for number in (0, 1, across, across + 1)])
    column, row = few.min(axis=0).astype(int) - 45
    width, height = np.ptp(few, axis=0).astype(int) + 90
    cut = np.full_like(picture, 128)
    cut[max(row, 0) : row + height, max(column, 0) : column + width] = picture[
        max(row, 0) : row + height, max(column, 0) : column + width
    ]
    with pytest.raises(PerceptionError, match=r'seen in \d of 6 pictures, with \d+ of its corners'):
        camera_pose([cut] * 6, board, LENS)


@pytest.mark.parametrize('lens', [LENS, Lens(intrinsics=CAMERA, model=FISHEYE, coefficients=(0.05, -0.02, 0.01, 0.0))])
def test_pixels_are_straightened_to_where_a_pinhole_would_show_the_points(lens: Lens) -> None:
    matrix = np.array([[CAMERA.fx, 0.0, CAMERA.cx], [0.0, CAMERA.fy, CAMERA.cy], [0.0, 0.0, 1.0]])
    points, still = np.random.default_rng(6).uniform((-0.4, -0.3, 0.9), (0.4, 0.3, 1.4), (20, 3)), np.zeros(3)
    if lens.model == FISHEYE:
        bent = cv2.fisheye.projectPoints(points[:, None], still, still, matrix, np.array(lens.coefficients))[0][:, 0]
    else:
        bent = cv2.projectPoints(points, still, still, matrix, np.array(lens.coefficients))[0][:, 0]
    plain = cv2.projectPoints(points, still, still, matrix, None)[0][:, 0]
    assert np.abs(bent - plain).max() > 1.0
    assert np.abs(straightened(bent, lens) - plain).max() < 0.02


def test_an_impossible_board_is_refused() -> None:
    with pytest.raises(ValueError, match='3 to 20 columns'):
        Board(columns=2)
