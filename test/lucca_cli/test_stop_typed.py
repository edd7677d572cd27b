"""A stop word on the standard input of a command that waits for the robot reaches the robot at once."""

import os
import pty
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

rclpy = pytest.importorskip('rclpy')
pytestmark = pytest.mark.ros

from lucca_interfaces.action import ExecuteTask  # noqa: E402 - rclpy has to be there
from lucca_interfaces.msg import TableState  # noqa: E402
from rclpy.action import CancelResponse  # noqa: E402
from rclpy.callback_groups import ReentrantCallbackGroup  # noqa: E402
from rclpy.context import Context  # noqa: E402
from rclpy.executors import MultiThreadedExecutor  # noqa: E402
from rclpy.node import Node  # noqa: E402
from std_srvs.srv import Trigger  # noqa: E402

from lucca_core.stop_command import STOP_WORDS  # noqa: E402
from lucca_ros.rclpy_internals import ShutdownSafeActionServer  # noqa: E402
from lucca_ros.spinning import SpinThread  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
LONG_S = 60.0
PROMISED_S = 0.5
FAST = (('say', 'pipe'), ('run', 'terminal'), ('chat', 'terminal'))
COMMANDS = {'say': ['say', 'build a tower'], 'run': ['run', 'tower'], 'chat': ['chat']}


class FakeStack:
    """A coordinator that works at `build a tower` and at `tower` until an action node, here too, is told to stop."""

    def __init__(self) -> None:
        self.context = Context()
        rclpy.init(context=self.context)
        self.node = Node('fake_stack', context=self.context, use_global_arguments=False)
        group = ReentrantCallbackGroup()
        self.texts: list[str] = []
        self.works, self.stopped = threading.Event(), threading.Event()
        self._server = ShutdownSafeActionServer(
            self.node,
            ExecuteTask,
            'execute_task',
            self._execute,
            callback_group=group,
            cancel_callback=lambda _: CancelResponse.ACCEPT,
        )
        self.node.create_service(Trigger, 'action/stop', self._stop, callback_group=group)
        table = self.node.create_publisher(TableState, 'perception/objects', 1)
        self.node.create_timer(0.1, lambda: table.publish(TableState()), callback_group=group)
        executor = MultiThreadedExecutor(num_threads=4, context=self.context)
        executor.add_node(self.node)
        self._spinning = SpinThread(executor, 'fake_stack')
        self._spinning.start()

    def _execute(self, handle: Any) -> ExecuteTask.Result:
        self.texts.append(handle.request.text or handle.request.task)
        if self.texts[-1] not in ('build a tower', 'tower'):
            handle.succeed()
            return ExecuteTask.Result(status='finished', said=f'You said {self.texts[-1]}.')
        self.works.set()
        stopped = self.stopped.wait(LONG_S)
        handle.abort()
        status = 'suspended' if stopped else 'failed'
        return ExecuteTask.Result(status=status, task='tower', reason='stopped during <put_on_tower(red cube)>')

    def _stop(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self.stopped.set()
        response.success = True
        return response

    def close(self) -> None:
        self._spinning.close()
        self._server.destroy()
        self.node.destroy_node()
        self.context.try_shutdown()


@pytest.fixture
def stack() -> Iterator[FakeStack]:
    fake = FakeStack()
    yield fake
    fake.close()


def lucca(words: list[str], stdin: int) -> subprocess.Popen[str]:
    code = 'from lucca_cli.main import main; main()'
    return subprocess.Popen(
        [sys.executable, '-c', code, *words],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=ROOT,
        start_new_session=True,
    )


def open_input(kind: str) -> tuple[int, int]:
    """The command's end of its standard input, and the other one."""
    if kind == 'pipe':
        return os.pipe()
    keyboard, screen = pty.openpty()
    return screen, keyboard


# `make soak` has all: here, each command has one kind of input, and each kind has a command.
@pytest.mark.parametrize(
    ('command', 'kind', 'word'),
    [
        pytest.param(
            command,
            kind,
            STOP_WORDS[number % len(STOP_WORDS)],
            marks=() if (command, kind) in FAST else pytest.mark.slow,
        )
        for number, (command, kind) in enumerate((name, kind) for name in COMMANDS for kind in ('pipe', 'terminal'))
    ],
)
def test_a_stop_word_reaches_the_robot_within_half_a_second(stack, command, kind, word):
    reading, writing = open_input(kind)
    process = lucca(COMMANDS[command], reading)
    os.close(reading)
    try:
        if command == 'chat':
            os.write(writing, b'build a tower\n')
        assert stack.works.wait(LONG_S), 'the goal was not given'
        os.write(writing, b'hello\n')
        began_s = time.monotonic()
        os.write(writing, f'{word}\n'.encode())
        assert stack.stopped.wait(LONG_S)
        assert time.monotonic() - began_s < PROMISED_S
        if command == 'chat':
            os.write(writing, b'/quit\n')
        told, _ = process.communicate(timeout=LONG_S)
    finally:
        process.kill()
        os.close(writing)
    assert 'lucca reset' in told
    if command == 'chat':
        # What was typed beside it is answered when its turn comes.
        assert stack.texts == ['build a tower', 'hello', '/bye']
        assert process.returncode == 0
    else:
        assert process.returncode == 4


def test_a_word_that_is_all_that_is_said_stops_without_a_coordinator(stack):
    process = lucca(['say', 'Stop!'], subprocess.DEVNULL)
    told, _ = process.communicate(timeout=LONG_S)
    assert stack.stopped.is_set()
    assert (process.returncode, stack.texts) == (0, [])
    assert 'lucca reset' in told


@pytest.mark.parametrize('words', [COMMANDS['say'], pytest.param(COMMANDS['run'], marks=pytest.mark.slow)])
def test_the_end_of_standard_input_ends_nothing(stack, words):
    process = lucca(words, subprocess.DEVNULL)
    try:
        assert stack.works.wait(LONG_S)
        assert process.poll() is None
        # As `lucca stop` from another terminal does.
        stack.stopped.set()
        told, _ = process.communicate(timeout=LONG_S)
    finally:
        process.kill()
    assert 'suspended' in told
    assert process.returncode == 4
