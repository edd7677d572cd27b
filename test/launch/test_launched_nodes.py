"""Whatever ends a node or its launch: a node that is killed comes back, and nothing outlives its launch."""

import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from launched import MARKER, ROBOT, STACK, family, needs_launch, running_of, until, wait_active

LOG = logging.getLogger(__name__)

# What each file is given here, and the programs of other packages that it starts then.
GIVEN = {
    'sim.launch.py': ('engine:=kinematic', 'scene:=pointing'),
    'nicol.launch.py': (),
    'gazebo.launch.py': ('gazebo:=false',),
    'robot.launch.py': ('hardware:=mock',),
}
OTHERS = {'robot.launch.py': {'robot_state_publisher', 'ros2_control_node', 'spawner', 'aggregator_node'}}
ENDS = [*((file, signal.SIGTERM) for file in GIVEN), *((file, signal.SIGKILL) for file in OTHERS)]
ENDS += [('sim.launch.py', number) for number in (signal.SIGKILL, signal.SIGHUP)]

WAITING = 'import signal; print(flush=True); signal.pause()'
LEAVING = """
import os, signal, sys
if os.fork() == 0:
    os.setsid()
    os.execve(sys.executable, [sys.executable, '-c', {waiting!r}], dict(os.environ) if {marked} else {{}})
signal.pause()
"""


def ours(file):
    return {*STACK, *({'simulator'} if file == 'sim.launch.py' else ())}


@pytest.fixture
def launch_of(start, prefix, tmp_path):
    """Starts a file in a namespace of its own; on the robot beside stand-ins for the programs of other packages."""

    def launch_of(file, namespace):
        given = [*GIVEN[file], f'namespace:={namespace}']
        if file == 'nicol.launch.py':
            # No controllers run here whose parameters could be compared.
            params = tmp_path / 'nodes.yaml'
            params.write_text('/**/action:\n  ros__parameters: {controllers_wait_s: 0.0}\n')
            given.append(f'params_file:={params}')
        return start(ROBOT if file == ROBOT.name else file, *given, prefix=prefix)

    return launch_of


@pytest.mark.launch
@pytest.mark.ros
@needs_launch
@pytest.mark.parametrize('file', GIVEN)
def test_each_node_that_is_killed_comes_back_and_ctrl_c_leaves_nothing(launch_of, graph, file):
    launched = launch_of(file, 'killed')
    wait_active(ours(file), graph, launched, '/killed')
    for name in sorted(ours(file)):
        (pid,) = launched.started()[name]
        os.kill(pid, signal.SIGKILL)
        killed_s = time.monotonic()
        until(lambda name=name: len(launched.started()[name]) == 2, launched, graph[1], f'{name} is started again')
        started_s = time.monotonic()
        wait_active({name}, graph, launched, '/killed')
        back_s = [f'{at_s - killed_s:.1f} s' for at_s in (started_s, time.monotonic())]
        LOG.info('%s: %s started again after %s, active after %s', file, name, *back_s)
    assert {name: len(pids) for name, pids in launched.started().items()} == {
        **dict.fromkeys(ours(file), 2),
        **dict.fromkeys(OTHERS.get(file, ()), 1),
    }
    # Exit codes of nodes are asked for where none was killed: after that one can hang at its end (docs/robot.md).
    assert launched.end(signal.SIGINT) == 0, launched.log
    launched.none_left()


@pytest.mark.launch
@pytest.mark.ros
@needs_launch
@pytest.mark.parametrize(('file', 'number'), ENDS, ids=lambda value: getattr(value, 'name', value))
def test_nothing_outlives_its_launch_however_that_ends(launch_of, graph, file, number):
    launched = launch_of(file, f'ended_{number.name}')
    wait_active({'action', 'worker'}, graph, launched, f'/ended_{number.name}')
    assert set(launched.started()) == {*ours(file), *OTHERS.get(file, ())}
    launched.end(number)
    launched.none_left()


@pytest.mark.parametrize('marked', [True, False])
def test_a_process_that_left_its_group_is_found_by_its_mark_or_its_pid(monkeypatch, marked):
    monkeypatch.setenv(MARKER, 'these')
    script = LEAVING.format(waiting=WAITING, marked=marked)
    with subprocess.Popen([sys.executable, '-c', script], stdout=subprocess.PIPE, start_new_session=True) as leader:
        # It has left once it writes a line.
        leader.stdout.readline()
        left = int(Path(f'/proc/{leader.pid}/task/{leader.pid}/children').read_text())
        try:
            assert os.getpgid(left) != leader.pid
            assert family(leader.pid, 'these') == {leader.pid, *((left,) if marked else ())}
            assert running_of([leader.pid, left]) == {leader.pid, left}
        finally:
            os.kill(left, signal.SIGKILL)
            leader.kill()
    end_s = time.monotonic() + 10.0
    while family(leader.pid, 'these') | running_of([leader.pid, left]):
        assert time.monotonic() < end_s
        os.sched_yield()
