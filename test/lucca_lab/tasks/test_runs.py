"""Runs on disk: interrupted, gone on with, reported; and those who run the trials, dying."""

import contextlib
import importlib
import json
import os
import select
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from lucca_core.errors import ConfigError, StackError
from lucca_lab.tasks import executors
from lucca_lab.tasks.executors import InThisProcess, Processes
from lucca_lab.tasks.report import write_report
from lucca_lab.tasks.results import RunFolder
from lucca_lab.tasks.spec import Setting
from lucca_lab.tasks.suites import SUITES, SuitePlan

PLAN = SuitePlan(seed=1, trials=2, modes=('standalone',))


def fake_trial(spec):
    """A result without any stack."""
    item = {
        'task': spec.tasks[0],
        'success': True,
        'prompt_tokens': [10, 20],
        **dict.fromkeys(('task_retention', 'environment_retention', 'raw_success'), 1.0),
    }
    return json.dumps(
        {
            'trial': spec.trial_id,
            'suite': spec.suite,
            'variant': spec.variant,
            'mode': spec.mode,
            'memory': spec.memory,
            'tasks': [{**item, 'task': task} for task in spec.tasks],
            'ungated_actions': [],
            'calls': 3,
            'calls_cut': 0,
            'largest_prompt': 20,
            'transcript': [],
        }
    )


class Counting:
    """Runs trials and counts them; stops in the middle when told."""

    def __init__(self, stop_after=None):
        self.names = []
        self.stop_after = stop_after

    def run(self, specs):
        for spec in specs:
            if len(self.names) == self.stop_after:
                raise KeyboardInterrupt
            self.names.append(spec.trial_id)
            yield fake_trial(spec)


@pytest.fixture
def folder(tmp_path):
    run = RunFolder(tmp_path / 'run')
    run.begin(PLAN)
    return run


def test_every_suite_names_its_trials_differently():
    specs = replace(PLAN, suites=tuple(SUITES), modes=('standalone', 'consecutive', 'intervened')).specs()
    assert len({spec.trial_id for spec in specs}) == len(specs)


def test_the_default_grid_is_the_papers():
    specs = SuitePlan().specs()
    assert len(specs) == 5 * 50 + 2 * 2 * 50


def test_a_report_says_under_which_faults_each_suite_ran():
    assert 'faults `none`, safeguards on' in PLAN.conditions(['grid'])
    rates = PLAN.conditions(['fault rates'])
    assert 'none' not in rates
    assert '`mixed` at 0 to 0.5 a call' in rates
    both = replace(PLAN, setting=Setting(faults='paper')).conditions(['grid', 'fault rates'])
    assert both.count('`paper`') == 2


def test_a_report_made_anew_names_the_faults_of_the_suite_that_ran(tmp_path):
    pytest.importorskip('matplotlib')
    plan = replace(PLAN, suites=('fault rates',), modes=('consecutive',))
    run = RunFolder(tmp_path / 'rates')
    run.begin(plan)
    run.run(plan.specs(), Counting())
    write_report(RunFolder(tmp_path / 'rates'))
    assert 'over fault rates: `mixed`' in (tmp_path / 'rates' / 'report.md').read_text()


def test_a_killed_run_goes_on_where_it_was_and_no_trial_runs_twice(folder):
    with pytest.raises(KeyboardInterrupt):
        folder.run(PLAN.specs(), Counting(stop_after=4))
    with folder.results_file.open('a') as out:
        out.write('{"trial": "grid/standalo')
    again = Counting()
    folder.run(PLAN.specs(), again)
    assert len(again.names) == len(PLAN.specs()) - 4
    assert [record['trial'] for record in folder.records()] == [spec.trial_id for spec in PLAN.specs()]
    nothing = Counting()
    folder.run(PLAN.specs(), nothing)
    assert nothing.names == []


def test_progress_counts_what_was_done_before(folder):
    with pytest.raises(KeyboardInterrupt):
        folder.run(PLAN.specs(), Counting(stop_after=9))
    seen = []
    folder.run(PLAN.specs(), Counting(), lambda done, total: seen.append((done, total)))
    assert seen == [(9, 10), (10, 10)]


def test_more_trials_and_suites_may_join_a_run_but_no_other_setting(folder):
    folder.begin(replace(PLAN, trials=3, suites=('switching',)))
    with pytest.raises(ConfigError, match=r'holds a run with other settings \(seed\)'):
        folder.begin(replace(PLAN, seed=2))
    with pytest.raises(ConfigError, match='setting'):
        folder.begin(replace(PLAN, setting=Setting(context_tokens=99)))


