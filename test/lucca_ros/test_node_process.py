"""A node as a process: what ends it, what it ends with, and that it ends with whoever started it."""

import os
import signal
import subprocess
import sys
import uuid

import pytest
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState

from lucca_core import claim
from lucca_core.claim import EXIT_ALREADY_RUNNING
from lucca_core.parent_process import PARENT
from lucca_ros import node_logs
from lucca_ros.callers import ServiceCaller

pytestmark = pytest.mark.ros

PROGRAM = """
from rclpy.lifecycle import LifecycleNode
from lucca_ros.lifecycle import main_of

class WeaverNode(LifecycleNode):
    def __init__(self):
        super().__init__('weaver')
    def on_activate(self, state):
        result = super().on_activate(state)
        print('active', flush=True)
        return result

main_of(WeaverNode)()
"""

LEAVING = """
from pathlib import Path
from lucca_interfaces.action import ExecuteTask
from rclpy.action import ActionClient, ActionServer
from rclpy.lifecycle import LifecycleNode
from lucca_ros.companion import Companion
from lucca_ros.lifecycle import run_node

def threads_of_dds():
    names = []
    for file in Path('/proc/self/task').glob('*/comm'):
        try:
            names.append(file.read_text().strip())
        except OSError:
            pass  # it has ended
    return sum(name.startswith('dds.') and name != 'dds.shm.wdog' for name in names)

class WeaverNode(LifecycleNode):
    def __init__(self):
        super().__init__('weaver')
        self.companion = Companion(self, 'companion')
        self.companion.start()
        self.server = ActionServer(self, ExecuteTask, 'weave', lambda goal: None)
        self.action_clients = [ActionClient(node, ExecuteTask, 'weave') for node in (self, self.companion.node)]
    def on_activate(self, state):
        result = super().on_activate(state)
        print('active', flush=True)
        return result
    def destroy_node(self):
        self.companion.close()
        print(threads_of_dds(), flush=True)
        super().destroy_node()

run_node(WeaverNode)
print(threads_of_dds(), flush=True)
"""
"""Counts the threads of its DDS participant (Fast DDS') before its node is destroyed and at its very end."""

CONFIGURING = """
from rclpy.lifecycle import LifecycleNode
from lucca_ros.lifecycle import logged_transition, main_of

class WeaverNode(LifecycleNode):
    def __init__(self):
        super().__init__('weaver')
    @logged_transition
    def on_configure(self, state):
        print('active', flush=True)
        try:
            while self.context.ok():
                pass
        except KeyboardInterrupt:
            raise TypeError('a library takes an interruption for an argument that it does not know')
        return super().on_configure(state)

main_of(WeaverNode)()
"""
"""Is told to end in the middle of its configuration."""

HANGING = """
import threading
from rclpy.lifecycle import LifecycleNode
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import Empty
from lucca_ros.lifecycle import main_of
from lucca_ros.streams import Streams

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)

class WeaverNode(LifecycleNode):
    def __init__(self):
        super().__init__('weaver')
        self.create_publisher(Empty, 'thread', LATCHED).publish(Empty())
        self.streams = Streams(self)
        self.streams.subscribe(Empty, 'thread', self.hang, LATCHED)
    def hang(self, msg):
        print('active', flush=True)
        threading.Event().wait()
    def destroy_node(self):
        self.streams.close()
        super().destroy_node()

main_of(WeaverNode, end_s=2.0)()
"""
"""Reads a topic in a callback that never ends."""

ENDING = """
import os, signal, threading
from lucca_ros.end_signals import EndSignals

class Context:
    begun, through = threading.Event(), threading.Event()
    def ok(self):
        return not self.begun.is_set()
    def try_shutdown(self):
        self.begun.set()
        self.through.wait()
        print('shut down', flush=True)

context = Context()
signals = EndSignals(context, 30.0)
signals.install()
os.kill(os.getpid(), signal.SIGTERM)
context.begun.wait()
threading.Timer(0.3, context.through.set).start()
signals.close()
print('closed', flush=True)
os.kill(os.getpid(), signal.SIGINT)
print('goes on', flush=True)
"""


DEADLINES = """
import threading
from lucca_ros.exit_deadline import set_exit_deadline

set_exit_deadline(0.5)
set_exit_deadline(600.0)
threading.Event().wait()
"""


@pytest.fixture
def weaver():
    started = []

    def start(*words, program=PROGRAM, **environment):
        started.append(
            subprocess.Popen(
                [sys.executable, '-c', program, *words],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                env={**os.environ, **environment},
            )
        )
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


def until_active(process):
    lines = iter(process.stdout.readline, '')
    assert any(line == 'active\n' for line in lines)


