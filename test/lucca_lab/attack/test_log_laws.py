"""Each law about logs finds the log that breaks it, and none is broken by a task that went well."""

from dataclasses import replace

import pytest

from lucca_core.protocol.entries import EntryKind
from lucca_lab.attack.log_laws import log_faults
from lucca_memory.declarative.entry import Entry, SeenObject
from lucca_memory.procedural import load_actions, load_tasks

ACTIONS, TASKS = load_actions(), load_tasks()
SORTING, POINTING = TASKS['sorting'], TASKS['pointing']
PEAR = SeenObject(object_id='o1', name='pear', label='pear')
BOXES = (('box 1', ()), ('box 2', ()))
STARTED = Entry(kind=EntryKind.STARTED, entry_id=1, seen=(PEAR,), contents=BOXES)
INTENT = Entry(
    kind=EntryKind.INTENT,
    entry_id=2,
    action='<move_to_box_1(pear)>',
    object_id='o1',
    object_name='pear',
    seen=(PEAR,),
    contents=BOXES,
)
DONE = replace(
    INTENT,
    kind=EntryKind.OUTCOME,
    entry_id=3,
    intent_id=2,
    code='done',
    seen=(replace(PEAR, container='box 1'),),
    contents=(('box 1', ('pear',)), ('box 2', ())),
)


def again(entries: tuple[Entry, ...], first: int) -> tuple[Entry, ...]:
    """The entries under numbers from `first` on."""
    off = first - entries[0].entry_id
    return tuple(
        replace(
            entry,
            entry_id=entry.entry_id + off,
            intent_id=entry.intent_id + off if entry.intent_id else entry.intent_id,
        )
        for entry in entries
    )


def faults(*entries: Entry, task=SORTING) -> list[str]:
    return log_faults(entries, task, ACTIONS)


def test_a_task_that_went_well_breaks_no_law():
    assert faults(STARTED, INTENT, DONE) == []


@pytest.mark.parametrize(
    ('change', 'code'),
    [
        ({'action': '<give(pear)>'}, 'not_allowed_for_task'),
        ({'action': '<give(pear)>'}, 'is not allowed for sorting'),
        ({'seen': (replace(PEAR, container='box 2'),)}, 'nothing that is seen on the table'),
        ({'action': '<smash(pear)>'}, 'unknown_action'),
        ({'action': '<move_to_box_1(pear)><move_to_box_1(pear)>'}, 'several_actions'),
        ({'object_name': 'plum'}, 'unknown_object'),
        ({'seen': ()}, 'unknown_object'),
        ({'seen': (replace(PEAR, container='box 2'),)}, 'precondition'),
        ({'contents': ()}, 'precondition'),
        ({'object_id': 'o2'}, 'is about o2'),
    ],
)
def test_an_intent_that_no_gate_lets_through_is_found(change, code):
    found = faults(STARTED, replace(INTENT, **change), DONE)
    assert any(code in fault for fault in found), found


def test_an_intent_without_an_outcome_is_found():
    assert faults(STARTED, INTENT) == ['intent 2 has no outcome']


def test_two_intents_at_a_time_are_found():
    found = faults(STARTED, INTENT, *again((INTENT, DONE), 3))
    assert 'intent 3 <move_to_box_1(pear)> came while 2 was open' in found


def test_an_outcome_of_no_open_intent_is_found():
    found = faults(STARTED, INTENT, DONE, replace(DONE, entry_id=4))
    assert 'outcome 4 is of intent 2; open was none' in found


def test_what_was_done_twice_is_found():
    found = faults(STARTED, INTENT, DONE, *again((INTENT, DONE), 4))
    assert found == ['<move_to_box_1(pear)> was done again, says entry 5']


def pointed(task):
    entries = tuple(replace(entry, action='<point(pear)>') for entry in (INTENT, DONE))
    return faults(STARTED, *entries, *again(entries, 4), task=task)


def test_pointing_twice_is_found_where_a_task_only_points():
    assert pointed(POINTING) == ['<point(pear)> was done again, says entry 5']
    assert pointed(replace(POINTING, actions=tuple(ACTIONS))) == []
