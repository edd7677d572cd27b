"""What finished and suspended tasks had brought about is watched while nobody asks."""

from typing import Any

import pytest

from lucca_core.protocol.entries import EntryKind

CUBES = ('red cube', 'green cube', 'blue cube', 'yellow cube')


@pytest.fixture
def tower(bench: Any, make_table: Any) -> Any:
    table = make_table(*CUBES, 'banana', containers=('tower', 'box 1'))
    bench.recorder.record(table.request('tower', 'started'))
    for name in CUBES:
        bench.do(table, 'tower', 'put_on_tower', name, 'tower')
    bench.recorder.record(table.request('tower', 'finished'))
    return table


def watched(bench: Any, table: Any, seconds: float) -> list[str]:
    """What is noticed while the table is looked at for so long."""
    noticed = []
    for _ in range(int(seconds / 0.5)):
        table.stamp_s += 0.5
        noticed += [action for actions in bench.worker.watch(table.snapshot()).values() for action in actions]
    return noticed


def undone(bench: Any, task: str = 'tower') -> list[str]:
    return [item.action for item in bench.recorder.state(task).undone]


def test_a_fallen_tower_is_noticed_once_and_the_task_stays_finished(bench: Any, tower: Any) -> None:
    assert watched(bench, tower, 3.0) == []
    tower.places['red cube'] = tower.places['blue cube'] = 'table'
    fallen = ['<put_on_tower(red cube)>', '<put_on_tower(blue cube)>']
    assert watched(bench, tower, 10.0) == fallen
    assert undone(bench) == fallen
    [state] = [item for item in bench.worker.tasks() if item.task.name == 'tower']
    assert state.log.status == 'finished'
    assert len(state.log.actions_done) == 2


def test_a_suspended_task_is_watched_and_a_running_one_is_not(bench: Any, make_table: Any) -> None:
    table = make_table('banana', 'pear')
    bench.recorder.record(table.request('sorting', 'started'))
    bench.do(table, 'sorting', 'move_to_box_1', 'banana', 'box 1')
    table.places['banana'] = 'table'
    assert watched(bench, table, 5.0) == []
    table.places['banana'] = 'box 1'
    bench.recorder.record(table.request('sorting', 'suspended'))
    table.places['banana'] = 'table'
    assert watched(bench, table, 5.0) == ['<move_to_box_1(banana)>']


def test_what_is_seen_elsewhere_for_a_moment_only_is_not_undone(bench: Any, tower: Any) -> None:
    for _ in range(3):
        tower.places['red cube'] = 'table'
        assert watched(bench, tower, 1.5) == []
        tower.places['red cube'] = 'tower'
        assert watched(bench, tower, 1.0) == []
    tower.places['red cube'] = 'table'
    for _ in range(5):
        assert watched(bench, tower, 1.5) == []
        tower.hidden.add('red cube')
        assert watched(bench, tower, 1.5) == []
        tower.hidden.clear()


def test_what_is_hidden_by_an_arm_or_gone_is_not_undone(bench: Any, tower: Any) -> None:
    tower.places['red cube'] = 'table'
    tower.hidden.add('red cube')
    del tower.places['blue cube']
    assert watched(bench, tower, 10.0) == []


def test_nothing_is_noticed_while_an_action_of_any_task_is_under_way(bench: Any, tower: Any) -> None:
    intent = bench.recorder.record(tower.request('sorting', 'intent', 'move_to_box_1', 'banana'))
    tower.places['red cube'] = 'table'
    assert watched(bench, tower, 10.0) == []
    bench.recorder.record(
        tower.request('sorting', 'outcome', 'move_to_box_1', 'banana', intent_id=intent, code='timeout', attempts=1)
    )
    assert watched(bench, tower, 1.5) == []
    assert watched(bench, tower, 2.0) == ['<put_on_tower(red cube)>']


def test_a_tower_that_somebody_has_built_up_again_is_as_it_was(bench: Any, tower: Any) -> None:
    tower.places['red cube'] = 'table'
    watched(bench, tower, 5.0)
    tower.places['red cube'] = 'tower'
    watched(bench, tower, 5.0)
    assert undone(bench) == []
    assert len(bench.recorder.state('tower').actions_done) == 4


def test_what_was_noticed_is_known_to_the_next_worker_and_not_recorded_again(bench: Any, tower: Any) -> None:
    tower.places['red cube'] = 'table'
    watched(bench, tower, 5.0)
    later = bench.again()
    assert undone(later) == ['<put_on_tower(red cube)>']
    assert watched(later, tower, 5.0) == []


def test_a_simulation_that_begins_anew_does_not_keep_the_watch_waiting(bench: Any, tower: Any) -> None:
    tower.stamp_s = 1000.0
    watched(bench, tower, 1.0)
    later = bench.again()
    tower.stamp_s = 0.0
    tower.places['red cube'] = 'table'
    assert watched(later, tower, 5.0) == ['<put_on_tower(red cube)>']


def test_a_table_that_looks_the_same_is_held_against_a_log_once(bench: Any, tower: Any) -> None:
    watched(bench, tower, 1.0)
    bench.recorder.changes = lambda *_: pytest.fail('the table looks as before')
    assert watched(bench, tower, 5.0) == []


def test_every_difference_has_one_entry_in_the_log(bench: Any, tower: Any) -> None:
    for name in CUBES:
        tower.places[name] = 'table'
        watched(bench, tower, 3.0)
    watched(bench, tower, 3.0)
    view = bench.recorder.look('tower', tower.snapshot(), 100)
    assert [entry.object_name for entry in view.log if entry.kind is EntryKind.WORLD_CHANGED] == list(CUBES)
