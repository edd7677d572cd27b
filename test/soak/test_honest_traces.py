"""A hundred honest traces, none blamed. SOAK_TRACES chooses another number; figures go to out/soak/."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / 'lucca_lab' / 'judge'))

from honest import JOBS, record

from lucca_lab.judge.verdict import judge_table

pytestmark = pytest.mark.slow

OUT = Path('out/soak')
FIRST_SEED = 100
"""The laws' margins were set on seed 3."""


def test_no_honest_trace_is_blamed(tmp_path: Path, soak_size: Callable[[str, int], int]) -> None:
    wanted, blamed = soak_size('TRACES', 100), {}
    for number in range(wanted):
        task, seed = list(JOBS)[number % len(JOBS)], FIRST_SEED + number // len(JOBS)
        trace = record(task, seed, tmp_path / f'{task}{seed}')
        judgement = judge_table(trace, task, seed, (task,))[task]
        if judgement.faults:
            blamed[f'{task} {seed}'] = [str(fault) for fault in judgement.faults]
    OUT.mkdir(parents=True, exist_ok=True)
    report = {'traces': wanted, 'blamed': blamed}
    (OUT / 'honest_traces.json').write_text(json.dumps(report, indent=2), encoding='utf-8')
    assert blamed == {}
