import sys
from collections.abc import Callable
from pathlib import Path

import pytest

# Test modules are imported by path (importlib mode), so what they share has to be found by name.
sys.path.insert(0, str(Path(__file__).parent))

from honest import record

from lucca_lab.judge.traces import SimulationTrace, load_trace

Recorded = Callable[[str], SimulationTrace]


@pytest.fixture(scope='session')
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """The honest trace of a task with seed 3, recorded once; `short` is the start of the sorting: the apple and the
    cup."""
    known: dict[str, SimulationTrace] = {}

    def trace_of(task: str) -> SimulationTrace:
        if task not in known:
            jobs = (('apple', 'box 1'), ('cup', 'box 2')) if task == 'short' else ()
            scene = 'sorting' if task == 'short' else task
            known[task] = load_trace(record(scene, 3, tmp_path_factory.mktemp(task), jobs))
        return known[task]

    return trace_of
