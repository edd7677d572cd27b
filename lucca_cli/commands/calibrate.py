"""`lucca calibrate`: where a fixed camera is, from pictures of a printed board on the table."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Optional

import cv2
import numpy as np
import typer
import yaml
from scipy.spatial.transform import Rotation

from lucca_cli.options import Json
from lucca_cli.output import Output
from lucca_core.errors import ConfigError
from lucca_core.regular_file import read_regular_text
from perception_node.camera_calibration import Board, CameraPose, camera_pose
from perception_node.lens import Intrinsics, Lens

_PICTURES = ('.png', '.jpg', '.jpeg')
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
    truth: Annotated[str, typer.Option(help='Known pose x,y,z,qx,qy,qz,qw, to report the error of the result.')] = '',
    as_json: Json = False,
) -> None:
    """Finds the camera's pose (perception's parameter camera_pose) from pictures of a ChArUco board (DICT_4X4_50)."""
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
    found = camera_pose(_read(pictures), board, rotation, np.array([x, y, z]), _lens(camera_info))
    said: dict[str, Any] = {
        'camera_pose': [round(value, 6) for value in found.parameter],
        'pictures': found.pictures,
        'residual_px': round(found.residual_px, 4),
        **_error(found, truth),
    }
    settings = {'camera_pose_from_robot': False, 'camera_pose': said['camera_pose']}
    if out is not None:
        out.write_text(yaml.safe_dump({'/**/perception': {'ros__parameters': settings}}), encoding='utf-8')
    if as_json:
        show.json(said)
        return
    show.line(f'camera_pose_from_robot: false\ncamera_pose: {said["camera_pose"]}')
    show.line(f'{found.pictures} pictures, residual {found.residual_px:.2f} px', 'dim')


def _draw(board: Board, file: Path) -> None:
    if file.suffix.lower() not in _PICTURES:
        raise typer.BadParameter(f'--draw {file} must end with {", ".join(_PICTURES)}')
    if not cv2.imwrite(str(file), board.picture()):
        raise ConfigError('cannot be written', file=str(file))


def _error(found: CameraPose, truth: str) -> dict[str, float | None]:
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


def _read(folder: Path) -> list[Any]:
    files = sorted(file for file in folder.glob('*') if file.suffix.lower() in _PICTURES)
    read = [cv2.imread(str(file), cv2.IMREAD_GRAYSCALE) for file in files]
    if not read or any(picture is None for picture in read):
        raise ConfigError('must be a folder of readable png or jpg pictures', file=str(folder))
    return read


def _lens(file: Path) -> Lens:
    try:
        # `ros2 topic echo` ends a message with a separator.
        info = next(yaml.safe_load_all(read_regular_text(file)))
        k = [float(value) for value in info['k']]
        intrinsics = Intrinsics(width=info['width'], height=info['height'], fx=k[0], fy=k[4], cx=k[2], cy=k[5])
        bend = tuple(float(value) for value in info['d'])
        return Lens(intrinsics=intrinsics, model=info['distortion_model'], coefficients=bend)
    except (OSError, yaml.YAMLError, StopIteration, KeyError, TypeError, ValueError, IndexError) as error:
        raise ConfigError(f'is not camera info: {type(error).__name__}: {error}', file=str(file)) from error