def test_no_later_step_of_an_end_puts_it_off(weaver):
    process = weaver(program=DEADLINES)
    assert process.wait(60) == 1
    assert 'Timeout' in process.stdout.read()


def test_a_node_that_is_shut_down_by_its_lifecycle_ends_its_process(weaver, make_node):
    process = weaver()
    until_active(process)
    caller = ServiceCaller(make_node('manager'), ChangeState, 'weaver/change_state')
    request = ChangeState.Request(transition=Transition(id=Transition.TRANSITION_ACTIVE_SHUTDOWN))
    assert caller.call(request, 20.0).success
    caller.destroy()
    assert process.wait(30) == 0


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_a_node_that_is_told_to_end_ends_with_0(weaver, number):
    process = weaver()
    until_active(process)
    process.send_signal(number)
    assert process.wait(30) == 0


def test_a_callback_of_a_topic_that_hangs_does_not_keep_the_process_from_its_end(weaver):
    process = weaver(program=HANGING)
    until_active(process)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 1
    assert 'in hang' in process.stdout.read()


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_an_end_interrupts_nothing_in_the_middle_of_a_transition(weaver, number):
    process = weaver(program=CONFIGURING)
    until_active(process)
    process.send_signal(number)
    assert process.wait(30) == 0, process.stdout.read()


def test_nothing_is_destroyed_while_a_signal_still_shuts_the_context_down(weaver):
    process = weaver(program=ENDING)
    assert process.wait(30) == 0
    assert process.stdout.read().split('\n') == ['shut down', 'closed', 'goes on', '']


def test_no_thread_of_dds_runs_into_the_end_of_the_interpreter(weaver):
    process = weaver(program=LEAVING)
    until_active(process)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 0
    before, after = map(int, process.stdout.read().split())
    assert before > 0
    assert after == 0


def test_a_second_process_ends_with_a_code_of_its_own_and_says_who_runs_until_the_first_is_killed(weaver):
    first = weaver()
    until_active(first)
    second = weaver('--ros-args', '-r', '__node:=other_name')
    assert second.wait(60) == EXIT_ALREADY_RUNNING
    said = second.stdout.read()
    assert f'domain {os.environ["ROS_DOMAIN_ID"]}, namespace /: process {first.pid} on ' in said
    first.kill()
    first.wait()
    until_active(weaver())


def test_a_node_that_cannot_know_whether_it_is_the_only_one_does_not_start(weaver):
    namespace = f'/n{uuid.uuid4().hex}'
    lock = claim._file('weaver', int(os.environ['ROS_DOMAIN_ID']), namespace)
    lock.mkdir()
    process = weaver('--ros-args', '-r', f'__ns:={namespace}')
    assert process.wait(60) == 1
    assert f'{lock} cannot be used' in process.stdout.read()
    lock.rmdir()


def test_a_node_ends_with_whoever_started_it(weaver, tmp_path):
    parent = f"""
import os, subprocess, sys
child = subprocess.Popen([sys.executable, '-c', {PROGRAM!r}], env={{**os.environ, {PARENT!r}: str(os.getpid())}})
print(child.pid, flush=True)
child.wait()
"""
    with subprocess.Popen([sys.executable, '-c', parent], stdout=subprocess.PIPE, text=True) as process:
        node = int(process.stdout.readline())
        until_active(process)
        watched = os.pidfd_open(node)
        process.kill()
        # The pipe ends when the node, which has inherited it, has ended.
        assert 'active' not in process.stdout.read()
        os.close(watched)


def test_a_node_whose_parent_is_gone_already_does_not_start(weaver):
    gone = subprocess.Popen([sys.executable, '-c', ''])
    gone.wait()
    process = weaver(**{PARENT: str(gone.pid)})
    assert process.wait(60) == 1
    assert f'process {gone.pid}, which started this one, is gone' in process.stdout.read()


def test_a_folder_of_logs_that_hangs_holds_up_no_node(weaver):
    hanging = (
        'import lucca_ros.node_logs, threading; lucca_ros.node_logs.keep_newest = lambda *_: threading.Event().wait()'
    )
    process = weaver(program=f'{hanging}\n{PROGRAM}')
    until_active(process)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 0


def test_the_log_files_of_a_kind_of_node_are_bounded_in_number(weaver, tmp_path):
    for number in range(2 * node_logs.KEPT):
        (tmp_path / f'lucca_weaver_{number}_1.log').touch()
    (tmp_path / 'lucca_other_1_1.log').touch()
    process = weaver(ROS_LOG_DIR=str(tmp_path))
    until_active(process)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 0
    assert len(list(tmp_path.glob('lucca_weaver_*.log'))) == node_logs.KEPT
    assert (tmp_path / 'lucca_other_1_1.log').exists()
