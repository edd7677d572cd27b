"""The trained models themselves: time and memory of each, the demo with the tuned one, and commands heard by both ears.

`LUCCA_MODELS_DIR=.venv/models lucca models get NAME` brings them; TRAINED_MODELS_DIR names another folder. What needs a
model that is not there is skipped. SOAK_TRAINED_SEEDS and SOAK_TRAINED_FIRST_SEED choose the seeds of the demo.
"""

import importlib.util
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lucca_core.trained_models import (
    MODELS_VARIABLE,
    MOONSHINE_TINY_EN,
    SMOLLM2,
    WHISPER_TINY_EN,
    TrainedModel,
    llama_cpp_dir,
)

ROOT = Path(__file__).parents[2]
MODELS = Path(os.environ.get('TRAINED_MODELS_DIR', ROOT / '.venv' / 'models'))
OUT = Path('out/soak')

pytestmark = [pytest.mark.ros, pytest.mark.slow]


@pytest.fixture(autouse=True)
def models(monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of models, for this process and those that it starts."""
    monkeypatch.setenv(MODELS_VARIABLE, str(MODELS))


def run_lucca(*words: str) -> subprocess.CompletedProcess[str]:
    command = [Path(sys.executable).with_name('lucca'), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def require(*needed: TrainedModel) -> None:
    missing = [model.name for model in needed if not model.is_there]
    if missing:
        pytest.skip(f'not there: lucca models get {missing[0]}')
    if SMOLLM2 in needed and not (llama_cpp_dir() / 'llama_cpp').is_dir():
        pytest.skip('llama.cpp is not compiled')
    if WHISPER_TINY_EN in needed and importlib.util.find_spec('faster_whisper') is None:
        pytest.skip('faster-whisper is not installed')


def test_the_demo_completes_with_the_tuned_model(tmp_path: Path, soak_size: Callable[[str, int], int]) -> None:
    require(SMOLLM2)
    first, seeds = soak_size('TRAINED_FIRST_SEED', 0), dict[int, dict[str, Any]]()
    OUT.mkdir(parents=True, exist_ok=True)
    for seed in range(first, first + soak_size('TRAINED_SEEDS', 2)):
        began_s = time.monotonic()
        spec = ('--llm', 'local:smollm2+tasks')
        run = run_lucca('demo', '--no-video', '--seed', str(seed), *spec, '--out', str(tmp_path / str(seed)))
        seeds[seed] = {'code': run.returncode, 'wall_s': round(time.monotonic() - began_s, 1)}
        if run.returncode:
            seeds[seed]['said'] = (run.stdout + run.stderr)[-2000:]
        (OUT / 'trained_seeds.json').write_text(json.dumps(seeds, indent=2), encoding='utf-8')
    assert {seed: item for seed, item in seeds.items() if item['code']} == {}


def test_as_shipped_each_task_of_the_demo_is_complete_or_fails_with_a_reason(tmp_path: Path) -> None:
    require(SMOLLM2)
    out = tmp_path / 'demo'
    run = run_lucca('demo', '--no-video', '--llm', 'local:smollm2', '--out', str(out))
    assert (out / 'summary.json').is_file(), (run.stdout + run.stderr)[-2000:]
    tasks = json.loads((out / 'summary.json').read_text(encoding='utf-8'))['tasks']
    assert len(tasks) == 5
    assert {name: task for name, task in tasks.items() if not (task['completed'] or task['reason'])} == {}
    assert {name: task['repeated'] for name, task in tasks.items() if task['repeated']} == {}


def test_smollm2_talks(tmp_path: Path) -> None:
    require(SMOLLM2)
    lucca = Path(sys.executable).with_name('lucca')
    command = [lucca, 'chat', '--person', 'Ana', '--data', str(tmp_path / 'data'), '--llm', 'local:smollm2']

    def say(*lines: str) -> str:
        run = subprocess.run(command, input='\n'.join(lines), capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr[-2000:]
        return run.stdout

    said = say('hello', 'my favourite fruit is the pear', 'my sister plays the harp')
    assert 'I do not know' not in said, said
    told = say('what is my favourite fruit?', '/recall').lower()
    assert 'favourite fruit is the pear' in told.partition('recalled')[0], told
    assert 'ana, ' in told.partition('recalled')[2], told
    assert 'my favourite fruit is the pear' in told.partition('recalled')[2], told
    assert 'harp' not in told, told


@pytest.mark.parametrize('spec', ['faster-whisper:tiny.en+none', 'faster-whisper:tiny.en'])
def test_commands_are_heard_in_voices_that_were_chosen_on(spec: str, tmp_path: Path) -> None:
    require(WHISPER_TINY_EN, *([] if spec.endswith('+none') else [MOONSHINE_TINY_EN]))
    commands = (
        '--only',
        'command',
        '--count',
        '10',
        '--seed',
        '11',
        '--speaker',
        'other',
        '--snr',
        '35',
        '--snr',
        '20',
    )
    run = run_lucca('eval', 'voice', *commands, '--transcriber', spec, '--out', str(tmp_path), '--json')
    (row,) = json.loads(run.stdout)
    assert row['surely'] >= 8
    assert row['wrong'] == 0


def test_each_model_that_is_there_answers(tmp_path: Path) -> None:
    script = ROOT / 'laboratory' / 'scripts' / 'measure_models.py'
    run = subprocess.run([sys.executable, script, '--calls', '3'], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    assert all(line['calls'] == 3 for line in lines)
