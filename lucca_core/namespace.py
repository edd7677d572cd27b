"""Namespaces of robots. They let several robots share a domain, each with its own topics, clock and folders."""

import os
import re
from pathlib import Path

from lucca_core.errors import ConfigError

NAMESPACE = 'LUCCA_NAMESPACE'
"""Environment variable with the default namespace of commands."""

_NAME = r'[A-Za-z][A-Za-z0-9_]*'
_GIVEN = re.compile(rf'/?({_NAME}(/{_NAME})*)?/?')


def absolute(namespace: str) -> str:
    """A namespace in ROS's form, `/` or `/robot_1`; slashes at the ends of the input are optional.

    Raises:
        ConfigError: ROS does not allow the name.
    """
    if not _GIVEN.fullmatch(namespace):
        raise ConfigError(f'a namespace consists of letters, digits and _, such as robot_1; got {namespace!r}')
    return '/' + namespace.strip('/')


def chosen_namespace() -> str:
    """The namespace in `LUCCA_NAMESPACE`, otherwise `/`.

    Raises:
        ConfigError: ROS does not allow the name.
    """
    return absolute(os.environ.get(NAMESPACE, ''))


def own_path(path: Path, namespace: str) -> Path:
    """The path for a robot in a namespace: `path` itself for `/`, otherwise `PATH-NAMESPACE` in the same folder."""
    # ROS names contain no '-', so different namespaces get different paths.
    return path.with_name(path.name + absolute(namespace).rstrip('/').replace('/', '-'))
