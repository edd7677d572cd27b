"""`lucca calibrate`: where a camera is, in the world or on the head, from pictures of a printed board on the table."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Optional

import cv2
import numpy as np
import typer
import yaml
from scipy.spatial.transform import Rotation

from lucca_cli.calibration_files import PICTURES, read_depths, read_joints, read_lens, read_pictures
from lucca_cli.options import Json
from lucca_cli.output import Output
from lucca_core.errors import ConfigError
from lucca_robot.profile import DEFAULT_PROFILE, load_profile
from perception_node.camera_calibration import Board, Calibration, PlacedBoard, camera_pose
from perception_node.camera_pose import CameraPose
from perception_node.head_calibration import HeadView, RobotHead, camera_on_head
from perception_node.table_check import DepthView, TableSeen, board_above_table_m, table_seen

# The printed side is up, with x along the columns and y along the rows, so z points into the table.
_FACE_UP = np.diag([1.0, -1.0, -1.0])


def calibrate(
    pictures: Annotated[
        Optional[Path], typer.Argument(help='Folder of pictures (png, jpg) of the board, as the camera took them.')
    ] = None,
    camera_info: Annotated[
        Optional[Path],
        typer.Option(
            help='Output of `ros2 topic echo --once …/color/camera_info`, as a file.', exists=True, dir_okay=False
        ),
    ] = None,
    board_at: Annotated[
        str, typer.Option(help="World x,y,z of the board's first corner in m and the yaw of its columns in degrees.")
    ] = '',
    draw: Annotated[
        Optional[Path], typer.Option('--draw', help='Only write the board to this picture (.png), to be printed.')
    ] = None,
    out: Annotated[Optional[Path], typer.Option(help="Also write perception's parameters to this YAML file.")] = None,
    columns: Annotated[int, typer.Option(help='Squares along x.')] = 7,
    rows: Annotated[int, typer.Option(help='Squares along y.')] = 5,
    square_m: Annotated[float, typer.Option(help='Side of a square, as printed.')] = 0.055,
    robot: Annotated[
        str, typer.Option(help='Robot profile, for the height of its table and for its head: a name or a file.')
    ] = DEFAULT_PROFILE,
    head: Annotated[
        bool,
        typer.Option(
            '--head',
            help='The camera moves with the head. Beside each picture, a file NAME.yaml holds the output of '
            '`ros2 topic echo --once /joint_states`.',
        ),
    ] = False,
    depth: Annotated[
        Optional[Path],
        typer.Option(
            help='Folder of depth pictures (png, 16 bit, mm) with the names of the pictures, to check the result.',
            exists=True,
            file_okay=False,
        ),
    ] = None,
    truth: Annotated[
        str, typer.Option(help='Known pose x,y,z,qx,qy,qz,qw (with --head: on the head), to report the error.')
    ] = '',
    as_json: Json = False,
) -> None:
    """Finds the camera's pose (perception's parameter camera_pose) from pictures of a ChArUco board (DICT_4X4_50).

    A pose with which the table is not where it should be is refused, and nothing is written.
    """
    show = Output(as_json=as_json)
    try:
        board = Board(columns=columns, rows=rows, square_m=square_m)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    if draw is not None:
        _draw(board, draw)
        width_mm, height_mm = 1e3 * columns * square_m, 1e3 * rows * square_m
        show.line(f'{draw}: print it {width_mm:g} mm wide and {height_mm:g} mm high, and measure a square', 'green')
        return
    if pictures is None or camera_info is None or not board_at:
        raise typer.BadParameter('give a folder of pictures, --camera-info and --board-at; or --draw board.png')
    x, y, z, yaw_deg = _numbers(board_at, 4, 'board-at')
    rotation = Rotation.from_euler('z', yaw_deg, degrees=True).as_matrix() @ _FACE_UP
    placed = PlacedBoard(board=board, rotation=rotation, position_m=np.array([x, y, z]))
    profile = load_profile(robot)
    above_m = board_above_table_m(placed, profile.table_top_m)
    lens, taken = read_lens(camera_info), read_pictures(pictures)
    mount = RobotHead(profile) if head else None
    if mount is None:
        found = camera_pose(list(taken.values()), placed, lens)
        poses = dict.fromkeys(taken, found.pose)
        at_home = found.pose
    else:
        joints = {name: read_joints(pictures / f'{name}.yaml', mount.joints) for name in taken}
        found = camera_on_head([HeadView(taken[name], joints[name]) for name in taken], mount, placed, lens)
        poses = {name: mount.camera_at(joints[name], found.pose) for name in taken}
        at_home = mount.camera_at({}, found.pose)
    table = None
    if depth is not None:
        views = [DepthView(image, poses[name]) for name, image in read_depths(depth, taken).items()]
        table = table_seen(views, placed, lens, profile.table_top_m)
        table.check()
    said: dict[str, Any] = {
        'camera_pose': _rounded(at_home.numbers),
        'pictures': found.pictures,
        'residual_px': round(found.residual_px, 4),
        **_error(found, truth),
        'board_above_table_mm': round(1e3 * above_m, 3),
        'table_mm': None if table is None else round(1e3 * table.above_m, 3),
        'table_deg': None if table is None else round(table.tilt_deg, 4),
    }
    if mount is not None:
        said |= {'camera_in_head': _rounded(found.pose.numbers), 'head_link': mount.link}
    if out is not None:
        settings = {'camera_pose_from_robot': False, 'camera_pose': said['camera_pose']}
        out.write_text(yaml.safe_dump({'/**/perception': {'ros__parameters': settings}}), encoding='utf-8')
    if as_json:
        show.json(said)
        return
    show.line(f'camera_pose_from_robot: false\ncamera_pose: {said["camera_pose"]}')
    if mount is not None:
        show.line(f'# the same on the head, as a frame of the profile\n{_frame(found.pose, mount.link)}')
    show.line(f'{found.pictures} pictures, residual {found.residual_px:.2f} px; {_compared(table)}', 'dim')


def _compared(table: TableSeen | None) -> str:
    if table is None:
        return 'not compared with depth pictures (--depth)'
    return (
        f'depth shows the table {1e3 * table.above_m:+.1f} mm from its height, tilted by {table.tilt_deg:.2f} degrees'
    )


def _frame(pose: CameraPose, link: str) -> str:
    """An entry of `frames` in a robot profile."""
    place = {'link': link, 'xyz': _rounded(pose.position_m.tolist())}
    place['rpy'] = _rounded(Rotation.from_matrix(pose.rotation).as_euler('xyz').tolist())
    return yaml.safe_dump({'camera': place}, default_flow_style=True, sort_keys=False, width=math.inf).strip()[1:-1]


def _rounded(numbers: Sequence[float]) -> list[float]:
    return [round(value, 6) for value in numbers]


def _draw(board: Board, file: Path) -> None:
    if file.suffix.lower() not in PICTURES:
        raise typer.BadParameter(f'--draw {file} must end with {", ".join(PICTURES)}')
    if not cv2.imwrite(str(file), board.picture()):
        raise ConfigError('cannot be written', file=str(file))


def _error(found: Calibration, truth: str) -> dict[str, float | None]:
    if not truth:
        return {'error_mm': None, 'error_deg': None}
    known = _numbers(truth, 7, 'truth')
    error_mm, error_deg = found.off_by(Rotation.from_quat(known[3:]).as_matrix(), np.array(known[:3]))
    return {'error_mm': round(error_mm, 3), 'error_deg': round(error_deg, 4)}


def _numbers(text: str, count: int, option: str) -> Sequence[float]:
    try:
        values = [float(part) for part in text.split(',')]
    except ValueError:
        values = []
    if len(values) != count or not np.isfinite(values).all():
        raise typer.BadParameter(f'--{option} must be {count} numbers separated by commas, got {text!r}')
    return values
