"""One intent at a time, one outcome for each, and the log agrees with the world."""

from typing import Any

import pytest

from lucca_core.errors import MemoryFault
from lucca_core.protocol.entries import EntryKind, EntryRequest
from lucca_core.protocol.snapshots import Snapshot


def log_of(bench: Any, task: str = 'sorting') -> list[tuple[str, str, str]]:
    view = bench.recorder.look(task, Snapshot(), 100)
    return [(str(entry.kind), entry.action, entry.code) for entry in view.log]


def test_entries_are_numbered_and_carry_the_table(bench: Any, make_table: Any) -> None:
    table = make_table('pear', 'cup')
    assert bench.recorder.record(table.request('sorting', 'started')) == 1
    bench.do(table, 'sorting', 'move_to_box_1', 'pear', 'box 1')
    [*_, last] = bench.recorder.look('sorting', table.snapshot(), 1).log
    assert last.entry_id == 3
    assert last.contents == (('box 1', ('pear',)), ('box 2', ()))
    assert last.on_table == ('cup',)
    assert last.pointed_at is None


def test_an_intent_is_refused_while_another_is_open(bench: Any, make_table: Any) -> None:
    table = make_table('pear', 'cup')
    intent = bench.recorder.record(table.request('sorting', 'intent', 'move_to_box_1', 'pear'))
    with pytest.raises(MemoryFault, match=rf'intent {intent} \(<move_to_box_1\(pear\)>\) of .sorting. has no outcome'):
        bench.recorder.record(table.request('sorting', 'intent', 'move_to_box_2', 'cup'))
    assert bench.recorder.record(table.request('tower', 'intent', 'put_on_tower', 'cup')) == 1
    assert len(log_of(bench)) == 1


def test_an_outcome_needs_its_intent_and_is_written_once(bench: Any, make_table: Any) -> None:
    table = make_table('pear')
    with pytest.raises(MemoryFault, match=r'intent 5 of .sorting. is not open; none is open'):
        bench.recorder.record(table.request('sorting', 'outcome', 'move_to_box_1', 'pear', intent_id=5, code='done'))
    outcome = bench.do(table, 'sorting', 'move_to_box_1', 'pear', 'box 1')
    again = table.request('sorting', 'outcome', 'move_to_box_1', 'pear', intent_id=1, code='done')
    assert bench.recorder.record(again) == outcome
    with pytest.raises(MemoryFault, match='is not open'):
        bench.recorder.record(table.request('sorting', 'outcome', intent_id=1, code='timeout'))
    assert len(log_of(bench)) == 2


def test_a_settled_intent_lends_its_outcome_what_that_does_not_say(bench: Any, make_table: Any) -> None:
    table = make_table('pear')
    intent = bench.recorder.record(table.request('sorting', 'intent', 'move_to_box_1', 'pear'))
    table.places['pear'] = 'box 1'
    bench.recorder.record(
        EntryRequest(task='sorting', kind=EntryKind.OUTCOME, snapshot=table.snapshot(), intent_id=intent, code='done')
    )
    [done] = bench.recorder.state('sorting').actions_done
    assert (done.action, done.object_name, done.container) == ('<move_to_box_1(pear)>', 'pear', 'box 1')


def test_a_refusal_is_an_outcome_without_intent(bench: Any, make_table: Any) -> None:
    table = make_table('pear')
    bench.recorder.record(table.request('sorting', 'outcome', 'fly', 'pear', code='unknown_action'))
    state = bench.recorder.state('sorting')
    assert (state.refusals, state.actions_done) == (1, ())


def test_an_unknown_task_is_not_recorded(bench: Any, make_table: Any) -> None:
    with pytest.raises(MemoryFault, match=r"no task is named '../x'; known are sorting"):
        bench.recorder.record(make_table('pear').request('../x', 'started'))
    assert list(bench.folder.tasks_path.iterdir()) == []


