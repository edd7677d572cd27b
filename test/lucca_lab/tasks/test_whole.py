"""The experiments whole, as their figures are reported. Slow: minutes of processor time each."""

import pytest

from lucca_lab.tasks.executors import Processes
from lucca_lab.tasks.results import RunFolder
from lucca_lab.tasks.spec import Setting
from lucca_lab.tasks.suites import GRID, SCALE, WINDOW_TOKENS, WINDOWS, SuitePlan
from lucca_lab.tasks.summary import Counter

pytestmark = [pytest.mark.slow, pytest.mark.timeout(4 * 3600)]


@pytest.fixture
def count(tmp_path):
    """Runs a plan and counts what came of it."""

    def run(plan):
        folder, counter = RunFolder(tmp_path / 'run'), Counter()
        folder.begin(plan)
        folder.run(plan.specs(), Processes())
        for record in folder.records():
            counter.add(record)
        assert counter.ungated == []
        return counter

    return run


def rates(cell):
    return cell.success, cell.task_retention, cell.environment_retention


def test_without_faults_every_cell_is_complete(count):
    cells = count(SuitePlan(seed=1)).cells()
    assert len(cells) == 25
    assert {(rates(cell), cell.n) for cell in cells} == {((1.0, 1.0, 1.0), 50)}


def test_with_memory_every_window_that_holds_the_base_prompt_is_enough(count):
    counter = count(SuitePlan(seed=1, suites=(WINDOWS,), trials=10))
    of = {tokens: counter.cells(WINDOWS, f'context={tokens}') for tokens in WINDOW_TOKENS}
    assert {rates(cell) for cells in of.values() for cell in cells if cell.memory} == {(1.0, 1.0, 1.0)}
    assert {cell.success for cell in of[1024] if not cell.memory} == {0.0}


def test_safeguards_mend_the_faults_of_published_models(count):
    plan = SuitePlan(
        seed=1,
        trials=400,
        memory=(True,),
        modes=('consecutive', 'intervened'),
        setting=Setting(faults='paper', second_opinion=True),
    )
    cells = count(plan).cells(GRID)
    assert len(cells) == 10
    assert min(cell.success for cell in cells) >= 0.99


def test_thirty_tasks_of_thirty_objects_are_done_at_depth_three(count):
    cells = count(SuitePlan(seed=1, suites=(SCALE,))).cells(SCALE)
    assert [cell.n for cell in cells if cell.task == '30 tasks of 30 objects'] == [150]
    assert min(cell.success for cell in cells) >= 0.99
