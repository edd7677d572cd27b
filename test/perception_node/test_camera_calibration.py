"""A camera's pose from rendered boards with noise, blur and distortion, against the pose they were rendered with."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
import yaml
from scipy.spatial.transform import Rotation
from typer.testing import CliRunner

from lucca_cli.main import app
from lucca_core.errors import PerceptionError
from perception_node.camera_calibration import Board, camera_pose
from perception_node.lens import Intrinsics, Lens

BOARD = Board()
CAMERA = Intrinsics(width=640, height=480, fx=579.4, fy=579.4, cx=319.5, cy=239.5)
D455 = (-0.0560, 0.0655, -0.0004, 0.0006, -0.0210)
LENS = Lens(intrinsics=CAMERA, coefficients=D455)
SEEDS = [*range(4), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(4, 20))]


def drawn_pose(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A camera 0.8 to 1.3 m above and before the table that looks at the board: rotation (3, 3), position (3,)."""
    position = np.array([rng.uniform(0.5, 1.0), rng.uniform(-0.35, 0.35), 0.8 + rng.uniform(0.8, 1.3)])
    target = np.array([0.45, 0.0, 0.8]) + rng.normal(size=3) * 0.03
    ahead = (target - position) / np.linalg.norm(target - position)
    right = np.cross(ahead, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    frame = np.column_stack([right, np.cross(ahead, right), ahead])
    return frame @ Rotation.from_rotvec([0.0, 0.0, rng.uniform(-0.3, 0.3)]).as_matrix(), position


def board_place(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The board on the table, seen from above: its x and y axes make z look down."""
    yaw = rng.uniform(-np.pi, np.pi)
    flat = Rotation.from_euler('z', yaw).as_matrix() @ np.diag([1.0, -1.0, -1.0])
    middle = np.array([BOARD.columns, BOARD.rows, 0.0]) * BOARD.square_m / 2
    return flat, np.array([0.45, 0.0, 0.8]) - flat @ middle


def sharp_view(camera: tuple[np.ndarray, np.ndarray], board: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """What a bent lens shows of the board with a table around it: (h, w)."""
    picture = BOARD.picture()
    pixel_m = BOARD.square_m * BOARD.columns / picture.shape[1]
    columns, rows = np.meshgrid(np.arange(CAMERA.width, dtype=float), np.arange(CAMERA.height, dtype=float))
    matrix = np.array([[CAMERA.fx, 0, CAMERA.cx], [0, CAMERA.fy, CAMERA.cy], [0, 0, 1.0]])
    straight = cv2.undistortPoints(np.stack((columns, rows), -1).reshape(-1, 1, 2), matrix, np.array(D455))[:, 0]
    rays = np.column_stack((straight, np.ones(len(straight)))) @ camera[0].T
    depth = (board[1][2] - camera[1][2]) / rays[:, 2]
    on_board = (camera[1] + rays * depth[:, None] - board[1]) @ board[0]
    across = (on_board[:, :2] / pixel_m - 0.5).astype(np.float32).reshape(CAMERA.height, CAMERA.width, 2)
    blurred = cv2.GaussianBlur(picture, (0, 0), 3.0)
    return cv2.remap(blurred, across[..., 0], across[..., 1], cv2.INTER_LINEAR, borderValue=150).astype(float)


def rendered(
    rng: np.random.Generator,
    camera: tuple[np.ndarray, np.ndarray],
    board: tuple[np.ndarray, np.ndarray],
    count: int = 1,
) -> list[np.ndarray]:
    """Pictures of one view, each with blur and noise of its own: (h, w, 3)."""
    view, pictures = sharp_view(camera, board), []
    for _ in range(count):
        seen = cv2.GaussianBlur(view, (0, 0), rng.uniform(0.4, 1.0))
        seen += rng.normal(size=seen.shape) * rng.uniform(2.0, 6.0)
        pictures.append(np.repeat(np.clip(seen, 0, 255).astype(np.uint8)[..., None], 3, axis=2))
    return pictures


@pytest.mark.parametrize('seed', SEEDS)
def test_the_pose_is_within_3_mm_and_half_a_degree_of_the_truth(seed: int) -> None:
    rng = np.random.default_rng(seed)
    camera, board = drawn_pose(rng), board_place(rng)
    found = camera_pose(rendered(rng, camera, board, 8), BOARD, *board, LENS)
    error_mm, error_deg = found.off_by(*camera)
    assert found.pictures >= 6
    assert (error_mm, error_deg) < (3.0, 0.5)
    assert error_deg < 0.5


def test_pictures_without_the_board_are_refused() -> None:
    with pytest.raises(PerceptionError, match='seen in 0 of 1 pictures'):
        camera_pose([np.full((480, 640, 3), 150, np.uint8)], BOARD, np.eye(3), np.zeros(3), LENS)


def test_a_board_that_moved_in_between_is_refused() -> None:
    rng = np.random.default_rng(3)
    camera, board = drawn_pose(rng), board_place(rng)
    moved = (board[0], board[1] + np.array([0.03, 0.0, 0.0]))
    with pytest.raises(PerceptionError, match='did it lie still'):
        camera_pose([*rendered(rng, camera, board), *rendered(rng, camera, moved)], BOARD, *board, LENS)


def test_pictures_of_another_size_than_the_camera_info_are_refused() -> None:
    rng = np.random.default_rng(4)
    camera, board = drawn_pose(rng), board_place(rng)
    (picture,) = rendered(rng, camera, board)
    large = cv2.resize(picture, None, fx=2.0, fy=2.0)
    with pytest.raises(PerceptionError, match='camera info is for 640x480 pixels, but a picture has 1280x960'):
        camera_pose([large], BOARD, *board, LENS)


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
        camera_pose([cut] * 6, BOARD, *board, LENS)


def test_an_impossible_board_is_refused() -> None:
    with pytest.raises(ValueError, match='3 to 20 columns'):
        Board(columns=2)


def test_the_command_writes_what_perception_reads(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    camera = drawn_pose(rng)
    flat = np.diag([1.0, -1.0, -1.0])
    board = (flat, np.array([0.27, 0.12, 0.8]))
    for index in range(3):
        cv2.imwrite(str(tmp_path / f'{index}.png'), rendered(rng, camera, board)[0])
    info = {'width': 640, 'height': 480, 'distortion_model': 'plumb_bob', 'd': list(D455)}
    info['k'] = [579.4, 0.0, 319.5, 0.0, 579.4, 239.5, 0.0, 0.0, 1.0]
    (tmp_path / 'camera.yaml').write_text(yaml.safe_dump(info) + '---\n')
    truth = [*camera[1], *Rotation.from_matrix(camera[0]).as_quat()]
    arguments = [
        'calibrate',
        str(tmp_path),
        '--camera-info',
        str(tmp_path / 'camera.yaml'),
        '--board-at',
        '0.27,0.12,0.8,0',
    ]
    arguments += ['--out', str(tmp_path / 'perception.yaml')]
    arguments += ['--truth', ','.join(map(str, truth)), '--json']
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    said = json.loads(done.output)
    assert set(said) == {'camera_pose', 'pictures', 'residual_px', 'error_mm', 'error_deg'}
    assert said['pictures'] == 3
    assert said['error_mm'] < 3
    assert said['error_deg'] < 0.5
    assert len(said['camera_pose']) == 7
    parameters = yaml.safe_load((tmp_path / 'perception.yaml').read_text())['/**/perception']['ros__parameters']
    assert parameters == {'camera_pose_from_robot': False, 'camera_pose': said['camera_pose']}
    lost = CliRunner().invoke(app, [*arguments[:-3], '--columns', '12', '--json'])
    assert lost.exit_code == 1


def test_the_board_is_drawn_and_is_found_in_what_was_drawn(tmp_path: Path) -> None:
    file = tmp_path / 'board.png'
    done = CliRunner().invoke(app, ['calibrate', '--draw', str(file), '--columns', '6', '--rows', '4'])
    assert done.exit_code == 0, done.output
    assert 'print it 330 mm wide and 220 mm high' in ' '.join(done.output.split())
    picture = cv2.copyMakeBorder(
        cv2.imread(str(file), cv2.IMREAD_GRAYSCALE), 50, 50, 50, 50, cv2.BORDER_CONSTANT, value=255
    )
    corners, *_ = cv2.aruco.CharucoDetector(Board(columns=6, rows=4).pattern()).detectBoard(picture)
    assert len(corners) == 5 * 3


def test_without_pictures_the_command_says_what_it_needs() -> None:
    done = CliRunner().invoke(app, ['calibrate'])
    assert done.exit_code == 2
    assert '--draw board.png' in ' '.join(done.output.split())