def test_nothing_is_recorded_once_the_folder_is_given_up(bench: Any, make_table: Any) -> None:
    table = make_table('pear')
    bench.recorder.record(table.request('sorting', 'started'))
    (bench.folder.path / 'lock').unlink()
    with pytest.raises(MemoryFault, match='lock'):
        bench.recorder.record(table.request('sorting', 'intent', 'move_to_box_1', 'pear'))
    assert bench.recorder.state('sorting').open_intent is None


def test_an_entry_without_a_table_says_how_it_last_stood(bench: Any, make_table: Any) -> None:
    table = make_table('pear', 'cup')
    bench.do(table, 'sorting', 'move_to_box_1', 'pear', 'box 1')
    bench.recorder.record(EntryRequest(task='sorting', kind=EntryKind.SUSPENDED, snapshot=Snapshot()))
    [last] = bench.recorder.look('sorting', Snapshot(), 1).log
    assert last.contents == (('box 1', ('pear',)), ('box 2', ()))
    assert last.on_table == ('cup',)


def test_a_suspension_on_an_old_snapshot_does_not_take_back_what_was_seen_since(bench: Any, make_table: Any) -> None:
    table = make_table('pear', 'cup')
    old = table.request('sorting', 'suspended')
    table.stamp_s = 2.0
    bench.do(table, 'sorting', 'move_to_box_1', 'pear', 'box 1')
    bench.recorder.record(old)
    state = bench.recorder.state('sorting')
    assert state.contents == (('box 1', ('pear',)), ('box 2', ()))
    assert [item.container for item in state.known] == ['box 1', 'table']
    table.stamp_s, table.places['cup'] = 0.1, 'box 2'
    bench.recorder.record(table.request('sorting', 'resumed'))
    assert bench.recorder.state('sorting').contents == (('box 1', ('pear',)), ('box 2', ('cup',)))


def test_what_was_pointed_at_stands_in_every_entry_of_a_task_that_points(bench: Any, make_table: Any) -> None:
    table = make_table('lemon', 'can')
    bench.recorder.record(table.request('pointing', 'started'))
    bench.do(table, 'pointing', 'point', 'lemon')
    bench.recorder.record(table.request('pointing', 'suspended'))
    view = bench.recorder.look('pointing', table.snapshot(), 10)
    assert [entry.pointed_at for entry in view.log] == [(), (), ('lemon',), ('lemon',)]
    bench.recorder.record(table.request('pointing', 'started', code='restart'))
    assert bench.recorder.look('pointing', table.snapshot(), 1).log[0].pointed_at == ()


def test_an_object_seen_elsewhere_is_open_again(bench: Any, make_table: Any) -> None:
    table = make_table('pear', 'cup')
    bench.do(table, 'sorting', 'move_to_box_1', 'pear', 'box 1')
    table.places['pear'] = 'table'
    view = bench.recorder.look('sorting', table.snapshot(), 10)
    assert [item.object_name for item in view.changed] == ['pear']
    assert view.state.actions_done == ()
    assert log_of(bench)[-1] == ('world_changed', '<move_to_box_1(pear)>', '')
    assert bench.recorder.look('sorting', table.snapshot(), 10).changed == ()
    bench.do(table, 'sorting', 'move_to_box_1', 'pear', 'box 1')
    state = bench.recorder.state('sorting')
    assert (len(state.actions_done), state.repeated) == (1, 0)


def test_a_snapshot_from_before_the_last_entry_changes_no_world(bench: Any, make_table: Any) -> None:
    table = make_table('pear', 'cup')
    before = table.snapshot()
    table.stamp_s = 2.0
    bench.do(table, 'sorting', 'move_to_box_1', 'pear', 'box 1')
    assert bench.recorder.look('sorting', before, 1).changed == ()


