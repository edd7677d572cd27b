"""Trials on a local Ray cluster of two workers. Slow: starting a cluster takes many seconds of processor time."""

import json
import os
import signal

import pytest

from lucca_eval.tasks.suites import Plan

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings('ignore')]


def trial(spec):
    """Leaves its process id behind, so that the test can kill it; the first one waits to be killed."""
    folder = os.environ['LUCCA_TEST_FOLDER']
    marker = os.path.join(folder, f'{spec.index}.{os.getpid()}')
    first = not os.listdir(folder)
    open(marker, 'w').close()
    if first:
        signal.pause()
    return json.dumps({'trial': spec.trial_id})


def test_a_ray_worker_killed_in_mid_run_loses_nothing(tmp_path, monkeypatch):
    ray = pytest.importorskip('ray', reason='ray is not installed')
    from lucca_eval.tasks.on_ray import OnRay

    monkeypatch.setenv('LUCCA_TEST_FOLDER', str(tmp_path))
    specs = Plan(trials=2, modes=('standalone',)).specs()
    executor = OnRay(run=trial, workers=2)
    lines = []
    try:
        for line in executor.run(specs):
            lines.append(line)
            if len(lines) == 1:
                victim = min(tmp_path.iterdir(), key=lambda file: file.stat().st_mtime_ns)
                os.kill(int(victim.suffix[1:]), signal.SIGKILL)
    finally:
        ray.shutdown()
    assert sorted(json.loads(line)['trial'] for line in lines) == sorted(spec.trial_id for spec in specs)
