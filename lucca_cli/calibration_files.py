"""The files that `lucca calibrate` reads: pictures, depth pictures, camera info and joint states."""

import math
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import yaml

from lucca_core.errors import ConfigError
from lucca_core.regular_file import read_regular_text
from perception_node.camera import Floats, Intrinsics
from perception_node.detector import Image
from perception_node.lens import Lens

PICTURES = ('.png', '.jpg', '.jpeg')


def read_pictures(folder: Path) -> dict[str, Image]:
    """The pictures of a folder, grey (h, w), by their names without the ending.

    Raises:
        ConfigError: there are none, one cannot be read, or two have one name.
    """
    files = sorted(file for file in folder.glob('*') if file.suffix.lower() in PICTURES)
    read: dict[str, Any] = {file.stem: cv2.imread(str(file), cv2.IMREAD_GRAYSCALE) for file in files}
    if not read or any(picture is None for picture in read.values()):
        raise ConfigError('must be a folder of readable png or jpg pictures', file=str(folder))
    if len(read) < len(files):
        raise ConfigError('has pictures whose names differ only in their endings', file=str(folder))
    return read


def read_depths(folder: Path, pictures: Collection[str]) -> dict[str, Floats]:
    """The depth pictures of a folder, (h, w) in m, 0 where unknown, by the names of the pictures that they belong to.

    Raises:
        ConfigError: there are none, one cannot be read, or one has not the name of a picture.
    """
    files = sorted(folder.glob('*.png'))
    if not files:
        raise ConfigError('must be a folder of depth pictures (png)', file=str(folder))
    depths: dict[str, Floats] = {}
    for file in files:
        if file.stem not in pictures:
            raise ConfigError('has not the name of a picture of the board', file=str(file))
        read = cv2.imread(str(file), cv2.IMREAD_UNCHANGED)
        if read is None or read.dtype != np.uint16 or read.ndim != 2:
            raise ConfigError('must be a depth picture: a png of one channel with 16 bits, in mm', file=str(file))
        depths[file.stem] = read.astype(np.float32) * np.float32(1e-3)
    return depths


def read_lens(file: Path) -> Lens:
    """The lens in a message of camera info.

    Raises:
        ConfigError: the file is no such message.
    """
    try:
        info = _message(file)
        k = [float(value) for value in info['k']]
        intrinsics = Intrinsics(width=info['width'], height=info['height'], fx=k[0], fy=k[4], cx=k[2], cy=k[5])
        bend = tuple(float(value) for value in info['d'])
        return Lens(intrinsics=intrinsics, model=info['distortion_model'], coefficients=bend)
    except (OSError, yaml.YAMLError, StopIteration, KeyError, TypeError, ValueError, IndexError) as error:
        raise ConfigError(f'is not camera info: {type(error).__name__}: {error}', file=str(file)) from error


def read_joints(file: Path, joints: Sequence[str]) -> dict[str, float]:
    """The positions of some joints in a message of joint states, in rad or m, by name.

    Raises:
        ConfigError: the file is no such message, or lacks a finite position of one of the joints.
    """
    try:
        message = _message(file)
        positions = dict(zip(message['name'], map(float, message['position']), strict=True))
    except (OSError, yaml.YAMLError, StopIteration, KeyError, TypeError, ValueError) as error:
        raise ConfigError(f'is not joint states: {type(error).__name__}: {error}', file=str(file)) from error
    lacking = [name for name in joints if not math.isfinite(positions.get(name, math.nan))]
    if lacking:
        raise ConfigError(f'lacks a finite position of {", ".join(lacking)}', file=str(file))
    return {name: positions[name] for name in joints}


def _message(file: Path) -> Any:
    # `ros2 topic echo` ends a message with a separator.
    return next(yaml.safe_load_all(read_regular_text(file)))
