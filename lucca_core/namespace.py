"""Namespaces of robots, which let several robots with their own topics, clocks and folders share a domain."""

import os
import re
from pathlib import Path

from lucca_core.errors import ConfigError

NAMESPACE = 'LUCCA_NAMESPACE'
"""Environment variable with the default namespace of commands."""

_NAME = r'[A-Za-z][A-Za-z0-9_]*'
_GIVEN = re.compile(rf'/?({_NAME}(/{_NAME})*)?/?')


def absolute(namespace: str) -> str:
    """A namespace in ROS's form, `/` or `/robot_1`, whether or not it was given with slashes.

    Raises:
        ConfigError: ROS does not allow the name.
    """
    if not _GIVEN.fullmatch(namespace):
        raise ConfigError(f'a namespace consists of letters, digits and _, such as robot_1; got {namespace!r}')
    return '/' + namespace.strip('/')


def chosen_namespace() -> str:
    """`LUCCA_NAMESPACE`, otherwise `/`.

    Raises:
        ConfigError: ROS does not allow the name.
    """
    return absolute(os.environ.get(NAMESPACE, ''))


def own_path(path: Path, namespace: str) -> Path:
    """The path for a robot in a namespace: `path` itself for `/`, otherwise `PATH-NAMESPACE` beside it."""
    # ROS names hold no '-', so the paths of different namespaces differ.
    return path.with_name(path.name + absolute(namespace).rstrip('/').replace('/', '-'))
