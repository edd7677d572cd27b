"""Tasks done by the whole stack on the kinematic table: real nodes as processes, over real DDS."""

from collections.abc import Iterator

import pytest
from kill_judge import once_only_faults
from rig import AHEAD, Rig, physical_faults, running

from lucca_core.protocol.goals import GoalRequest

pytestmark = [pytest.mark.ros, pytest.mark.timeout(600)]


@pytest.fixture(scope='module')
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    """A table with objects of choice."""
    objects = ('apple', 'can', 'cup', 'red cube')
    with running(tmp_path_factory.mktemp('described'), 'table', objects=objects) as rig:
        yield rig


def place_of(rig: Rig, name: str) -> str:
    item = rig.stack.client.snapshot(20.0).object_named(name)
    return item.container if item is not None else 'nowhere'


def test_task_is_interrupted_and_resumed_in_words(tmp_path_factory: pytest.TempPathFactory) -> None:
    with running(tmp_path_factory.mktemp('resumed'), 'sorting_tower', parameters=AHEAD) as rig:
        first, steps = rig.start('sorting')
        steps.until(lambda step: step.phase == 'acting' and len(step.actions_done) == 1)
        tower = rig.do(GoalRequest(task='tower', priority=10))
        suspended = first.wait(60.0)
        resumed = rig.do(GoalRequest(text='go on with the sorting'))
        logs = {task: rig.entries(task) for task in ('sorting', 'tower')}
    assert (suspended.status, tower.status, resumed.status) == ('suspended', 'finished', 'finished')
    assert resumed.task == 'sorting'
    assert set(suspended.actions_done) < set(resumed.actions_done)
    assert {task: once_only_faults(log, task) for task, log in logs.items()} == {'sorting': [], 'tower': []}
    assert physical_faults(rig, ('sorting', 'tower')) == []


def test_described_task_with_objects_of_choice_is_done(rig: Rig) -> None:
    report = rig.do(GoalRequest(text='put the can in box 1 and every red cube in the bowl'))
    assert report.finished, report.reason
    places = {name: place_of(rig, name) for name in ('apple', 'can', 'cup', 'red cube')}
    assert places == {'apple': 'table', 'can': 'box 1', 'cup': 'table', 'red cube': 'bowl'}


@pytest.mark.parametrize(
    'text', ['put the elephant in box 1', 'paint the cup green'], ids=['no such object', 'no such action']
)
def test_impossible_task_is_refused_and_nothing_moves(rig: Rig, text: str) -> None:
    rig.joints.clear()
    before_s, intents = rig.joints.now_s(), rig.all_intents()
    report = rig.do(GoalRequest(text=text))
    rig.joints.wait_until(rig.joints.now_s() + 1.0)
    assert report.status == 'refused'
    assert report.said
    assert rig.all_intents() == intents
    assert rig.joints.motion_after(before_s + 0.5, rig.joints.now_s()) < 0.02


def test_task_that_nobody_knows_is_refused(rig: Rig) -> None:
    report = rig.do('ironing')
    assert report.status == 'refused'
    assert 'ironing' in report.reason
