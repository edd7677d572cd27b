"""Launch files as processes, and a node that looks at what they started."""

import runpy
import sys
from pathlib import Path

import fake_launch
import pytest
from ament_index_python import packages
from launched import ROOT, Launched

from lucca_core import claim


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


@pytest.fixture
def load(monkeypatch, tmp_path):
    """Loads a launch file with arguments, by name or as on the command line; returns the context after its visit."""
    contexts = []
    monkeypatch.setattr(claim, 'FOLDER', tmp_path)
    fake_launch.install(monkeypatch)
    shares = {'lucca': ROOT, 'lucca_bringup': ROOT / 'lucca_bringup'}
    monkeypatch.setattr(packages, 'get_package_share_directory', lambda package: str(shares[package]))

    def load(file, *argv, **given):
        description = runpy.run_path(str(file))['generate_launch_description']()
        from lucca_ros import launching

        monkeypatch.setattr(launching, 'get_package_prefix', lambda package: '/opt/ros/jazzy')
        context = fake_launch.LaunchContext(argv)
        context.launch_configurations.update(given)
        load.last = context
        contexts.append(fake_launch.visit(description.entities, context))
        return contexts[-1]

    yield load
    for context in contexts:
        for handler in context.handlers:
            if isinstance(handler, fake_launch.OnShutdown):
                handler.on_shutdown(None, context)
    sys.modules.pop('lucca_ros.launching', None)
