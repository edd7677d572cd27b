"""Reading of mesh files: where one is, and what it holds, in m."""

import os
import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from lucca_core.errors import ConfigError
from lucca_core.regular_file import is_regular, read_regular_text

T = TypeVar('T')

INSTALL = "pip install 'lucca[robots]'"
MOST_BYTES = 200_000_000
"""Larger files are refused, because reading them takes many times their size in memory."""
_IN_PACKAGE = re.compile(r'(package://|file://.*/share/)(?P<package>[^/]+)/(?P<rest>.*)')
_UNIT = re.compile(rb'<unit[^>]*meter="([0-9.eE+-]+)"')


def resolve(name: str, beside: Path) -> Path:
    """The file of a mesh's `filename`: `package://PACKAGE/PATH`, `file://PATH`, or a path relative to the URDF.

    A package is looked for in the folders above the URDF, in those of `ROS_PACKAGE_PATH`, and in the share folders of
    `AMENT_PREFIX_PATH`; so is that of a file that another machine has below `share/PACKAGE`, as in a URDF which xacro
    wrote there.

    Raises:
        ConfigError: there is no such file; the message says where it was looked for.
    """
    candidates = [] if name.startswith('package://') else [beside.parent / name.removeprefix('file://')]
    if found := _IN_PACKAGE.match(name):
        candidates += [folder / found['rest'] for folder in package_folders(found['package'], beside)]
    for candidate in candidates:
        if is_regular(candidate):
            return candidate
    looked = ', '.join(dict.fromkeys(map(str, candidates[:4])))
    where = f'; looked for {looked}' if looked else ''
    if found and not any(folder.is_dir() for folder in package_folders(found['package'], beside)):
        where += f'; its package {found["package"]} is neither near the URDF nor in the environment'
    raise ConfigError(f'there is no mesh {name!r}{where}')


def package_folders(package: str, beside: Path) -> list[Path]:
    """Folders that may be a ROS package: those above a file, beside those, and those of the environment.

    A folder above the file may have another name, such as that of a clone, if its `package.xml` names the package.
    """
    above = beside.resolve().parents
    folders = [folder for folder in above if folder.name == package or _is_package(folder, package)]
    folders += [folder / package for folder in above if os.path.isdir(folder / package)]
    for variable, below in (('ROS_PACKAGE_PATH', ''), ('AMENT_PREFIX_PATH', 'share')):
        folders += [Path(item) / below / package for item in os.environ.get(variable, '').split(os.pathsep) if item]
    return folders


def _is_package(folder: Path, package: str) -> bool:
    try:
        manifest = read_regular_text(folder / 'package.xml')
    except (OSError, UnicodeDecodeError):
        return False
    return re.search(rf'<name>\s*{re.escape(package)}\s*</name>', manifest) is not None


def read_mesh(file: Path, read: Callable[[Any, Path], T]) -> T:
    """Reads a mesh file with the library `trimesh`, which is passed to `read` with the file.

    Raises:
        ConfigError: the file is too large or cannot be read, or the package that reads it is not installed.
    """
    try:
        trimesh: Any = import_module('trimesh')
        if file.suffix.lower() == '.dae':
            import_module('collada')
    except ModuleNotFoundError as error:
        raise ConfigError(f'meshes need {error.name}: {INSTALL}', file=str(file)) from error
    try:
        size = file.stat().st_size
        if size > MOST_BYTES:
            raise ConfigError(f'has {size:,} bytes, at most {MOST_BYTES:,} are read', file=str(file))
        return read(trimesh, file)
    except ConfigError:
        raise
    except Exception as error:
        raise ConfigError(f'cannot be read as a mesh: {type(error).__name__}: {error}', file=str(file)) from error


def unit_m(file: Path) -> float:
    """The length of a file's unit in m. COLLADA files state it, and `trimesh` does not apply it."""
    if file.suffix.lower() != '.dae':
        return 1.0
    with file.open('rb') as stream:
        unit = _UNIT.search(stream.read(20_000))
    return float(unit.group(1)) if unit else 1.0