def test_an_object_that_is_hidden_or_gone_is_not_taken_for_moved(bench: Any, make_table: Any) -> None:
    table = make_table('pear', 'cup')
    bench.do(table, 'sorting', 'move_to_box_1', 'pear', 'box 1')
    table.places['pear'] = 'table'
    table.hidden.add('pear')
    assert bench.recorder.look('sorting', table.snapshot(), 1).changed == ()
    del table.places['pear']
    assert bench.recorder.look('sorting', table.snapshot(), 1).changed == ()
    assert len(bench.recorder.state('sorting').actions_done) == 1


def test_an_object_seen_in_its_place_again_is_done_again(bench: Any, make_table: Any) -> None:
    table = make_table('pear', 'cup')
    bench.do(table, 'sorting', 'move_to_box_1', 'pear', 'box 1')
    table.places['pear'] = 'table'
    bench.recorder.look('sorting', table.snapshot(), 1)
    table.places['pear'] = 'box 1'
    assert len(bench.recorder.look('sorting', table.snapshot(), 1).state.actions_done) == 1
    assert log_of(bench)[-1] == ('world_changed', '<move_to_box_1(pear)>', 'restored')


def test_an_intent_on_an_object_that_was_done_tells_first_that_the_world_changed(bench: Any, make_table: Any) -> None:
    table = make_table('pear', 'cup')
    bench.do(table, 'sorting', 'move_to_box_1', 'pear', 'box 1')
    table.places['pear'] = 'table'
    bench.do(table, 'sorting', 'move_to_box_1', 'pear', 'box 1')
    assert [kind for kind, _, _ in log_of(bench)] == ['intent', 'outcome', 'world_changed', 'intent', 'outcome']
    assert bench.recorder.state('sorting').repeated == 0


def test_what_was_given_is_done_wherever_it_is_but_on_the_table(bench: Any, make_table: Any) -> None:
    table = make_table('bowl', containers=("user's side", 'box 1'))
    bench.do(table, 'recipe', 'give', 'bowl', "user's side")
    table.places['bowl'] = 'box 1'
    assert bench.recorder.look('recipe', table.snapshot(), 1).changed == ()
    table.places['bowl'] = 'table'
    assert len(bench.recorder.look('recipe', table.snapshot(), 1).changed) == 1


def test_the_object_of_an_open_intent_may_be_anywhere(bench: Any, make_table: Any) -> None:
    table = make_table('pear', 'cup')
    bench.recorder.record(table.request('sorting', 'intent', 'move_to_box_1', 'pear'))
    table.places['pear'] = 'hand'
    view = bench.recorder.look('sorting', table.snapshot(), 1)
    assert view.changed == ()
    assert view.state.open_intent.object_id == table.ids['pear']


def test_after_a_restart_of_perception_objects_are_the_ones_they_were(bench: Any, make_table: Any) -> None:
    table = make_table('lemon', 'lemon 2', 'can', 'pear')
    bench.do(table, 'pointing', 'point', 'lemon')
    table.ids = {'lemon': 'o3', 'lemon 2': 'o4', 'can': 'o1', 'pear': 'o9'}
    bench = bench.again()
    bench.recorder.record(table.request('pointing', 'resumed'))
    view = bench.recorder.look('pointing', table.snapshot(), 1)
    assert [view.name_of(item) for item in view.state.actions_done] == ['lemon']
    assert view.now['o1'].name == 'lemon'
    bench.do(table, 'pointing', 'point', 'lemon')
    assert bench.recorder.state('pointing').repeated == 1


def test_an_open_intent_is_told_with_the_id_that_perception_gives_now(bench: Any, make_table: Any) -> None:
    table = make_table('pear', 'cup')
    bench.recorder.record(table.request('sorting', 'intent', 'move_to_box_1', 'pear'))
    table.ids = {'pear': 'n8', 'cup': 'n9'}
    table.places['pear'] = 'box 1'
    table.x_m['pear'] = 0.9
    intent = bench.again().recorder.look('sorting', table.snapshot(), 1).state.open_intent
    assert (intent.object_id, intent.object_name) == ('n8', 'pear')


