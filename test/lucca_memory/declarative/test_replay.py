"""The state of a task follows from its entries alone."""

import sys
from dataclasses import replace
from typing import Any

from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_replay import plain_replay

from lucca_core.protocol.entries import RESTART, RESTORED, EntryKind
from lucca_memory.declarative.entry import Entry, SeenObject
from lucca_memory.declarative.replay import LogReplay, TaskLogState, TaskStatus, replay


def numbered(*entries: Entry) -> list[Entry]:
    return [replace(entry, entry_id=number) for number, entry in enumerate(entries, 1)]


def seen(object_id: str, container: str = 'table', label: str = 'pear') -> SeenObject:
    return SeenObject(object_id=object_id, name=label, label=label, container=container)


def intent(action: str, object_id: str) -> Entry:
    return Entry(kind=EntryKind.INTENT, action=f'<{action}({object_id})>', object_id=object_id, seen=(seen(object_id),))


def outcome(action: str, object_id: str, intent_id: int, code: str = 'done', **more: object) -> Entry:
    return Entry(
        kind=EntryKind.OUTCOME,
        action=f'<{action}({object_id})>',
        object_id=object_id,
        object_name=object_id,
        intent_id=intent_id,
        code=code,
        attempts=1,
        **more,  # type: ignore[arg-type]
    )


STARTED = Entry(kind=EntryKind.STARTED)


def test_a_log_without_entries_is_of_a_new_task() -> None:
    assert replay([]) == TaskLogState()
    assert replay([]).status is TaskStatus.NEW


def test_intent_and_outcome_make_an_action_done() -> None:
    entries = numbered(STARTED, intent('put', 'a'), outcome('put', 'a', 2), intent('put', 'b'))
    state = replay(entries)
    assert [item.action for item in state.actions_done] == ['<put(a)>']
    assert state.open_intent == entries[3]
    assert state.status is TaskStatus.RUNNING


def test_what_was_not_seen_to_work_is_not_done() -> None:
    state = replay(numbered(STARTED, intent('put', 'a'), outcome('put', 'a', 2, 'effect_not_seen')))
    assert state.actions_done == ()
    assert state.open_intent is None


def test_status_follows_the_last_entry_that_tells_it() -> None:
    kinds = [EntryKind.STARTED, EntryKind.SUSPENDED, EntryKind.RESUMED, EntryKind.FINISHED]
    states = [replay([Entry(kind=kind) for kind in kinds[: count + 1]]).status for count in range(4)]
    assert states == [TaskStatus.RUNNING, TaskStatus.SUSPENDED, TaskStatus.RUNNING, TaskStatus.FINISHED]


def test_what_is_refused_before_anything_was_done_stands_where_it_stood() -> None:
    refused = Entry(kind=EntryKind.REFUSED)
    assert replay([STARTED, refused]).status is TaskStatus.NEW
    assert replay([STARTED, Entry(kind=EntryKind.FINISHED), STARTED, refused]).status is TaskStatus.FINISHED


def test_what_is_refused_after_something_was_done_is_suspended() -> None:
    refused = Entry(kind=EntryKind.REFUSED)
    done = numbered(STARTED, intent('put', 'a'), outcome('put', 'a', 2), refused)
    assert replay(done).status is TaskStatus.SUSPENDED
    assert replay(numbered(STARTED, intent('put', 'a'), refused)).status is TaskStatus.SUSPENDED


def test_a_verified_effect_caused_again_is_repeated_and_stands_once_in_what_is_done() -> None:
    state = replay(
        numbered(STARTED, intent('put', 'a'), outcome('put', 'a', 2), intent('put', 'a'), outcome('put', 'a', 4))
    )
    assert state.repeated == 1
    assert len(state.actions_done) == 1


def test_another_action_on_the_same_object_is_no_repeat() -> None:
    state = replay(
        numbered(STARTED, intent('put', 'a'), outcome('put', 'a', 2), intent('take', 'a'), outcome('take', 'a', 4))
    )
    assert state.repeated == 0
    assert len(state.actions_done) == 2


