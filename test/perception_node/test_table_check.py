"""Whether the table is where a calibrated pose shows it in depth images, against tables whose height is known."""

import dataclasses
import re

import numpy as np
import pytest
from rendered_boards import BOARD, CAMERA, FLAT, LENS, TABLE_M, board_place, depth_mm, drawn_pose, metres, rendered
from scipy.spatial.transform import Rotation

from lucca_core.errors import PerceptionError
from perception_node.camera_calibration import Board, PlacedBoard, camera_pose
from perception_node.camera_pose import CameraPose
from perception_node.table_check import DepthView, TableSeen, board_above_table_m, table_seen


@pytest.mark.parametrize('seed', range(6))
def test_the_table_is_seen_at_its_height_with_a_pose_that_is_right(seed: int) -> None:
    rng = np.random.default_rng(seed)
    camera, board = drawn_pose(rng), board_place(rng)
    found = table_seen([DepthView(metres(depth_mm(rng, camera, board)), camera)], board, LENS, TABLE_M)
    assert abs(found.above_m) < 0.001
    assert found.tilt_deg < 0.2
    found.check()


@pytest.mark.parametrize('above_m', [-0.03, 0.016])
def test_a_table_at_another_height_is_measured(above_m: float) -> None:
    rng = np.random.default_rng(7)
    camera, board = drawn_pose(rng), board_place(rng)
    depth = metres(depth_mm(rng, camera, board, TABLE_M + above_m))
    found = table_seen([DepthView(depth, camera)], board, LENS, TABLE_M)
    assert found.above_m == pytest.approx(above_m, abs=0.001)
    with pytest.raises(PerceptionError, match=re.escape(f'table {1e3 * found.above_m:+.1f} mm from its known height')):
        found.check()


def test_a_pose_that_is_tilted_is_refused_although_the_height_is_right_at_the_board() -> None:
    rng = np.random.default_rng(8)
    camera, board = drawn_pose(rng), board_place(rng)
    middle = board.in_world(BOARD.outline_m).mean(axis=0)
    turn = Rotation.from_euler('x', 2.0, degrees=True).as_matrix()
    tilted = CameraPose(turn @ camera.rotation, middle + turn @ (camera.position_m - middle))
    turned = PlacedBoard(
        board=BOARD, rotation=turn @ board.rotation, position_m=middle + turn @ (board.position_m - middle)
    )
    found = table_seen([DepthView(metres(depth_mm(rng, camera, board)), tilted)], turned, LENS, TABLE_M)
    assert found.tilt_deg == pytest.approx(2.0, abs=0.2)
    assert abs(found.above_m) < 0.002
    with pytest.raises(PerceptionError, match=r'tilted by 2\.\d\d degrees, more than 10 mm or 1 degrees'):
        found.check()


def test_squares_of_another_size_than_said_show_in_the_depth() -> None:
    """The pictures fit as well as with the right size: only depth tells."""
    rng = np.random.default_rng(9)
    camera, board = drawn_pose(rng), board_place(rng)
    said = Board(square_m=0.05)
    wrong = PlacedBoard(board=said, rotation=board.rotation, position_m=board.position_m)
    found = camera_pose(rendered(rng, camera, board, 3), wrong, LENS)
    assert found.residual_px < 0.2
    with pytest.raises(PerceptionError, match='mm from its known height'):
        table_seen([DepthView(metres(depth_mm(rng, camera, board)), found.pose)], wrong, LENS, TABLE_M).check()


def test_a_board_on_a_plate_and_things_beside_it_change_nothing() -> None:
    rng = np.random.default_rng(10)
    camera, board = drawn_pose(rng), board_place(rng, middle=(0.45, 0.0, TABLE_M + 0.012))
    depth = metres(depth_mm(rng, camera, board))
    depth[:, : CAMERA.width // 3] -= 0.08
    found = table_seen([DepthView(depth, camera)], board, LENS, TABLE_M)
    assert abs(found.above_m) < 0.002
    found.check()


def test_no_depth_or_no_plane_around_the_board_is_refused() -> None:
    rng = np.random.default_rng(11)
    camera, board = drawn_pose(rng), board_place(rng)
    with pytest.raises(PerceptionError, match='show 0 points around the board'):
        table_seen([DepthView(np.zeros((480, 640), np.float32), camera)], board, LENS, TABLE_M)
    rough = metres(depth_mm(rng, camera, board, noise_m=0.1))
    with pytest.raises(PerceptionError, match='clear the table 12 cm around the board'):
        table_seen([DepthView(rough, camera)], board, LENS, TABLE_M)


@pytest.mark.parametrize('coefficients', [LENS.coefficients, ()])
def test_depth_of_another_size_is_refused(coefficients: tuple[float, ...]) -> None:
    rng = np.random.default_rng(12)
    camera, board = drawn_pose(rng), board_place(rng)
    lens = dataclasses.replace(LENS, coefficients=coefficients)
    with pytest.raises(PerceptionError, match='camera info is for 640x480 pixels'):
        table_seen([DepthView(np.ones((240, 320), np.float32), camera)], board, lens, TABLE_M)


def test_the_bounds_hold_on_both_sides() -> None:
    TableSeen(0.0099, 0.99).check()
    TableSeen(-0.0099, 0.0).check()
    for wrong in (TableSeen(0.0101, 0.0), TableSeen(-0.0101, 0.0), TableSeen(0.0, 1.01), TableSeen(float('nan'), 0.0)):
        with pytest.raises(PerceptionError, match='from its known height'):
            wrong.check()


@pytest.mark.parametrize(('above_m', 'said'), [(0.03, r'\+30\.0 mm'), (-0.025, r'-25\.0 mm')])
def test_a_board_that_is_given_far_from_the_table_is_refused(above_m: float, said: str) -> None:
    def at(height_m: float) -> PlacedBoard:
        return PlacedBoard(board=BOARD, rotation=FLAT, position_m=np.array([0.3, 0.1, height_m]))

    assert board_above_table_m(at(TABLE_M + 0.012), TABLE_M) == pytest.approx(0.012)
    with pytest.raises(PerceptionError, match=f'{said} from the table .* more than 20 mm'):
        board_above_table_m(at(TABLE_M + above_m), TABLE_M)
