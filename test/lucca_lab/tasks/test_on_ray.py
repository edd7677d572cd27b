"""Trials on a local Ray cluster of two workers. Slow: starting a cluster takes many seconds of processor time."""

import importlib
import json
import os
import signal

import pytest

from lucca_lab.tasks.suites import SuitePlan

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings('ignore')]


TRIAL = """
import json, os, signal

def trial(spec):
    folder = os.environ['LUCCA_TEST_FOLDER']
    first = not os.listdir(folder)
    open(os.path.join(folder, f'{spec.tasks[0]}-{spec.index}.{os.getpid()}'), 'w').close()
    if first:
        signal.pause()
    return json.dumps({'trial': spec.trial_id})
"""
# Leaves its process id behind, so that the test can kill it; the first one waits to be killed.


def test_a_ray_worker_killed_in_mid_run_loses_nothing(tmp_path, monkeypatch):
    ray = pytest.importorskip('ray', reason='ray is not installed')
    from lucca_lab.tasks.on_ray import OnRay

    (tmp_path / 'code').mkdir()
    (tmp_path / 'code' / 'ray_trial.py').write_text(TRIAL)
    markers = tmp_path / 'markers'
    markers.mkdir()
    monkeypatch.setenv('LUCCA_TEST_FOLDER', str(markers))
    monkeypatch.setenv('PYTHONPATH', str(tmp_path / 'code'))
    monkeypatch.syspath_prepend(tmp_path / 'code')
    trial = importlib.import_module('ray_trial').trial
    specs = SuitePlan(trials=2, modes=('standalone',)).specs()
    executor = OnRay(run=trial, workers=2)
    lines = []
    try:
        for line in executor.run(specs):
            lines.append(line)
            if len(lines) == 1:
                victim = min(markers.iterdir(), key=lambda file: file.stat().st_mtime_ns)
                os.kill(int(victim.suffix[1:]), signal.SIGKILL)
    finally:
        ray.shutdown()
    assert sorted(json.loads(line)['trial'] for line in lines) == sorted(spec.trial_id for spec in specs)
