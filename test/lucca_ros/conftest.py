"""A context of its own for each test, and nodes that are spun in a thread."""

from collections.abc import Callable, Iterator

import pytest
import rclpy
from rclpy.context import Context
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node

from lucca_ros.spinning import SpinThread

NodeMaker = Callable[..., Node]


@pytest.fixture
def context() -> Iterator[Context]:
    context = Context()
    rclpy.init(context=context)
    yield context
    context.try_shutdown()


@pytest.fixture
def executor(context: Context) -> Iterator[MultiThreadedExecutor]:
    executor = MultiThreadedExecutor(num_threads=4, context=context)
    with SpinThread(executor):
        yield executor


@pytest.fixture
def make_node(context: Context, executor: MultiThreadedExecutor) -> Iterator[NodeMaker]:
    nodes = []

    def make(name: str, **options: object) -> Node:
        node = Node(name, context=context, **options)
        executor.add_node(node)
        nodes.append(node)
        return node

    yield make
    for node in nodes:
        executor.remove_node(node)
        node.destroy_node()
