"""The namespace of a robot: several robots share a domain, each with nodes, topics, clock and folders of its own."""

import os
import re
from pathlib import Path

from lucca_core.errors import ConfigError

NAMESPACE = 'LUCCA_NAMESPACE'
"""Environment variable: the namespace that commands are for, unless they are told otherwise."""

_NAME = r'[A-Za-z][A-Za-z0-9_]*'
_GIVEN = re.compile(rf'/?({_NAME}(/{_NAME})*)?/?')


def absolute(namespace: str) -> str:
    """A namespace as ROS has it, `/` or `/robot_1`, whether or not it was given with slashes.

    Raises:
        ConfigError: no name that ROS knows.
    """
    if not _GIVEN.fullmatch(namespace):
        raise ConfigError(f'a namespace is made of letters, digits and _, such as robot_1; got {namespace!r}')
    return '/' + namespace.strip('/')


def chosen_namespace() -> str:
    """`LUCCA_NAMESPACE`, else `/`.

    Raises:
        ConfigError: no name that ROS knows.
    """
    return absolute(os.environ.get(NAMESPACE, ''))


def own_path(path: Path, namespace: str) -> Path:
    """Where a robot keeps what others keep at `path`: there outside of any namespace, else beside it as `PATH-NAMESPACE`."""
    # No name in ROS holds a '-', so what belongs to different namespaces stays apart.
    return path.with_name(path.name + absolute(namespace).rstrip('/').replace('/', '-'))
