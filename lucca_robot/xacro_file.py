"""Xacro files, expanded to URDF by ROS's own xacro."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from lucca_core.errors import ConfigError
from lucca_core.regular_file import is_regular
from lucca_robot.mesh_file import INSTALL, package_folders


def expanded(file: Path) -> str:
    """The URDF of a xacro file, with its arguments at their defaults.

    `$(find PACKAGE)` also finds packages near the file, as in a source folder that was not built.

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
        with _packages_near(file):
            document: str = xacro.process_file(str(file)).toxml()
    except Exception as error:
        raise ConfigError(f'xacro cannot process it: {type(error).__name__}: {error}', file=str(file)) from error
    return document


@contextmanager
def _packages_near(file: Path) -> Iterator[None]:
    """While it is entered, xacro looks for packages in the folders around the file, too."""
    substitutions: Any = import_module('xacro.substitution_args')

    def find(package: str) -> str:
        folders = package_folders(package, file)
        for folder in folders:
            if os.path.isdir(folder):
                return str(folder)
        looked = ', '.join(map(str, folders[:4]))
        raise ValueError(
            f'there is no ROS package {package!r} near the file or in the environment; looked for {looked}'
        )

    before = substitutions._eval_find
    substitutions._eval_find = find
    try:
        yield
    finally:
        substitutions._eval_find = before