def test_a_folder_without_a_run_and_a_damaged_line_are_named(folder, tmp_path):
    with pytest.raises(ConfigError, match='holds no run'):
        RunFolder(tmp_path / 'other').plan()
    folder.results_file.write_text('not json\n')
    with pytest.raises(ConfigError, match=r'results\.jsonl:1: no result'):
        folder.done()


def test_a_report_is_written_again_from_the_results_alone(folder):
    pytest.importorskip('matplotlib')
    plan = replace(PLAN, modes=('standalone', 'consecutive'))
    folder.run(plan.specs(), Counting())
    summary = write_report(folder)
    assert {cell['n'] for cell in summary['cells']} == {2}
    assert len(summary['cells']) == 15
    assert summary['ungated_actions'] == 0
    first = {file.name: file.read_bytes() for file in folder.path.iterdir()}
    assert {
        'table.md',
        'report.md',
        'summary.json',
        'success_by_task.png',
        'success_by_task.svg',
        'prompt_tokens_by_action.svg',
    } <= set(first)
    assert '**1.00** (0.34 to 1.00) | 0.70 / 0.66' in first['table.md'].decode()
    write_report(folder)
    assert {file.name: file.read_bytes() for file in folder.path.iterdir()} == first


DYING = """
import json, os

def die_once(spec):
    marker = os.environ['LUCCA_TEST_MARKER']
    if spec.index == 1 and not os.path.exists(marker):
        open(marker, 'w').close()
        os._exit(9)
    return json.dumps({'trial': spec.trial_id})

def always_die(spec):
    os._exit(9)
"""


@pytest.fixture
def dying(tmp_path, monkeypatch):
    """A module that worker processes can import, too."""
    (tmp_path / 'dying_trials.py').write_text(DYING)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv('LUCCA_TEST_MARKER', str(tmp_path / 'died'))
    return importlib.import_module('dying_trials')


def test_a_worker_process_that_dies_loses_nothing(dying, tmp_path):
    specs = PLAN.specs()
    lines = list(Processes(1, dying.die_once).run(specs))
    assert (tmp_path / 'died').exists()
    assert sorted(json.loads(line)['trial'] for line in lines) == sorted(spec.trial_id for spec in specs)


def test_worker_processes_that_always_die_are_given_up(dying):
    with pytest.raises(StackError, match='worker processes died'):
        list(Processes(1, dying.always_die).run(PLAN.specs()[:1]))


def test_one_process_runs_trials_in_order():
    assert [json.loads(line)['trial'] for line in InThisProcess(fake_trial).run(PLAN.specs())] == [
        spec.trial_id for spec in PLAN.specs()
    ]


WAITING = """
import os, signal, sys
from lucca_lab.tasks.executors import Processes
from lucca_lab.tasks.suites import SuitePlan

def tell_and_wait(spec):
    with open(os.environ['LUCCA_TEST_MARKER'], 'w') as told:
        told.write(str(os.getpid()))
    signal.pause()

if __name__ == '__main__':
    from waiting_trials import tell_and_wait
    list(Processes(1, tell_and_wait).run(SuitePlan(trials=1).specs()[:1]))
"""


def test_the_worker_processes_of_a_killed_run_end(tmp_path):
    (tmp_path / 'waiting_trials.py').write_text(WAITING)
    os.mkfifo(tmp_path / 'told')
    paths = os.pathsep.join([str(tmp_path), str(Path(executors.__file__).parents[2])])
    environment = {**os.environ, 'PYTHONPATH': paths, 'LUCCA_TEST_MARKER': str(tmp_path / 'told')}
    # Not blocking: a run that fails before it tells anything fails the test at once.
    told = os.open(tmp_path / 'told', os.O_RDONLY | os.O_NONBLOCK)
    run = subprocess.Popen([sys.executable, tmp_path / 'waiting_trials.py'], env=environment)
    running = os.pidfd_open(run.pid)
    assert select.select([told, running], [], [], 60.0)[0] == [told], 'the run ended or hangs'
    worker = os.pidfd_open(int(os.read(told, 100)))
    try:
        run.kill()
        run.wait()
        assert select.select([worker], [], [], 60.0)[0]
    finally:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(worker, signal.SIGKILL)
        for number in (told, running, worker):
            os.close(number)
