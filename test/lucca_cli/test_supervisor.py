"""What starts the nodes and keeps them alive says so where it cannot."""

import os
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import pytest

from lucca_cli import setup_checks as checks
from lucca_cli import supervisor as bringup
from lucca_cli.stack import Stack, StackOptions, node_setups
from lucca_cli.supervisor import Supervisor
from lucca_core.errors import FolderInUseError, StackError
from lucca_core.nodes import NodeSetup
from lucca_core.rotating_file import RotatingFile
from lucca_memory.data_folder import DataFolder


def test_a_stack_whose_supervisor_breaks_off_is_not_waited_for(tmp_path):
    supervisor = Supervisor([NodeSetup(name='worker', parameters={'odd': object()})], tmp_path)
    said = []

    def start():
        try:
            supervisor.start()
        except StackError as error:
            said.append(str(error))

    starting = threading.Thread(target=start, daemon=True)
    starting.start()
    starting.join(20.0)
    assert 'RepresenterError' in ''.join(said)
    assert supervisor.stop() == {}


@pytest.mark.ros
def test_a_client_that_breaks_off_at_the_end_leaves_no_node(tmp_path, monkeypatch):
    stack, stopped = Stack(StackOptions(llm='embedded'), tmp_path), []
    monkeypatch.setattr(stack.supervisor, 'stop', lambda: stopped.append(True) or {})
    end = stack.client.__exit__

    def broken(*words):
        end(*words)
        raise RuntimeError('the graph is gone')

    monkeypatch.setattr(type(stack.client), '__exit__', lambda self, *words: broken(*words))
    stack.client.__enter__()
    with pytest.raises(RuntimeError, match='the graph is gone'):
        stack.__exit__()
    assert stopped


def test_output_is_read_on_if_it_cannot_be_shown(tmp_path, caplog):
    def broken(name, line):
        raise UnicodeError('no such letter')

    supervisor = Supervisor([NodeSetup(name='worker')], tmp_path, on_line=broken)
    process = subprocess.Popen([sys.executable, '-c', 'print(1); print(2)'], stdout=subprocess.PIPE, text=True)
    supervisor._tails['worker'] = tail = []
    supervisor._pump('worker', process, RotatingFile(tmp_path / 'worker.log'))
    assert process.wait() == 0
    assert tail == ['1', '2']
    assert 'a line of worker is not shown' in caplog.text


def test_what_a_node_said_at_each_of_its_starts_is_told_once(tmp_path):
    supervisor = Supervisor([NodeSetup(name='worker')], tmp_path, max_quick_deaths=1)
    process = subprocess.Popen([sys.executable, '-c', 'raise SystemExit(1)'], stdout=subprocess.PIPE, text=True)
    process.communicate()
    supervisor._tails['worker'] = [f'[ERROR] [179{n}.5] [worker]: no such {what}' for n in range(3) for what in 'ab']
    entry = SimpleNamespace(
        setup=NodeSetup(name='worker'),
        process=process,
        started_s=time.monotonic(),
        reader=threading.Thread(),
        quick_deaths=0,
    )
    entry.reader.start()
    supervisor._running['worker'] = entry
    supervisor._restart(entry)
    assert supervisor.failure == (
        'worker ended 1 times right after its start; it last said:\n'
        '  [ERROR] [1792.5] [worker]: no such a\n  [ERROR] [1792.5] [worker]: no such b'
    )


@pytest.mark.ros
def test_a_stack_that_does_not_become_ready_says_what_its_nodes_said_at_their_end(tmp_path, monkeypatch):
    stack = Stack(StackOptions(llm='embedded'), tmp_path / 'run')
    words = 'import sys; print("[ERROR] [1.5] [worker]: no memory today"); sys.exit(1)'
    monkeypatch.setattr(bringup, 'node_command', lambda name, **_: [sys.executable, '-c', words])
    stack.supervisor._max_quick_deaths = 10_000

    def wait_ready(timeout_s, alive):
        while not stack.supervisor.deaths:
            alive()
        raise StackError('the stack is not ready after 0.1 s: the worker is missing')

    monkeypatch.setattr(stack.client, 'wait_ready', wait_ready)
    with pytest.raises(StackError, match=r'the worker is missing\n\w+ ended with 1; it last said:\n.*no memory today'):
        stack.__enter__()


@pytest.mark.ros
def test_a_data_folder_in_use_is_said_before_any_node_starts(tmp_path, monkeypatch):
    monkeypatch.setattr(checks, '_FREE_LOOK_S', 0.01)
    stack = Stack(StackOptions(llm='embedded', data_dir=tmp_path / 'data'), tmp_path / 'run')
    monkeypatch.setattr(stack.supervisor, 'start', lambda: pytest.fail('a node was started'))
    in_use = rf'in use by another worker \(process {os.getpid()}\); stop it or choose another data_dir'
    with DataFolder.open(tmp_path / 'data', write=True), pytest.raises(FolderInUseError, match=in_use):
        stack.__enter__()


def test_a_command_that_writes_the_data_folder_for_a_moment_is_awaited(tmp_path):
    setups = node_setups(StackOptions(data_dir=tmp_path))
    folder, waits = DataFolder.open(tmp_path, write=True), []

    def wait(time_s):
        waits.append(time_s)
        folder.close()

    checks.check_free(setups, wait)
    assert len(waits) == 1
