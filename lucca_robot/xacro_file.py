"""Xacro files, expanded to URDF by ROS's own xacro."""

from importlib import import_module
from pathlib import Path
from typing import Any

from lucca_core.errors import ConfigError
from lucca_core.regular_file import is_regular
from lucca_robot.mesh_file import INSTALL


def expanded(file: Path) -> str:
    """The URDF of a xacro file, with its arguments at their defaults.

    Raises:
        ConfigError: xacro is not installed, or refuses the file.
    """
    try:
        xacro: Any = import_module('xacro')
    except ModuleNotFoundError as error:
        raise ConfigError(f'xacro files need xacro: {INSTALL}, or ROS 2', file=str(file)) from error
    if not is_regular(file):
        raise ConfigError('is no regular file that can be read', file=str(file))
    try:
        document: str = xacro.process_file(str(file)).toxml()
    except Exception as error:
        raise ConfigError(f'xacro cannot process it: {type(error).__name__}: {error}', file=str(file)) from error
    return document
