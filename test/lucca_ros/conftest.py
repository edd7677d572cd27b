"""A context of its own for each test, and nodes that are spun in a thread."""

import threading
from collections.abc import Callable, Iterator

import pytest
import rclpy
from rclpy.context import Context
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node

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
    thread = threading.Thread(target=executor.spin, daemon=True)
    thread.start()
    yield executor
    executor.shutdown(timeout_sec=2.0)
    thread.join(timeout=5.0)


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