def test_a_changed_world_opens_an_object_again_and_doing_it_again_is_no_repeat() -> None:
    changed = Entry(kind=EntryKind.WORLD_CHANGED, object_id='a', action='<put(a)>')
    entries = numbered(STARTED, intent('put', 'a'), outcome('put', 'a', 2), changed)
    assert replay(entries).actions_done == ()
    again = [*entries, *numbered(*entries, intent('put', 'a'), outcome('put', 'a', 5))[4:]]
    state = replay(again)
    assert state.repeated == 0
    assert len(state.actions_done) == 1
    assert state.reopened == ()


def test_what_is_there_again_is_done_again_in_its_old_place() -> None:
    changed = Entry(kind=EntryKind.WORLD_CHANGED, object_id='a', action='<put(a)>')
    entries = numbered(
        STARTED,
        intent('put', 'a'),
        outcome('put', 'a', 2),
        intent('put', 'b'),
        outcome('put', 'b', 4),
        changed,
        replace(changed, code=RESTORED),
    )
    assert [item.action for item in replay(entries).actions_done] == ['<put(a)>', '<put(b)>']


def test_refusals_retries_and_doubts_are_counted_apart() -> None:
    state = replay(
        numbered(
            STARTED,
            outcome('put', 'x', 0, 'unknown_object'),
            intent('put', 'a'),
            replace(outcome('put', 'a', 3), attempts=3, uncertain=True),
        )
    )
    assert (state.refusals, state.retries, state.uncertain, state.repeated) == (1, 2, 1, 0)


def test_a_restart_forgets_what_was_done_but_not_an_open_intent() -> None:
    entries = numbered(
        STARTED, intent('put', 'a'), outcome('put', 'a', 2), intent('put', 'b'), replace(STARTED, code=RESTART)
    )
    state = replay(entries)
    assert state.actions_done == ()
    assert state.open_intent == entries[3]
    assert state.episodes == 2


def test_started_in_the_middle_of_an_episode_changes_nothing_but_the_status() -> None:
    entries = numbered(STARTED, intent('put', 'a'), outcome('put', 'a', 2), STARTED)
    assert len(replay(entries).actions_done) == 1
    assert replay([*entries, Entry(kind=EntryKind.FINISHED), STARTED]).actions_done == ()


def test_a_change_holds_until_the_task_is_finished_and_not_for_the_next_time() -> None:
    changed = Entry(kind=EntryKind.CHANGED, description='Put the cup away, too.')
    entries = numbered(STARTED, changed, Entry(kind=EntryKind.FINISHED), Entry(kind=EntryKind.RESUMED))
    assert replay(entries[:2]).description == 'Put the cup away, too.'
    assert replay(entries[:3]).description == ''
    assert replay(entries).description == ''


def test_an_object_keeps_its_identity_when_perception_gives_it_another_id() -> None:
    entries = numbered(
        STARTED,
        intent('put', 'a'),
        outcome('put', 'a', 2),
        Entry(kind=EntryKind.RESUMED, seen=(seen('z', 'box'),), known_as=(('z', 'a'),)),
        intent('put', 'z'),
        outcome('put', 'z', 5),
    )
    state = replay(entries)
    assert state.repeated == 1
    assert dict(state.same_as)['z'] == 'a'
    assert {item.object_id for item in state.known} == {'a'}


def test_an_outcome_belongs_to_the_object_of_its_intent_whatever_its_id_is_now() -> None:
    state = replay(
        numbered(
            STARTED,
            intent('put', 'a'),
            Entry(kind=EntryKind.RESUMED, seen=(seen('a', label='cup'),), known_as=(('a', 'a+3'),)),
            outcome('put', 'a', 2),
        )
    )
    assert [item.object_id for item in state.actions_done] == ['a']


small_ids = st.sampled_from(['a', 'b', 'c'])
any_entry = st.builds(
    Entry,
    kind=st.sampled_from(EntryKind),
    action=small_ids.map(lambda name: f'<put({name})>'),
    object_id=small_ids,
    intent_id=st.integers(0, 5),
    code=st.sampled_from(['', 'done', 'timeout', RESTART, RESTORED]),
    attempts=st.integers(0, 3),
    seen=st.lists(st.builds(seen, small_ids), max_size=2).map(tuple),
    known_as=st.lists(st.tuples(small_ids, small_ids), max_size=1).map(tuple),
)


