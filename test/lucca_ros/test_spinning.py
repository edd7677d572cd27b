"""An executor that spins in a thread ends without a race, whatever is under way."""

import sys
import threading
from collections.abc import Callable, Iterator

import pytest
from lucca_interfaces.action import ExecuteAction
from rclpy.action import ActionClient, ActionServer
from rclpy.context import Context
from rclpy.exceptions import InvalidHandle
from rclpy.executors import MultiThreadedExecutor, SingleThreadedExecutor
from rclpy.node import Node
from std_msgs.msg import String

from lucca_ros import spinning
from lucca_ros.rclpy_internals import LockedActionClient, ShutdownSafeActionServer
from lucca_ros.spinning import SpinThread, end_wait, spin_while

pytestmark = pytest.mark.ros


@pytest.fixture
def restless() -> Iterator[None]:
    """Threads change in the middle of whatever they do."""
    before_s = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before_s)


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


@pytest.mark.parametrize('kind', [SingleThreadedExecutor, MultiThreadedExecutor])
def test_what_is_destroyed_while_it_is_waited_for_does_not_end_the_spinning(
    context: Context, kind: type, restless: None
) -> None:
    node, speaker = Node('listener', context=context), Node('speaker', context=context)
    executor = kind(context=context)
    executor.add_node(node)
    publisher = speaker.create_publisher(String, 'words', 1)
    # So that it is always on the look.
    node.create_timer(0.0002, lambda: None)
    with SpinThread(executor):
        for _ in range(300):
            node.destroy_subscription(node.create_subscription(String, 'words', lambda msg: None, 1))
        heard = threading.Event()
        node.create_subscription(String, 'words', lambda msg: heard.set(), 1)
        for _ in range(500):
            publisher.publish(String(data='x'))
            if heard.wait(0.02):
                break
        assert heard.is_set()
    node.destroy_node()
    speaker.destroy_node()


def an_action_server(node: Node) -> ShutdownSafeActionServer:
    return ShutdownSafeActionServer(node, ExecuteAction, 'do', lambda goal: ExecuteAction.Result())


def an_action_client(node: Node) -> LockedActionClient:
    return LockedActionClient(node, ExecuteAction, 'do')


@pytest.mark.parametrize('make', [an_action_server, an_action_client])
@pytest.mark.parametrize('kind', [SingleThreadedExecutor, MultiThreadedExecutor])
def test_an_action_end_that_is_destroyed_while_it_is_waited_for_does_not_end_the_spinning(
    context: Context, kind: type, make: Callable[[Node], ActionServer | ActionClient], restless: None
) -> None:
    """pytest turns what a thread raises into a failure."""
    node = Node('node', context=context)
    executor = kind(context=context)
    executor.add_node(node)
    ticks = threading.Event()
    # So that it is always on the look.
    node.create_timer(0.0002, ticks.set)
    with SpinThread(executor):
        for _ in range(100):
            make(node).destroy()
        ticks.clear()
        assert ticks.wait(10.0)
    node.destroy_node()


@pytest.mark.parametrize('make', [an_action_server, an_action_client])
@pytest.mark.parametrize('kind', [SingleThreadedExecutor, MultiThreadedExecutor])
def test_an_action_end_that_is_destroyed_right_after_the_wait_does_not_block_its_callback_group(
    context: Context, kind: type, make: Callable[[Node], ActionServer | ActionClient]
) -> None:
    node = Node('node', context=context)
    executor = kind(context=context)
    executor.add_node(node)
    end = make(node)
    for ready in ('feedback', 'status', 'goal_response', 'cancel_response', 'result_response', 'goal_request'):
        setattr(end, f'_is_{ready}_ready', True)  # as after a wait
    handler = executor._make_handler(end, node, executor._take_waitable)
    end.destroy()
    handler()
    called = threading.Event()
    node.create_timer(0.001, called.set)
    with SpinThread(executor):
        assert called.wait(10.0)
    assert handler.exception() is None
    node.destroy_node()


def test_one_that_never_began_ends_too(context: Context) -> None:
    SpinThread(MultiThreadedExecutor(num_threads=2, context=context)).close()


@pytest.mark.parametrize('kind', [SingleThreadedExecutor, MultiThreadedExecutor])
def test_a_spinning_that_is_no_longer_wanted_ends_at_once_if_it_is_told(
    context: Context, kind: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spinning, '_CHECK_S', 3600.0)
    node, executor = Node('idle', context=context), kind(context=context)
    executor.add_node(node)
    ending = threading.Event()
    thread = threading.Thread(target=spin_while, args=(executor, lambda: not ending.is_set()))
    thread.start()
    ending.set()
    end_wait(executor)
    thread.join(20.0)
    assert not thread.is_alive()
    executor.shutdown()
    node.destroy_node()


class _LosesPasses(SingleThreadedExecutor):
    """Loses a number of passes in a row, then spins once."""

    def __init__(self, context: Context, passes: int) -> None:
        super().__init__(context=context)
        self.left = passes

    def spin_once(self, timeout_sec: float | None = None) -> None:
        if self.left > 0:
            self.left -= 1
            raise InvalidHandle('destroyed')


def test_hundreds_of_passes_may_be_lost_in_a_row_as_long_as_it_is_soon_over(context: Context) -> None:
    executor = _LosesPasses(context, 1000)
    spin_while(executor, lambda: executor.left > 0)
    assert executor.left == 0
    executor.shutdown()


def test_passes_that_are_lost_for_good_raise(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spinning, '_LOST_PASSES_S', 0.01)
    executor = _LosesPasses(context, sys.maxsize)
    with pytest.raises(InvalidHandle):
        spin_while(executor, lambda: True)
    executor.shutdown()
