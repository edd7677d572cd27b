"""The stacks of tests: how their nodes come and go."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from forked_nodes import ForkedNode

from lucca_core.nodes import node_command

pytestmark = pytest.mark.ros

ENDED = """
import os, signal, sys
sys.path[:0] = {path!r}
from forked_nodes import ForkedNode
from lucca_core.nodes import node_command
node = ForkedNode(node_command('relay'), dict(os.environ))
while os.getsid(node.pid) != node.pid:
    pass
print(node.pid, flush=True)
{end}
"""


def test_they_are_forked_from_a_process_with_one_thread_that_has_imported_what_they_need() -> None:
    node = ForkedNode(node_command('relay'), os.environ)
    try:
        parent = Path(f'/proc/{node.pid}/stat').read_text(encoding='utf-8').rsplit(')', 1)[1].split()[1]
        assert len(os.listdir(f'/proc/{parent}/task')) == 1
        assert 'mujoco' in Path(f'/proc/{parent}/maps').read_text(encoding='utf-8')
    finally:
        node.send_signal(signal.SIGKILL)
        node.stdout.close()
    assert node.wait(60.0) == -signal.SIGKILL


@pytest.mark.parametrize(('end', 'code'), [('os.kill(os.getpid(), signal.SIGKILL)', -signal.SIGKILL), ('', 0)])
def test_they_end_with_a_test_that_is_killed_or_leaves_them_running(end: str, code: int) -> None:
    # Its output ends with the last process that could write to it, which is the one that forks.
    done = subprocess.run(
        [sys.executable, '-c', ENDED.format(path=sys.path, end=end)], stdout=subprocess.PIPE, text=True, timeout=100
    )
    assert done.returncode == code
    try:
        node = os.pidfd_open(int(done.stdout))
    except ProcessLookupError:
        return
    ended, _, _ = select.select([node], [], [], 60.0)
    os.close(node)
    assert ended
