import sys
from collections.abc import Callable
from pathlib import Path

import pytest

# Test modules are imported by path (importlib mode), so what they share has to be found by name.
sys.path.insert(0, str(Path(__file__).parent))

from honest import carry_out

from lucca_lab.judge.traces import SimulationTrace, load_trace

Recorded = Callable[[str], SimulationTrace]
WithStarts = Callable[[str], tuple[SimulationTrace, tuple[float, ...]]]


@pytest.fixture(scope='session')
def recorded_with_starts(tmp_path_factory: pytest.TempPathFactory) -> WithStarts:
    """The honest trace of a task with seed 3, recorded once, and when each of its jobs began (s)."""
    known: dict[str, tuple[SimulationTrace, tuple[float, ...]]] = {}

    def trace_of(task: str) -> tuple[SimulationTrace, tuple[float, ...]]:
        if task not in known:
            jobs = (('apple', 'box 1'), ('cup', 'box 2')) if task == 'short' else ()
            scene = 'sorting' if task == 'short' else task
            run = carry_out(scene, 3, tmp_path_factory.mktemp(task), jobs)
            known[task] = load_trace(run.trace), run.job_starts_s
        return known[task]

    return trace_of


@pytest.fixture(scope='session')
def recorded(recorded_with_starts: WithStarts) -> Recorded:
    """The honest trace of a task with seed 3; `short` is the start of the sorting: the apple and the cup."""
    return lambda task: recorded_with_starts(task)[0]
