"""Two goals and two stacks at once, unwritable memory, nodes that end or cannot start, a supervisor that is killed."""

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rig import AHEAD, pause, running

from lucca_cli.exit_codes import EXIT_FAILED, EXIT_TERMINATED
from lucca_cli.supervisor import Supervisor, start_process
from lucca_core.claim import Claim, domain_id
from lucca_core.errors import StackError
from lucca_core.nodes import MODULES, NodeSetup
from lucca_core.protocol.entries import EntryKind
from lucca_core.protocol.goals import GoalRequest
from lucca_lab.attack.running.processes import cleaned, new_namespace, nodes_in, start_stack

pytestmark = [pytest.mark.ros, pytest.mark.timeout(600)]


def is_alive(pid: int) -> bool:
    try:
        state = Path(f'/proc/{pid}/stat').read_text(encoding='utf-8').rsplit(')', 1)[1].split()[0]
    except OSError:
        return False
    return state != 'Z'


def wait_until_gone(pids: list[int], timeout_s: float = 30.0) -> list[int]:
    deadline = time.monotonic() + timeout_s
    while (left := [pid for pid in pids if is_alive(pid)]) and time.monotonic() < deadline:
        pause(0.1)
    return left


def test_of_two_goals_the_lower_waits_and_the_nodes_end_with_code_0(tmp_path: Path) -> None:
    with running(tmp_path, 'sorting_tower', parameters=AHEAD) as rig:
        low, steps = rig.start(GoalRequest(task='tower', max_actions=1))
        steps.until_acting()
        waiting, waiting_steps = rig.start(GoalRequest(task='sorting', max_actions=1))
        first = low.wait(200.0, rig.stack.alive)
        assert not any(step.phase == 'acting' for step in waiting_steps.seen[:1])
        second = waiting.wait(200.0, rig.stack.alive)
        assert (first.status, len(first.actions_done)) == ('suspended', 1)
        assert (second.status, len(second.actions_done)) == ('suspended', 1)
        tower, sorting = rig.entries('tower'), rig.entries('sorting')
        outcome = next(entry for entry in tower if entry.kind is EntryKind.OUTCOME)
        intent = next(entry for entry in sorting if entry.kind is EntryKind.INTENT)
        assert outcome.time < intent.time, 'the waiting goal moved while the other one was at work'
        codes = rig.stack.supervisor.stop()
    assert codes == dict.fromkeys(codes, 0)


def test_when_memory_cannot_be_written_nothing_moves(tmp_path: Path) -> None:
    with running(tmp_path, 'tower', parameters={'coordinator': {'stack_wait_s': 5.0}}) as rig:
        log = tmp_path / 'memory' / 'tasks' / 'tower.log'
        rig.do(GoalRequest(task='tower', max_actions=1))
        size = log.stat().st_size
        # As with a full disk: the kernel refuses to let any file of the worker grow.
        worker = rig.stack.supervisor.pid_of('worker')
        _, hard = resource.prlimit(worker, resource.RLIMIT_FSIZE)
        resource.prlimit(worker, resource.RLIMIT_FSIZE, (size, hard))
        rig.joints.clear()
        since_s = rig.joints.now_s()
        report = rig.do(GoalRequest(task='tower', max_actions=1))
        assert report.status == 'failed'
        assert rig.joints.motion_after(since_s + 0.5, rig.joints.now_s()) < 0.02
        assert log.stat().st_size == size
        resource.prlimit(worker, resource.RLIMIT_FSIZE, (hard, hard))
        again = rig.do(GoalRequest(task='tower', max_actions=1))
        assert (again.status, len(again.actions_done)) == ('suspended', 2), again.reason
        assert again.repeated == 0


def test_node_that_cannot_start_is_given_up_with_its_last_words(tmp_path: Path) -> None:
    setup = NodeSetup(name='worker', parameters={'temperature': 7.0, 'data_dir': str(tmp_path / 'memory')})
    supervisor = Supervisor([setup], tmp_path, max_quick_deaths=2, quick_s=60.0)
    with supervisor, pytest.raises(StackError, match=r'worker ended 2 times(?s:.)*temperature must be from 0 to 2'):
        supervisor.wait()


def test_a_node_that_another_stack_has_is_given_up_at_once_with_who_runs_it(tmp_path: Path) -> None:
    setup = NodeSetup(name='worker', parameters={'data_dir': str(tmp_path / 'memory')})
    claim = Claim('worker', domain_id(), '/')
    supervisor = Supervisor([setup], tmp_path)
    with supervisor, pytest.raises(StackError, match=f'already runs in domain .*, namespace /: process {os.getpid()} '):
        supervisor.wait()
    assert supervisor.restarts == 0
    claim.release()


