"""Launch files as processes, and a node that looks at what they started."""

from pathlib import Path

import pytest
from launched import ROOT, Launched


@pytest.fixture
def start(tmp_path):
    """Starts a launch file, by its path or its name in launch/; what is left of it ends with the test."""
    launched = []

    def start(file, *arguments, prefix=None):
        given = [f'data_dir:={tmp_path / "data"}', *arguments]
        launched.append(Launched(ROOT / 'launch' / Path(file), given, tmp_path, prefix))
        return launched[-1]

    yield start
    for item in launched:
        item.kill()


@pytest.fixture
def graph():
    """A node that looks at the others."""
    import rclpy
    from rclpy.context import Context
    from rclpy.executors import SingleThreadedExecutor
    from rclpy.node import Node

    context = Context()
    rclpy.init(context=context)
    node = Node('onlooker', context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    yield node, executor
    executor.shutdown()
    node.destroy_node()
    context.try_shutdown()


@pytest.fixture
def prefix(tmp_path):
    """An ament prefix with stand-ins for the programs of other packages."""
    from stand_in_programs import install

    return install(tmp_path / 'prefix')
