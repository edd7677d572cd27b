"""A model that insists on a wrong answer is asked in other ways; what two of three answers agree on is done."""

import pytest

from lucca_core.protocol.goals import Status
from lucca_core.protocol.retrieved import Review

DECLARATIVE, WORKING = '<retrieve_declarative_memory(tidy)>', '<retrieve_working_memory(tidy)>'
REMEMBER = [DECLARATIVE, WORKING]
FINISH = '<finish_task(tidy)>'
APPLE, PEAR = '<move_to_box_1(apple)>', '<move_to_box_1(pear)>'
ASKED = {'second_opinion': True, 'cool_off_s': 5.0}
WRONG = 'I take the apple.'
NO, YES = Review(fits=False), Review(fits=True)
INSISTS = [*REMEMBER, WRONG, WRONG, *REMEMBER, WRONG]
"""Three times the same: shown back, looked at anew, and asked in other ways."""


def test_an_answer_that_cannot_be_read_is_made_up_for_by_two_that_can(harness):
    harness.model.answers = [*INSISTS, APPLE, 'apple, banana, pear']
    result = harness.run(settings=ASKED, max_actions=1)
    assert (result.status, harness.world.boxed) == (Status.SUSPENDED, ['apple'])
    assert harness.world.reviewed == []


def test_what_is_asked_afresh_is_one_message_with_the_task_and_without_what_memory_selected(harness):
    harness.model.answers = [*INSISTS, APPLE, 'apple, banana, pear']
    harness.run(settings=ASKED, max_actions=1)
    [afresh], [by_action] = harness.model.asked[-2:]
    assert afresh.role == by_action.role == 'user'
    assert 'All fruit goes to box 1.' in afresh.content
    assert 'To do:' not in afresh.content
    assert 'given to <move_to_box_1(object)>?' in by_action.content


def test_a_second_opinion_that_is_always_no_is_outvoted_by_two_answers(harness):
    harness.world.opinions = [NO] * 20
    harness.model.answers = [
        *REMEMBER,
        *[APPLE, WORKING] * 2,
        *REMEMBER,
        APPLE,
        *[APPLE, 'apple'],
    ]
    result = harness.run(settings=ASKED, max_actions=1)
    assert (result.status, harness.world.boxed) == (Status.SUSPENDED, ['apple'])


def test_one_answer_and_a_second_opinion_agree_too(harness):
    harness.world.opinions = [YES]
    harness.model.answers = [*INSISTS, WRONG, 'pear']
    harness.run(settings=ASKED, max_actions=1)
    assert (harness.world.boxed, harness.world.reviewed) == (['pear'], [PEAR])


def test_where_nothing_is_agreed_on_it_is_asked_once_more_after_a_pause_in_another_order(harness):
    harness.model.answers = [*INSISTS, WRONG, 'what?', APPLE, 'apple']
    before_s = harness.clock.now_s
    harness.run(settings=ASKED, max_actions=1)
    assert harness.world.boxed == ['apple']
    assert harness.clock.now_s - before_s > 5.0
    first, second = harness.model.asked[-4][0].content, harness.model.asked[-2][0].content
    assert 'Objects on the table: apple, banana, pear' in first
    assert 'Objects on the table: pear, banana, apple' in second


def test_what_only_one_answer_names_is_put_to_a_person_and_nothing_moves(harness):
    harness.world.opinions = [NO] * 20
    harness.model.answers = [*INSISTS, *[WRONG, 'pear'] * 2]
    result = harness.run(settings=ASKED)
    assert (result.status, result.to_confirm, harness.world.boxed) == (Status.SUSPENDED, 'move_to_box_1(pear)', [])
    assert 'Shall I do move_to_box_1(pear)?' in result.said


def test_what_a_person_has_confirmed_is_done_against_one_no(harness):
    harness.world.opinions = [NO] * 20
    harness.model.answers = [*INSISTS, WRONG, 'pear']
    harness.run(settings=ASKED, max_actions=1, confirmed='move_to_box_1(pear)')
    assert harness.world.boxed == ['pear']


def test_a_confirmed_call_needs_no_second_opinion(harness):
    harness.world.opinions = [NO] * 20
    harness.model.answers = [*REMEMBER, PEAR]
    harness.run(settings=ASKED, max_actions=1, confirmed='move_to_box_1(pear)')
    assert (harness.world.boxed, harness.world.reviewed) == (['pear'], [])


def test_no_two_answers_outvote_a_second_opinion_against_the_end(harness):
    harness.world.opinions = [NO] * 20
    harness.model.answers = [*INSISTS, *[FINISH, 'none'] * 2]
    result = harness.run(settings=ASKED)
    assert result.status is Status.FAILED
    assert 'the same wrong answer again and again' in result.reason
    assert set(harness.world.reviewed) == {FINISH}


def test_an_end_that_the_second_opinion_agrees_with_is_one(harness):
    harness.world.boxed[:] = harness.world.names
    harness.world.opinions = [YES]
    harness.model.answers = [*INSISTS, FINISH, 'none']
    assert harness.run(settings=ASKED).status is Status.FINISHED


def test_an_action_of_another_task_or_on_what_is_not_seen_is_no_answer(harness):
    harness.world.opinions = [NO] * 20
    harness.model.answers = [*INSISTS, '<give(apple)>', 'sword', '<move_to_box_1(sword)>', 'apple, sword']
    result = harness.run(settings=ASKED)
    assert (result.status, result.to_confirm, harness.world.boxed) == (Status.FAILED, '', [])


@pytest.mark.parametrize('settings', [{'deliberate': False}, {'memory': False, 'max_repairs': 9}])
def test_without_the_setting_or_without_memory_the_goal_ends(harness, settings):
    harness.model.answers = [*(REMEMBER if 'memory' not in settings else []), *[WRONG] * 3]
    if 'memory' not in settings:
        harness.model.answers = list(INSISTS)
    result = harness.run(settings=ASKED | settings)
    assert (result.status, harness.world.boxed) == (Status.FAILED, [])
    assert 'the same wrong answer again and again' in result.reason


def test_a_call_that_the_worker_decided_against_is_put_to_a_person_whoever_agrees_on_it(harness):
    harness.world.decided = (PEAR,)
    harness.model.answers = [*INSISTS, APPLE, 'apple, banana, pear']
    result = harness.run(settings=ASKED, max_actions=1)
    assert (result.to_confirm, harness.world.boxed) == ('move_to_box_1(apple)', [])
