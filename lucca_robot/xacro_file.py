"""Xacro files, expanded to URDF by ROS's own xacro."""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

from lucca_core.errors import ConfigError
from lucca_core.regular_file import is_regular
from lucca_robot.mesh_file import INSTALL, package_folders

_UNDEFINED = re.compile(r'^Undefined substitution argument (\w+)')
NO_ARGUMENTS: Mapping[str, str] = MappingProxyType({})


class _Given(dict[str, str]):
    """The arguments that were given. Xacro ignores those that a file does not have, so this notes which it reads."""

    def __init__(self, given: Mapping[str, str]) -> None:
        super().__init__(given)
        self.unread = set(given)

    def __contains__(self, name: object) -> bool:
        self.unread.discard(str(name))
        return super().__contains__(name)

    def __getitem__(self, name: str) -> str:
        self.unread.discard(name)
        return super().__getitem__(name)


def expanded(file: Path, arguments: Mapping[str, str] = NO_ARGUMENTS) -> str:
    """The URDF of a xacro file.

    `$(find PACKAGE)` also finds packages near the file, as in a source folder that was not built.

    Args:
        file: the xacro file.
        arguments: values of its arguments; the others keep their defaults.

    Raises:
        ConfigError: xacro is not installed or refuses the file, or the file has no argument of a given name.
    """
    try:
        xacro: Any = import_module('xacro')
    except ModuleNotFoundError as error:
        raise ConfigError(f'xacro files need xacro: {INSTALL}, or ROS 2', file=str(file)) from error
    if not is_regular(file):
        raise ConfigError('is no regular file that can be read', file=str(file))
    given = _Given(arguments)
    try:
        with _packages_near(file):
            document: str = xacro.process_file(str(file), mappings=given).toxml()
    except Exception as error:
        raise ConfigError(f'xacro cannot process it: {_reason(error)}{_where(xacro)}', file=str(file)) from error
    if given.unread:
        known = ', '.join(sorted(set(given) - given.unread)) or 'none'
        raise ConfigError(f'has no xacro argument {min(given.unread)!r}; it has {known}', file=str(file))
    return document


def _where(xacro: Any) -> str:
    """The macro in which xacro was, perhaps of another file, as it prints it."""
    if not (macros := getattr(xacro, 'macrostack', None)):
        return ''
    of_file = f' of {macros[-1].history[-1][-1]}' if macros[-1].history else ''
    return f', in the macro {macros[-1].body.getAttribute("name")}{of_file}'


def _reason(error: Exception) -> str:
    """What xacro says, once: it repeats the text of an error that it wraps."""
    if undefined := _UNDEFINED.search(str(error)):
        name = undefined.group(1)
        return f'its argument {name!r} has no value; add {name}:=VALUE, or `arguments` in a profile'
    if type(error).__name__ != 'XacroException':
        return f'{type(error).__name__}: {error}'
    cause = str(getattr(error, 'exc', None) or '')
    if cause and str(error).count(cause) > 1:
        return ' '.join(filter(None, (cause, getattr(error, 'suffix', None))))
    return str(error)


@contextmanager
def _packages_near(file: Path) -> Iterator[None]:
    """While it is entered, xacro looks for packages in the folders around the file, too."""
    substitutions: Any = import_module('xacro.substitution_args')

    def find(package: str) -> str:
        folders = package_folders(package, file)
        for folder in folders:
            if os.path.isdir(folder):
                return str(folder)
        looked = f'; looked for {", ".join(map(str, folders[:4]))}' if folders else ''
        raise ValueError(f'there is no ROS package {package!r} near the file or in the environment{looked}')

    before = substitutions._eval_find
    substitutions._eval_find = find
    try:
        yield
    finally:
        substitutions._eval_find = before
