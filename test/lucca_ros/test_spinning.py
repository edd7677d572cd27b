"""An executor that spins in a thread ends without a race, whatever is under way."""

import threading

import pytest
from rclpy.context import Context
from rclpy.executors import MultiThreadedExecutor, SingleThreadedExecutor
from rclpy.node import Node

from lucca_ros.spinning import SpinThread

pytestmark = pytest.mark.ros


@pytest.mark.parametrize('kind', [SingleThreadedExecutor, MultiThreadedExecutor])
def test_an_end_in_the_middle_of_callbacks_raises_nowhere(context: Context, kind: type) -> None:
    """pytest turns what a thread raises into a failure."""
    node = Node('busy', context=context)
    for _ in range(20):
        executor = kind(context=context)
        executor.add_node(node)
        called = threading.Event()
        timers = [node.create_timer(0.0005, called.set) for _ in range(4)]
        spinning = SpinThread(executor)
        spinning.start()
        assert called.wait(10.0)
        spinning.close()
        for timer in timers:
            node.destroy_timer(timer)
        executor.remove_node(node)
    node.destroy_node()


def test_the_end_waits_for_a_callback_that_runs(context: Context) -> None:
    node = Node('slow', context=context)
    began, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def callback() -> None:
        if not began.is_set():
            began.set()
            go_on.wait(10.0)
            ended.set()

    node.create_timer(0.001, callback)
    executor = MultiThreadedExecutor(num_threads=2, context=context)
    executor.add_node(node)
    spinning = SpinThread(executor)
    spinning.start()
    assert began.wait(10.0)
    threading.Timer(0.05, go_on.set).start()
    spinning.close()
    assert ended.is_set()
    spinning.close()
    node.destroy_node()


def test_one_that_never_began_ends_too(context: Context) -> None:
    SpinThread(MultiThreadedExecutor(num_threads=2, context=context)).close()
