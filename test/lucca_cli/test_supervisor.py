"""What starts the nodes and keeps them alive says so where it cannot."""

import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import pytest

from lucca_cli.stack import Stack, StackOptions
from lucca_cli.supervisor import NodeSetup, Supervisor
from lucca_core.errors import StackError
from lucca_core.rotating_file import RotatingFile


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