def test_of_two_lucca_up_at_once_one_lives_and_the_other_ends_and_names_it(tmp_path: Path) -> None:
    namespace = new_namespace()
    with cleaned(namespaces=(namespace,)) as started:
        first, second = pair = [start_stack(tmp_path, namespace) for _ in range(2)]
        started += pair
        first.until(lambda: second.process.poll() is not None, 200.0, 'neither gave way to the other')
        lives, ended = (second, first) if first.process.poll() is not None else (first, second)
        lives.until_ready(300.0, 'the stack that stayed is not ready')
        assert lives.process.poll() is None, lives.output
        assert ended.process.returncode == EXIT_FAILED, ended.output
        assert f'in domain {domain_id()}, namespace {namespace}: process {lives.pid} on ' in ended.output
        assert lives.end() == EXIT_TERMINATED
        assert nodes_in(namespace) == []


@pytest.mark.parametrize(
    'number',
    [signal.SIGTERM, pytest.param(signal.SIGHUP, marks=pytest.mark.slow)],
    ids=lambda number: number.name,
)
def test_a_stack_that_is_told_to_end_while_it_starts_ends_with_all_its_nodes(tmp_path: Path, number: int) -> None:
    namespace = new_namespace()
    with cleaned(namespaces=(namespace,)) as started:
        started.append(start_stack(tmp_path, namespace))
        started[0].until(lambda: len(nodes_in(namespace)) >= 3, 60.0, 'no node starts')
        assert started[0].end(signal.Signals(number)) == EXIT_TERMINATED
        assert nodes_in(namespace) == []


def test_unknown_node_is_an_error_that_names_those_that_are_known(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r'unknown nodes .*cook.*known are .*worker'):
        Supervisor([NodeSetup(name='cook')], tmp_path)


def test_no_node_outlives_a_supervisor_that_was_killed(tmp_path: Path) -> None:
    names = [name for name in MODULES if name != 'simulator']
    program = (
        'import sys, time\n'
        'from pathlib import Path\n'
        'from lucca_cli.supervisor import Supervisor\n'
        'from lucca_core.nodes import NodeSetup\n'
        f'supervisor = Supervisor([NodeSetup(name=name) for name in {names}], Path(sys.argv[1]))\n'
        'supervisor.start()\n'
        f'print(*(supervisor.pid_of(name) for name in {names}), flush=True)\n'
        'supervisor.wait()\n'
    )
    with subprocess.Popen([sys.executable, '-c', program, str(tmp_path)], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        nodes = [int(word) for word in parent.stdout.readline().split()]
        assert len(nodes) == len(names)
        os.kill(parent.pid, signal.SIGKILL)
    assert wait_until_gone(nodes) == []


FAULTY_START = """
import os, sys
if any('action_node' in argument for argument in sys.orig_argv):
    from action_node.motion.planner import MotionPlanner
    plan = MotionPlanner.plan

    def plan_or_break_off(*parts):
        if os.path.exists({flag!r}):
            os.remove({flag!r})
            raise KeyError('surprise')
        return plan(*parts)

    MotionPlanner.plan = plan_or_break_off
"""
"""Run by Python itself before the node: the first plan breaks off as nobody expected."""


def test_an_action_that_broke_off_is_answered_its_node_starts_again_and_the_task_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flag, start = tmp_path / 'fault', tmp_path / 'start'
    start.mkdir()
    (start / 'sitecustomize.py').write_text(FAULTY_START.format(flag=str(flag)), encoding='utf-8')
    monkeypatch.setenv('PYTHONPATH', str(start), prepend=os.pathsep)
    # Not forked: Python reads sitecustomize when it starts.
    monkeypatch.setattr('lucca_cli.supervisor.start_process', start_process)
    flag.touch()
    with running(tmp_path / 'run', 'tower') as rig:
        result = rig.do(GoalRequest(task='tower', max_actions=2))
        assert not flag.exists()
        assert rig.stack.supervisor.restarts == 1
        outcomes = [entry for entry in rig.entries('tower') if entry.kind is EntryKind.OUTCOME]
    assert (result.status, len(result.actions_done)) == ('suspended', 2)
    assert "KeyError: 'surprise'" in outcomes[0].note
