"""`lucca calibrate` from files to files: what it reads, refuses, prints and writes."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
import yaml
from rendered_boards import (
    BOARD,
    FLAT,
    LOOKS_DOWN,
    TABLE_M,
    depth_mm,
    drawn_pose,
    head_profile,
    rendered,
    write_camera_info,
)
from scipy.spatial.transform import Rotation
from typer.testing import CliRunner, Result

from lucca_cli.main import app
from perception_node.camera_calibration import Board, PlacedBoard
from perception_node.camera_pose import CameraPose
from perception_node.head_calibration import RobotHead

KEYS = {'camera_pose', 'pictures', 'residual_px', 'error_mm', 'error_deg'}
KEYS |= {'board_above_table_mm', 'table_mm', 'table_deg'}
PLACED = PlacedBoard(board=BOARD, rotation=FLAT, position_m=np.array([0.27, 0.12, TABLE_M]))
PAN, TILT = 'joint_head_z', 'joint_head_y'
Calibrate = Callable[..., Result]


def numbers(pose: CameraPose) -> str:
    return ','.join(map(str, pose.numbers))


def plain(done: Result) -> str:
    return ' '.join(done.output.split())


def assert_said(done: Result, reason: str) -> None:
    assert done.exit_code == 1
    assert re.search(reason, plain(done)), done.output


@pytest.fixture
def camera(tmp_path: Path) -> CameraPose:
    """Three pictures of a fixed camera, a depth picture of one of them, and camera info, in a folder."""
    rng = np.random.default_rng(1)
    camera = drawn_pose(rng)
    for folder in ('pictures', 'depth'):
        (tmp_path / folder).mkdir()
    for index in range(3):
        cv2.imwrite(str(tmp_path / 'pictures' / f'{index}.png'), rendered(rng, camera, PLACED)[0])
    cv2.imwrite(str(tmp_path / 'depth' / '1.png'), depth_mm(rng, camera, PLACED))
    write_camera_info(tmp_path / 'camera.yaml')
    return camera


@pytest.fixture
def calibrate(tmp_path: Path) -> Calibrate:
    def run(*more: str, board_at: str = '0.27,0.12,0.8,0') -> Result:
        said = ['calibrate', str(tmp_path / 'pictures'), '--camera-info', str(tmp_path / 'camera.yaml')]
        said += ['--board-at', board_at, '--out', str(tmp_path / 'perception.yaml'), *more]
        return CliRunner().invoke(app, said)

    return run


def written(folder: Path) -> dict[str, object]:
    said = yaml.safe_load((folder / 'perception.yaml').read_text())
    return said['/**/perception']['ros__parameters']


def test_it_writes_what_perception_reads(tmp_path: Path, camera: CameraPose, calibrate: Calibrate) -> None:
    done = calibrate('--truth', numbers(camera), '--json')
    assert done.exit_code == 0, done.output
    said = json.loads(done.output)
    assert set(said) == KEYS
    assert (said['pictures'], said['board_above_table_mm']) == (3, 0.0)
    assert (said['table_mm'], said['table_deg']) == (None, None)
    assert said['error_mm'] < 3
    assert said['error_deg'] < 0.5
    assert len(said['camera_pose']) == 7
    assert written(tmp_path) == {'camera_pose_from_robot': False, 'camera_pose': said['camera_pose']}


def test_a_board_that_is_not_there_is_refused(camera: CameraPose, calibrate: Calibrate) -> None:
    assert calibrate('--columns', '12', '--json').exit_code == 1


def test_depth_that_agrees_is_told(tmp_path: Path, camera: CameraPose, calibrate: Calibrate) -> None:
    done = calibrate('--depth', str(tmp_path / 'depth'), '--json')
    assert done.exit_code == 0, done.output
    said = json.loads(done.output)
    assert abs(said['table_mm']) < 4
    assert said['table_deg'] < 0.5
    shown = plain(calibrate('--depth', str(tmp_path / 'depth')))
    assert f'depth shows the table {said["table_mm"]:+.1f} mm from its height' in shown
    assert 'not compared with depth pictures (--depth)' in plain(calibrate())


@pytest.mark.parametrize(
    ('board_at', 'more', 'reason'),
    [
        ('0.27,0.12,0.84,0', (), r'the board is given \+40\.0 mm from the table \(table_top_m 0\.8\), more than 20 mm'),
        ('0.27,0.12,0.815,0', ('--depth',), r'depth pictures show the table \+1[3-7]\.\d mm from its known height'),
        ('0.27,0.12,0.8,0', ('--square-m', '0.05', '--depth'), r'depth pictures show the table [-+]\d+\.\d mm'),
    ],
)
def test_a_pose_with_which_the_table_is_elsewhere_is_refused_and_nothing_is_written(
    board_at: str, more: tuple[str, ...], reason: str, tmp_path: Path, camera: CameraPose, calibrate: Calibrate
) -> None:
    given = [*more, str(tmp_path / 'depth')] if more else []
    done = calibrate(*given, '--json', board_at=board_at)
    assert_said(done, reason)
    assert not (tmp_path / 'perception.yaml').exists()


def test_the_table_is_that_of_the_robot(tmp_path: Path, camera: CameraPose, calibrate: Calibrate) -> None:
    low = tmp_path / 'low.yaml'
    robots = Path(__file__).resolve().parents[3] / 'config' / 'robots'
    text = (robots / 'two_six_dof.yaml').read_text()
    text = text.replace('table_top_m: 0.8', 'table_top_m: 0.7').replace(
        'urdf: two_six_dof.urdf', f'urdf: {robots / "two_six_dof.urdf"}'
    )
    low.write_text(text)
    done = calibrate('--robot', str(low))
    assert done.exit_code == 1
    assert_said(done, r'\+100\.0 mm from the table \(table_top_m 0\.7\)')
    assert calibrate('--robot', 'two_six_dof').exit_code == 0


@pytest.mark.parametrize(
    ('name', 'pixels', 'reason'),
    [
        ('7', np.ones((480, 640), np.uint16), 'has not the name of a picture of the board'),
        ('2', np.ones((480, 640), np.uint8), 'must be a depth picture: a png of one channel with 16 bits'),
        ('2', np.ones((240, 320), np.uint16), 'camera info is for 640x480 pixels'),
    ],
)
def test_depth_pictures_that_do_not_fit_are_refused(
    name: str, pixels: np.ndarray, reason: str, tmp_path: Path, camera: CameraPose, calibrate: Calibrate
) -> None:
    cv2.imwrite(str(tmp_path / 'depth' / f'{name}.png'), pixels)
    done = calibrate('--depth', str(tmp_path / 'depth'))
    assert done.exit_code == 1
    assert_said(done, reason)
    assert not (tmp_path / 'perception.yaml').exists()


def test_a_folder_without_depth_and_names_that_are_ambiguous_are_refused(
    tmp_path: Path, camera: CameraPose, calibrate: Calibrate
) -> None:
    (tmp_path / 'depth' / '1.png').unlink()
    assert_said(calibrate('--depth', str(tmp_path / 'depth')), 'must be a folder of depth pictures')
    (tmp_path / 'pictures' / '1.jpg').write_bytes((tmp_path / 'pictures' / '1.png').read_bytes())
    assert_said(calibrate(), 'names differ only in their endings')


# -- a camera on the head -----------------------------------------------------------------------------------------


@pytest.fixture
def on_head(tmp_path: Path) -> CameraPose:
    """Pictures, depth and joint states at five head positions; the pose of the camera on the head."""
    rng = np.random.default_rng(2)
    profile = head_profile(tmp_path)
    off = Rotation.from_rotvec(rng.uniform(-0.03, 0.03, 3)).as_matrix()
    camera = CameraPose(LOOKS_DOWN @ off, np.array([0.11, 0.01, 0.05]))
    head, placed = (
        RobotHead(profile),
        PlacedBoard(board=BOARD, rotation=FLAT, position_m=np.array([0.45, 0.14, TABLE_M])),
    )
    for folder in ('pictures', 'depth'):
        (tmp_path / folder).mkdir()
    for index, (pan, tilt) in enumerate([(0.0, 0.0), (0.2, 0.0), (-0.2, 0.0), (0.1, 0.1), (-0.1, -0.08)]):
        pose = head.camera_at({PAN: pan, TILT: tilt}, camera)
        cv2.imwrite(str(tmp_path / 'pictures' / f'{index}.png'), rendered(rng, pose, placed)[0])
        cv2.imwrite(str(tmp_path / 'depth' / f'{index}.png'), depth_mm(rng, pose, placed))
        joints = {'name': [TILT, 'l_joint1', PAN], 'position': [tilt, 0.3, pan], 'velocity': []}
        (tmp_path / 'pictures' / f'{index}.yaml').write_text(yaml.safe_dump(joints) + '---\n')
    write_camera_info(tmp_path / 'camera.yaml')
    return camera


@pytest.fixture
def blank(tmp_path: Path) -> Path:
    """A folder with a picture that shows nothing, for what is refused before it is looked at."""
    folder = tmp_path / 'pictures'
    folder.mkdir()
    cv2.imwrite(str(folder / '3.png'), np.zeros((480, 640), np.uint8))
    write_camera_info(tmp_path / 'camera.yaml')
    return folder


HEAD_BOARD = '0.45,0.14,0.8,0'


def test_the_pose_on_the_head_is_printed_and_that_at_home_is_written(
    tmp_path: Path, on_head: CameraPose, calibrate: Calibrate
) -> None:
    robot = str(tmp_path / 'nicol_head.yaml')
    given = ['--head', '--robot', robot, '--depth', str(tmp_path / 'depth')]
    done = calibrate(*given, '--truth', numbers(on_head), '--json', board_at=HEAD_BOARD)
    assert done.exit_code == 0, done.output
    said = json.loads(done.output)
    assert set(said) == KEYS | {'camera_in_head', 'head_link'}
    assert (said['pictures'], said['head_link']) == (5, 'face_link')
    assert said['error_mm'] < 3
    assert said['error_deg'] < 0.5
    assert abs(said['table_mm']) < 4
    assert said['camera_in_head'][:3] == pytest.approx(on_head.position_m, abs=0.003)
    head = RobotHead(head_profile(tmp_path))
    assert said['camera_pose'][:3] == pytest.approx(head.camera_at({}, on_head).position_m, abs=0.003)
    assert written(tmp_path)['camera_pose'] == said['camera_pose']


def test_the_frame_that_it_prints_is_one_of_a_profile(
    tmp_path: Path, on_head: CameraPose, calibrate: Calibrate
) -> None:
    done = calibrate('--head', '--robot', str(tmp_path / 'nicol_head.yaml'), board_at=HEAD_BOARD)
    assert done.exit_code == 0, done.output
    text = plain(done)
    frame = yaml.safe_load(text[text.index('camera: {link') : text.index('5 pictures')])
    rotation = Rotation.from_euler('xyz', frame['camera']['rpy']).as_matrix()
    assert frame['camera']['link'] == 'face_link'
    assert frame['camera']['xyz'] == pytest.approx(on_head.position_m, abs=0.003)
    assert Rotation.from_matrix(rotation.T @ on_head.rotation).magnitude() < np.radians(0.5)


@pytest.mark.parametrize(
    ('text', 'reason'),
    [
        ('name: [joint_head_z]\nposition: [0.1]\n', 'lacks a finite position of joint_head_y'),
        (f'name: [{PAN}, {TILT}]\nposition: [.nan, 0.0]\n', 'lacks a finite position of joint_head_z'),
        (f'name: [{PAN}, {TILT}]\nposition: [0.1]\n', 'is not joint states: ValueError'),
        ('- 3\n', 'is not joint states: TypeError'),
        ('', 'is not joint states: StopIteration'),
        (None, 'is not joint states: FileNotFoundError'),
    ],
)
def test_joint_states_that_cannot_be_used_are_refused(
    text: str | None, reason: str, tmp_path: Path, blank: Path, calibrate: Calibrate
) -> None:
    if text is not None:
        (blank / '3.yaml').write_text(text)
    done = calibrate('--head', '--robot', head_profile(tmp_path).source, board_at=HEAD_BOARD)
    assert done.exit_code == 1
    assert_said(done, f'3.yaml: {reason}')


def test_a_robot_whose_camera_stands_still_has_none_on_its_head(blank: Path, calibrate: Calibrate) -> None:
    assert_said(calibrate('--head', board_at=HEAD_BOARD), 'no joint of nicol moves its camera_link')


# -- the board ----------------------------------------------------------------------------------------------------


def test_the_board_is_drawn_and_is_found_in_what_was_drawn(tmp_path: Path) -> None:
    file = tmp_path / 'board.png'
    done = CliRunner().invoke(app, ['calibrate', '--draw', str(file), '--columns', '6', '--rows', '4'])
    assert done.exit_code == 0, done.output
    assert 'print it 330 mm wide and 220 mm high' in plain(done)
    picture = cv2.copyMakeBorder(
        cv2.imread(str(file), cv2.IMREAD_GRAYSCALE), 50, 50, 50, 50, cv2.BORDER_CONSTANT, value=255
    )
    corners, *_ = cv2.aruco.CharucoDetector(Board(columns=6, rows=4).pattern()).detectBoard(picture)
    assert len(corners) == 5 * 3


def test_without_pictures_the_command_says_what_it_needs() -> None:
    done = CliRunner().invoke(app, ['calibrate'])
    assert done.exit_code == 2
    assert '--draw board.png' in plain(done)
