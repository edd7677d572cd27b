"""A task whose effects did not last: it is said once, and asked for again only what is undone is done."""

from collections import Counter

import pytest

from lucca_core.protocol.goals import Phase, Status

CUBES = ('red cube (red)', 'green cube (green)', 'blue cube (blue)', 'yellow cube (yellow)')
FALLEN = 'The tower has fallen or was taken apart: the red cube and the blue cube are no longer on it.'


@pytest.fixture
def lab(make_lab):
    lab = make_lab()
    lab.lay(*CUBES, 'banana (yellow)')
    return lab


def fall(lab, *names):
    for name in names:
        lab.table.put(name)


def watch(lab, looks=8):
    """The worker sees the table for a while."""
    for _ in range(looks):
        lab.worker.watch(lab.table.fresh(lab.table.now_s() + 0.5, 0.0, cancelled=lambda: False))


def run(lab, task='tower', **goal):
    """The result, and what was said meanwhile."""
    told = []

    def hear(event):
        if event.phase is Phase.SAYING:
            told.append(event.text)

    return lab.run(task, on_event=hear, **goal), told


def status(lab, task='tower'):
    return next(item for item in lab.memory.tasks() if item.task == task)


@pytest.mark.parametrize('noticed', [True, False], ids=['noticed before', 'noticed by the goal'])
@pytest.mark.parametrize('restart', [False, True], ids=['gone on with', 'begun anew'])
def test_a_fallen_tower_is_said_once_and_only_what_fell_is_put_back(lab, noticed, restart):
    run(lab)
    fall(lab, 'red cube', 'blue cube')
    if noticed:
        watch(lab)
        assert status(lab).status == 'finished'
        assert set(status(lab).undone) == {'<put_on_tower(red cube)>', '<put_on_tower(blue cube)>'}
    built = len(lab.table.performed)
    result, told = run(lab, restart=restart)
    assert told == [FALLEN]
    assert result.status is Status.FINISHED
    assert set(result.undone) == {'<put_on_tower(red cube)>', '<put_on_tower(blue cube)>'}
    assert sorted(lab.table.performed[built:]) == ['<put_on_tower(blue cube)>', '<put_on_tower(red cube)>']
    assert result.repeated == 0
    assert status(lab).undone == ()
    again, told = run(lab)
    assert (again.status, again.undone, told) == (Status.FINISHED, (), [])
    assert len(lab.table.performed) == built + 2


def test_a_suspended_tower_that_fell_is_gone_on_with_and_nothing_is_done_twice(lab):
    first, _ = run(lab, max_actions=2)
    assert first.status is Status.SUSPENDED
    fallen = lab.table.contents()['tower'][:1]
    fall(lab, *fallen)
    watch(lab)
    result, told = run(lab)
    assert told == [f'The tower has fallen or was taken apart: the {fallen[0]} is no longer on it.']
    assert result.status is Status.FINISHED
    assert len(lab.table.contents()['tower']) == 4
    times = Counter(lab.table.performed)
    assert times.pop(f'<put_on_tower({fallen[0]})>') == 2
    assert set(times.values()) == {1}
    assert result.repeated == 0


def test_what_somebody_takes_out_of_a_box_is_said_and_put_back(lab):
    run(lab, 'sorting')
    assert lab.table.contents()['box 1'] == ('banana',)
    fall(lab, 'banana')
    watch(lab)
    assert status(lab, 'sorting').undone == ('<move_to_box_1(banana)>',)
    result, told = run(lab, 'sorting')
    assert told == ['The banana is no longer in box 1.']
    assert (result.status, lab.table.contents()['box 1']) == (Status.FINISHED, ('banana',))


def test_a_tower_that_falls_again_is_said_again(lab):
    run(lab)
    for _ in range(2):
        fall(lab, 'red cube', 'blue cube')
        watch(lab)
        assert run(lab)[1] == [FALLEN]


def test_a_tower_that_somebody_built_up_again_is_not_told_of(lab):
    run(lab)
    fall(lab, 'red cube')
    watch(lab)
    lab.table.put('red cube', 'tower')
    watch(lab)
    result, told = run(lab)
    assert (result.status, told, result.undone) == (Status.FINISHED, [], ())