def test_an_object_that_may_be_one_handled_before_is_named(bench: Any, make_table: Any) -> None:
    table = make_table('lemon', 'can')
    bench.do(table, 'pointing', 'point', 'lemon')
    table.ids = {'lemon': 'n1', 'can': 'n2'}
    table.x_m['lemon'] = 0.95
    found = bench.again().worker.retrieve_working('pointing', table.snapshot())
    assert found.doubt == 'lemon may or may not be one that was handled before'
    assert 'Not certain: lemon may or may not be' in found.text
    assert found.to_do == ('lemon', 'can')


def test_a_pointing_that_nobody_saw_twice_is_not_repeated_again(bench: Any, make_table: Any) -> None:
    table = make_table('lemon', 'banana')
    bench.recorder.record(table.request('pointing', 'started'))
    unseen = {'code': 'effect_not_seen', 'uncertain': True, 'attempts': 1}
    first = bench.recorder.record(table.request('pointing', 'intent', 'point', 'lemon'))
    bench.recorder.record(table.request('pointing', 'outcome', 'point', 'lemon', intent_id=first, **unseen))
    assert bench.recorder.state('pointing').actions_done == ()
    second = bench.again().worker.recorder.record(table.request('pointing', 'intent', 'point', 'lemon'))
    bench = bench.again()
    outcome = table.request('pointing', 'outcome', 'point', 'lemon', intent_id=second, **unseen)
    written = bench.recorder.record(outcome)
    assert bench.recorder.record(outcome) == written
    (done,) = bench.recorder.state('pointing').actions_done
    assert done.action == '<point(lemon)>'
    assert done.uncertain


def test_a_pointing_that_was_seen_before_is_interrupted_for_the_first_time(bench: Any, make_table: Any) -> None:
    table = make_table('lemon', 'banana')
    bench.recorder.record(table.request('pointing', 'started'))
    for code in ('done', 'effect_not_seen'):
        intent = bench.recorder.record(table.request('pointing', 'intent', 'point', 'lemon'))
        outcome = table.request(
            'pointing', 'outcome', 'point', 'lemon', intent_id=intent, code=code, uncertain=True, attempts=1
        )
        bench.recorder.record(outcome)
    assert len(bench.recorder.state('pointing').actions_done) == 1


def test_a_lasting_effect_that_nobody_saw_twice_stays_open(bench: Any, make_table: Any) -> None:
    table = make_table('pear')
    for _ in range(2):
        intent = bench.recorder.record(table.request('sorting', 'intent', 'move_to_box_1', 'pear'))
        bench.recorder.record(
            table.request(
                'sorting', 'outcome', 'move_to_box_1', 'pear', intent_id=intent, code='effect_not_seen', uncertain=True
            )
        )
    assert bench.recorder.state('sorting').actions_done == ()


@pytest.mark.parametrize(
    ('code', 'counts'), [('effect_not_seen', True), ('hardware_fault', True), ('cancelled', False)]
)
def test_an_effect_that_is_seen_only_later_closes_the_action_whose_motion_ran(
    bench: Any, make_table: Any, code: str, counts: bool
) -> None:
    table = make_table('pear', 'cup')
    intent = bench.recorder.record(table.request('sorting', 'intent', 'move_to_box_1', 'pear'))
    bench.recorder.record(
        table.request('sorting', 'outcome', 'move_to_box_1', 'pear', intent_id=intent, code=code, attempts=1)
    )
    assert bench.recorder.state('sorting').actions_done == ()
    table.places['pear'] = 'box 1'
    table.stamp_s += 1.0
    view = bench.again().recorder.look('sorting', table.snapshot(), 10)
    assert [item.action for item in view.state.actions_done] == (['<move_to_box_1(pear)>'] if counts else [])
    assert view.state.repeated == 0
