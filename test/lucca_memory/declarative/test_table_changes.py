"""What is so no longer follows from the log's state and one snapshot."""

from dataclasses import replace

from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from lucca_core.protocol.actions import ActionCall
from lucca_core.protocol.entries import RESTART, RESTORED, EntryKind
from lucca_core.protocol.snapshots import TableObject
from lucca_memory.declarative.entry import Entry, SeenObject
from lucca_memory.declarative.replay import TaskLogState, replay
from lucca_memory.declarative.table_changes import changes
from lucca_memory.procedural import Effect, load_actions

ACTIONS = load_actions()
NAMES = ('a', 'b', 'c', 'd')


def effect_of(action: str) -> Effect | None:
    spec = ACTIONS.get(ActionCall.from_text(action).name)
    return spec.effect if spec else None


def done(*calls: tuple[str, str], code: str = 'done') -> list[Entry]:
    entries = [Entry(kind=EntryKind.STARTED)]
    for name, argument in calls:
        item = SeenObject(object_id=argument, name=argument, label='cube')
        more = {'action': f'<{name}({argument})>', 'object_id': argument, 'object_name': argument, 'seen': (item,)}
        intent_id = len(entries) + 1
        entries.append(Entry(kind=EntryKind.INTENT, **more))
        entries.append(Entry(kind=EntryKind.OUTCOME, intent_id=intent_id, code=code, attempts=1, **more))
    return entries


def state_of(entries: list[Entry]) -> TaskLogState:
    return replay(replace(entry, entry_id=number) for number, entry in enumerate(entries, 1))


def seen(**places: str) -> dict[str, TableObject]:
    return {name: TableObject(object_id=name, name=name, label='cube', container=at) for name, at in places.items()}


def told(state: TaskLogState, now: dict[str, TableObject]) -> list[tuple[str, bool]]:
    return [(change.done.object_id, change.there) for change in changes(state, now, effect_of)]


def recorded(entries: list[Entry], now: dict[str, TableObject]) -> list[Entry]:
    return [
        *entries,
        *(
            Entry(
                kind=EntryKind.WORLD_CHANGED,
                action=change.done.action,
                object_id=change.done.object_id,
                code=RESTORED if change.there else '',
            )
            for change in changes(state_of(entries), now, effect_of)
        ),
    ]


TOWER = done(*(('put_on_tower', name) for name in NAMES))


def test_of_a_fallen_tower_only_what_lies_elsewhere_is_undone():
    now = seen(a='tower', b='table', c='box 1', d='tower')
    assert told(state_of(TOWER), now) == [('b', False), ('c', False)]
    assert [item.object_id for item in state_of(recorded(TOWER, now)).undone] == ['b', 'c']


def test_what_is_hidden_inferred_or_away_is_not_undone():
    now = seen(a='table', b='table', c='tower')
    now['a'] = replace(now['a'], visible=False)
    now['b'] = replace(now['b'], inferred=True)
    assert told(state_of(TOWER), now) == []


def test_what_was_done_before_a_task_was_begun_anew_is_undone_as_well_and_comes_back_as_such():
    anew = [*TOWER, Entry(kind=EntryKind.FINISHED), Entry(kind=EntryKind.STARTED, code=RESTART)]
    fallen = recorded(anew, seen(a='tower', b='table'))
    state = state_of(fallen)
    assert [item.object_id for item in state.undone] == ['b']
    assert [item.object_id for item in state.done_before] == ['a', 'c', 'd']
    again = state_of(recorded(fallen, seen(a='tower', b='tower')))
    assert (again.undone, again.actions_done) == ((), ())
    assert {item.object_id for item in again.done_before} == set(NAMES)


def test_what_was_tried_and_never_seen_to_work_is_not_undone():
    state = state_of(done(('put_on_tower', 'a'), code='effect_not_seen'))
    assert [item.object_id for item in state.reopened] == ['a']
    assert state.undone == ()


def test_what_was_undone_stays_so_when_doing_it_again_misses():
    again = [*recorded(TOWER, seen(b='table')), *done(('put_on_tower', 'b'), code='effect_not_seen')[1:]]
    again[-1] = replace(again[-1], intent_id=len(again) - 1)
    assert [item.object_id for item in state_of(again).undone] == ['b']


PLACES = st.sampled_from(['table', 'tower', 'box 1', 'hand', "user's side"])
LOGS = st.lists(
    st.tuples(st.sampled_from(['put_on_tower', 'move_to_box_1', 'give', 'point']), st.sampled_from(NAMES)), max_size=8
)
TABLES = st.dictionaries(
    st.sampled_from(NAMES), st.tuples(PLACES, st.booleans(), st.booleans()), max_size=len(NAMES)
).map(
    lambda places: {
        name: TableObject(object_id=name, name=name, label='cube', container=at, visible=visible, inferred=inferred)
        for name, (at, visible, inferred) in places.items()
    }
)


@settings(max_examples=examples(300))
@given(calls=LOGS, anew=st.booleans(), tables=st.lists(TABLES, min_size=1, max_size=4))
def test_each_difference_is_told_once_and_what_is_undone_was_seen_elsewhere(calls, anew, tables):
    entries = done(*calls)
    if anew:
        entries += [Entry(kind=EntryKind.FINISHED), Entry(kind=EntryKind.STARTED)]
    held = {(item.action, item.object_id) for item in state_of(entries).actions_done + state_of(entries).done_before}
    for now in tables:
        before = state_of(entries)
        entries = recorded(entries, now)
        after = state_of(entries)
        for item in set(after.undone) - set(before.undone):
            found = now[item.object_id]
            assert found.visible
            assert not found.inferred
            assert effect_of(item.action).lasts
        # Nothing is lost, nothing is there twice, and the same look tells nothing new of what is gone.
        kept = [*after.actions_done, *after.done_before, *after.reopened]
        assert {(item.action, item.object_id) for item in kept} == held
        assert len({(item.action, item.entry_id) for item in kept}) == len(kept)
        gone = {(change.done.entry_id, change.there) for change in changes(before, now, effect_of)}
        assert not gone & {(change.done.entry_id, change.there) for change in changes(after, now, effect_of)}
