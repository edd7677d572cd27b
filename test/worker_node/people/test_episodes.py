"""What was done in tasks, as memories: told from the logs, in the order of the logs, each entry once."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from lucca_core.protocol.entries import RESTORED, EntryKind
from lucca_memory.declarative.entry import Entry
from worker_node.people.episodes import told

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


def outcome(number: int, name: str, code: str = 'done', **more: Any) -> Entry:
    values = {'intent_id': number - 1, 'object_name': name, 'action': f'<move_to_box_1({name})>', **more}
    return Entry(kind=EntryKind.OUTCOME, entry_id=number, code=code, **values)


@pytest.mark.parametrize(
    ('entry', 'sentence'),
    [
        (Entry(kind=EntryKind.STARTED), 'sorting was started'),
        (Entry(kind=EntryKind.SUSPENDED), 'sorting was suspended'),
        (Entry(kind=EntryKind.RESUMED), 'sorting was resumed'),
        (
            Entry(kind=EntryKind.FINISHED, contents=(('box 1', ('pear', 'apple')), ('box 2', ()))),
            'sorting was finished; box 1 holds pear, apple',
        ),
        (outcome(3, 'pear'), 'sorting: done, move to box 1: pear'),
        (outcome(3, 'pear', 'grasp_failed'), 'sorting: not done (grasp failed), move to box 1: pear'),
        (outcome(3, '', action='<wave(hand)>'), 'sorting: done, wave: hand'),
        (outcome(3, 'pear', 'unknown_object', intent_id=0), ''),
        (Entry(kind=EntryKind.INTENT, action='<move_to_box_1(pear)>'), ''),
        (
            Entry(kind=EntryKind.WORLD_CHANGED, action='<put_on_tower(red cube)>', object_name='red cube'),
            'sorting: seen to be so no longer, put on tower: red cube',
        ),
        (
            Entry(kind=EntryKind.WORLD_CHANGED, action='<give(cup)>', object_name='cup', code=RESTORED),
            'sorting: seen to be so again, give: cup',
        ),
    ],
)
def test_an_entry_is_told_in_a_sentence(entry: Entry, sentence: str) -> None:
    assert told('sorting', entry) == sentence


def test_what_was_done_is_recalled_from_the_logs_as_they_grow(office: Any) -> None:
    office.desk.meet('cli', 'Anna', 'c1')
    assert office.texts('c1', 'What did you do with the pear?', kinds=['task']) == []
    office.logs['sorting'] = [
        Entry(kind=EntryKind.STARTED, entry_id=1, time=NOW),
        Entry(kind=EntryKind.INTENT, entry_id=2, time=NOW),
        outcome(3, 'pear', time=NOW + timedelta(minutes=1)),
    ]
    [found, *_] = office.desk.recall('c1', 'What did you do with the pear?', kinds=['task'])
    assert (found.text, found.item_id, found.group) == (
        'sorting: done, move to box 1: pear',
        'task:sorting:3',
        'sorting',
    )
    assert (found.source, found.time) == ('sorting, entry 3', NOW + timedelta(minutes=1))
    office.logs['tower'] = [Entry(kind=EntryKind.STARTED, entry_id=1, time=NOW)]
    office.logs['sorting'].append(outcome(4, 'cup', time=NOW + timedelta(minutes=2)))
    texts = office.texts('c1', 'cup pear tower sorting', kinds=['task'], limit=20)
    assert sorted(texts) == [
        'sorting was started',
        'sorting: done, move to box 1: cup',
        'sorting: done, move to box 1: pear',
        'tower was started',
    ]


def test_a_clock_that_went_back_tells_nothing_twice_and_keeps_the_order_of_a_log(office: Any) -> None:
    office.desk.meet('cli', 'Anna', 'c1')
    office.logs['sorting'] = [
        Entry(kind=EntryKind.STARTED, entry_id=1, time=NOW),
        outcome(2, 'cup', time=NOW - timedelta(days=2)),
        outcome(3, 'apple', time=NOW - timedelta(days=1)),
    ]
    for day in (0, 3):
        found = office.desk.recall('c1', 'sorting cup apple', kinds=['task'], limit=20)
        ids = sorted(item.item_id for item in found)
        assert ids == [f'task:sorting:{entry.entry_id}' for entry in office.logs['sorting']]
        office.logs['sorting'].append(outcome(4, 'can', time=NOW - timedelta(days=day)))
    assert {item.item_id: item.time for item in found}['task:sorting:2'] == NOW - timedelta(days=2)


def test_sentences_are_embedded_once_each(office: Any) -> None:
    office.desk.meet('cli', 'Anna', 'c1')
    office.logs['sorting'] = [outcome(number, 'pear', time=NOW) for number in range(2, 7)]
    office.texts('c1', 'pear', kinds=['task'])
    assert office.tasks.embed_missing(8) == 1
    assert office.tasks.embed_missing(8) == 0
    assert len(office.texts('c1', 'pear', kinds=['task'])) == 5
