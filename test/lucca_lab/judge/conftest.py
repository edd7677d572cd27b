import functools
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

# Test modules are imported by path (importlib mode), so what they share has to be found by name.
sys.path.insert(0, str(Path(__file__).parent))

from honest import carry_out
from made_once import made_once

from lucca_lab.judge.traces import SimulationTrace, load_trace
from lucca_sim.trace_recorder import TRACE_FILE

Recorded = Callable[[str], SimulationTrace]
WithStarts = Callable[[str], tuple[SimulationTrace, tuple[float, ...]]]


@pytest.fixture(scope='session')
def recorded_with_starts(tmp_path_factory: pytest.TempPathFactory) -> WithStarts:
    """The honest trace of a task with seed 3, recorded once, and when each of its jobs began (s)."""

    @functools.cache
    def trace_of(task: str) -> tuple[SimulationTrace, tuple[float, ...]]:
        folder = made_once(tmp_path_factory, f'recorded-{task}', lambda folder: _record(task, folder))
        return load_trace(folder / TRACE_FILE), tuple(json.loads((folder / 'starts.json').read_text()))

    return trace_of


def _record(task: str, folder: Path) -> None:
    jobs = (('apple', 'box 1'), ('cup', 'box 2')) if task == 'short' else ()
    run = carry_out('sorting' if task == 'short' else task, 3, folder, jobs)
    (folder / 'starts.json').write_text(json.dumps(run.job_starts_s))


@pytest.fixture(scope='session')
def recorded(recorded_with_starts: WithStarts) -> Recorded:
    """The honest trace of a task with seed 3; `short` is the start of the sorting: the apple and the cup."""
    return lambda task: recorded_with_starts(task)[0]
