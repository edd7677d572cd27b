"""What nobody expected ends the process of a node, in whichever thread it happens, and stands in diagnostics."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from std_msgs.msg import Empty

pytestmark = pytest.mark.ros

SCRIPT = Path(__file__).parent / 'breaking_node.py'
DEADLINE_S = 60.0


class Run:
    """A breaking node in a process of its own, and what it says in `diagnostics`."""

    def __init__(self, make_node, place):
        self.last: list[DiagnosticStatus] = []
        self.heard = threading.Event()
        node = make_node('listener')
        node.create_subscription(DiagnosticArray, 'diagnostics', self._hear, 10)
        self._publisher = node.create_publisher(Empty, 'break', 1)
        self._node = node
        self._process = subprocess.Popen([sys.executable, str(SCRIPT), place], stderr=subprocess.PIPE, text=True)

    def break_off(self):
        """Tells it to, and returns its exit code and what it wrote."""
        for _ in range(int(DEADLINE_S / 0.05)):
            if self._publisher.get_subscription_count() and self._node.count_publishers('diagnostics'):
                break
            self.heard.wait(0.05)
        # Whoever has been seen has not always seen us: told until it has heard.
        for _ in range(int(DEADLINE_S / 0.2)):
            self._publisher.publish(Empty())
            try:
                _, said = self._process.communicate(timeout=0.2)
            except subprocess.TimeoutExpired:
                continue
            return self._process.returncode, said
        self._process.kill()
        raise AssertionError('it did not end')

    def _hear(self, msg):
        self.last += msg.status
        self.heard.set()


@pytest.mark.parametrize('place', ['callback', 'thread', 'timer', 'companion', 'service', 'transition'])
def test_whatever_breaks_off_ends_the_process_with_an_error_and_is_told(make_node, place):
    run = Run(make_node, place)
    code, said = run.break_off()
    assert code == 1, said
    assert 'KeyError' in said
    assert run.heard.wait(5.0), said
    assert run.last[-1].level == DiagnosticStatus.ERROR
    assert "KeyError: 'surprise'" in run.last[-1].message


@pytest.mark.parametrize(
    ('place', 'told'),
    [('stack', 'StackError: surprise'), ('exit', 'thread waiting crashed with SystemExit')],
    ids=['an error of the stack', 'an exit of a thread'],
)
def test_what_nobody_caught_is_told_as_well(make_node, place, told):
    run = Run(make_node, place)
    code, said = run.break_off()
    assert code == 1, said
    assert run.heard.wait(5.0), said
    assert told in run.last[-1].message


def test_an_end_that_was_asked_for_is_no_crash(make_node):
    run = Run(make_node, 'clean')
    code, said = run.break_off()
    assert code == 0, said
    assert not run.last


def test_an_end_in_the_middle_of_a_transition_is_no_crash():
    process = subprocess.run(
        [sys.executable, str(SCRIPT), 'configure'], stderr=subprocess.PIPE, text=True, timeout=DEADLINE_S, check=False
    )
    assert process.returncode == 0, process.stderr
    assert 'FATAL' not in process.stderr