@settings(max_examples=examples(400))
@given(st.lists(any_entry, max_size=16))
def test_the_state_is_that_of_the_plain_fold_after_each_entry(entries: list[Entry]) -> None:
    growing = LogReplay()
    for count, entry in enumerate(whole := numbered(*entries), 1):
        growing.add(entry)
        assert growing.state == plain_replay(whole[:count])
    assert replay(whole) == plain_replay(whole)


def test_a_state_stays_as_it_is_when_the_log_grows() -> None:
    growing = LogReplay(numbered(STARTED, intent('put', 'a')))
    before = growing.state
    growing.add(outcome('put', 'a', 2))
    assert before == replay(numbered(STARTED, intent('put', 'a')))
    assert growing.state.actions_done


class CountedId(str):
    """An id that counts how often it is looked up or compared."""

    looked_up = 0

    def __hash__(self) -> int:
        CountedId.looked_up += 1
        return super().__hash__()

    def __eq__(self, other: object) -> bool:
        CountedId.looked_up += 1
        return super().__eq__(other)


def work_of(objects: int) -> tuple[int, int]:
    """Counts of looked-up ids, calls and lines of code for a log in which perception gives every object new ids."""
    entries = [STARTED]
    for number in range(objects):
        one, then = CountedId(f'object {number}'), CountedId(f'object {number} again')
        entries += [
            intent('put', one),
            outcome('put', one, 3 * number + 2),
            Entry(
                kind=EntryKind.WORLD_CHANGED,
                object_id=then,
                code=RESTORED if number % 3 else '',
                seen=(seen(then, 'box'),),
                known_as=((then, one),),
            ),
        ]
    whole = numbered(*entries)
    lines = 0

    def count_lines(frame: object, event: str, argument: object) -> Any:
        nonlocal lines
        lines += 1
        return count_lines

    CountedId.looked_up = 0
    before = sys.gettrace()
    sys.settrace(count_lines)
    try:
        replay(whole)
    finally:
        sys.settrace(before)
    return CountedId.looked_up, lines


def test_replay_is_linear_in_the_objects_that_a_log_knows() -> None:
    """Twice as long a log with twice as many objects is twice the work, and not four times."""
    half, whole = work_of(100), work_of(200)
    assert half[0] > 100
    assert half[1] > 1000
    for less, more in zip(half, whole, strict=True):
        assert more < 2.2 * less


@given(st.lists(any_entry, max_size=20))
def test_no_effect_is_done_and_open_at_once(entries: list[Entry]) -> None:
    state = replay(numbered(*entries))
    assert not set(state.actions_done) & set(state.reopened)
    latest = [(item.object_id, item.entry_id) for item in state.actions_done]
    assert len(latest) == len(set(latest))


RESTARTED = Entry(kind=EntryKind.STARTED, code=RESTART)


def did(state: TaskLogState) -> tuple[list[str], list[str]]:
    return [item.action for item in state.actions_done], [item.action for item in state.done_before]


def test_what_held_when_a_task_was_begun_anew_was_done_before_and_not_now() -> None:
    built = [STARTED, intent('put', 'a'), outcome('put', 'a', 2), intent('put', 'b'), outcome('put', 'b', 4)]
    finished = Entry(kind=EntryKind.FINISHED)
    assert did(replay(numbered(*built, finished))) == (['<put(a)>', '<put(b)>'], [])
    anew = [*built, finished, RESTARTED]
    assert did(replay(numbered(*anew))) == ([], ['<put(a)>', '<put(b)>'])
    assert did(replay(numbered(*anew, finished, RESTARTED))) == ([], ['<put(a)>', '<put(b)>'])
    again = [*anew, intent('put', 'a'), outcome('put', 'a', 8)]
    assert did(replay(numbered(*again))) == (['<put(a)>'], ['<put(b)>'])
    fallen = Entry(kind=EntryKind.WORLD_CHANGED, object_id='b')
    assert did(replay(numbered(*again, fallen))) == (['<put(a)>'], [])


def test_what_is_done_every_day_does_not_pile_up() -> None:
    entries = []
    for day in range(150):
        entries += [STARTED, intent('put', f'{day}'), outcome('put', f'{day}', 3 * day + 2)]
        entries[-3] = RESTARTED
    now, before = did(replay(numbered(*entries)))
    assert now == ['<put(149)>']
    assert before == [f'<put({day})>' for day in range(49, 149)]
