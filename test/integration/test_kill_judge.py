"""What is a fault after kills, and what is excused and counted by kind: on made-up logs and verdicts."""

import json
from dataclasses import replace

from kill_judge import POINTING_TASKS, KillTally, done_again, once_only_faults, tried_again

from lucca_core.protocol.entries import EntryKind
from lucca_lab.judge.truth import load_truth
from lucca_memory.declarative.entry import Entry

SAID = (
    'order: can came too early, in <point(can)>, <point(banana)>',
    'repeats: lemon was the object of <point(lemon)> 2 times',
    'repeats: banana was the object of <point(banana)> 2 times',
    'pointing: orange was pointed at, but not asked for',
)


def done(action: str, *, uncertain: bool = False, code: str = 'done') -> list[Entry]:
    """An intent and its outcome."""
    return [
        Entry(kind=EntryKind.INTENT, action=action, object_id=action),
        Entry(kind=EntryKind.OUTCOME, action=action, object_id=action, code=code, uncertain=uncertain),
    ]


def log_of(*parts: list[Entry]) -> list[Entry]:
    """The log of one episode, numbered, each outcome closing the intent before it."""
    entries = [Entry(kind=EntryKind.STARTED), *(entry for part in parts for entry in part)]
    return [
        replace(entry, entry_id=number, intent_id=number - 1 if entry.kind is EntryKind.OUTCOME else 0)
        for number, entry in enumerate(entries, 1)
    ]


def all_of(task: str) -> list[list[Entry]]:
    return [done(action) for action in load_truth()[task].actions]


def test_only_pointing_leaves_nothing_to_see():
    assert set(POINTING_TASKS) == {'pointing'}
    # So nothing of the others can come too early, and nobody looks for fingers at their tables.
    assert {len(truth.groups) for name, truth in load_truth().items() if name != 'pointing'} == {1}


def test_what_the_judge_says_of_pointing_is_excused_and_counted_by_kind():
    tally = KillTally()
    tally.add_judged(SAID, ('pointing',), 'pointing 2: ')
    assert tally.faults == []
    told = tally.figures()
    assert told['excused'] == {
        'order': 1,
        'repeats': 2,
        'not asked for': 1,
        'done again after an uncertain outcome': 0,
    }
    assert told['excused_told'] == [f'pointing 2: {fault}' for fault in SAID]
    assert 'order 1, repeats 2, not asked for 1, done again after an uncertain outcome 0' in tally.sentence()
    assert json.loads(json.dumps(told)) == told


def test_where_things_are_carried_and_in_all_other_laws_nothing_is_excused():
    tally = KillTally()
    repeated = 'repeats: pear was the object of <move_to_box_1(pear)> 2 times'
    tally.add_judged([repeated], ('sorting', 'tower'))
    tally.add_judged(['pointing: can was not pointed at', 'support: can lies on nothing'], ('pointing',))
    assert tally.faults == [repeated, 'pointing: can was not pointed at', 'support: can lies on nothing']
    assert not any(tally.excused.values())


def test_pointing_again_after_an_uncertain_outcome_is_counted_once_for_each_of_them():
    again = log_of(*all_of('pointing'), done('<point(can)>', uncertain=True))
    assert once_only_faults(again, 'pointing') == []
    assert done_again(again, 'pointing') == ['<point(can)> was done 2 times']
    tally = KillTally()
    tally.add_log(again, 'pointing')
    assert tally.figures()['excused']['done again after an uncertain outcome'] == 1
    assert tally.uncertain == {'pointing': 1}
    thrice = log_of(*all_of('pointing'), done('<point(can)>', uncertain=True), done('<point(can)>'))
    assert once_only_faults(thrice, 'pointing') == ['<point(can)> was done 3 times']
    assert done_again(thrice, 'pointing') == []


def test_what_was_carried_twice_is_a_fault_even_if_it_was_uncertain():
    log = log_of(*all_of('tower'), done('<put_on_tower(red cube)>', uncertain=True))
    assert once_only_faults(log, 'tower') == ['<put_on_tower(red cube)> was done 2 times']
    assert done_again(log, 'tower') == []


def test_what_was_tried_again_after_an_uncertain_outcome_is_no_fault_and_is_counted():
    action = '<put_on_tower(red cube)>'
    unseen = done(action, uncertain=True, code='effect_not_seen')
    log = log_of(unseen, *all_of('tower'))
    assert tried_again(log) == 1
    tally = KillTally()
    tally.add_log(log, 'tower')
    assert tally.faults == []
    assert tally.sentence().endswith('uncertain outcomes: tower 1; tried again after one: tower 1')


def test_a_certain_miss_and_an_uncertain_end_are_not_counted_as_tried_again():
    action = '<put_on_tower(red cube)>'
    assert tried_again(log_of(done(action, code='effect_not_seen'), done(action))) == 0
    assert tried_again(log_of(done(action), done(action, uncertain=True))) == 0


def test_what_is_missing_foreign_or_left_open_is_a_fault():
    log = log_of(*all_of('pointing')[1:], done('<point(pear)>'), done('<point(can)>')[:1])
    faults = once_only_faults(log, 'pointing')
    assert [fault.split(';')[0] for fault in faults] == [
        '<point(banana)> is missing',
        '<point(pear)> was not asked for',
        f'intent {len(log)} has no outcome',
    ]
