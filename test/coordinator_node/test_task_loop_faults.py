"""The task loop when a model, a node or the hardware fails: what passes is waited for, what stays ends the goal."""

import pytest

from lucca_core.codes import ReasonCode
from lucca_core.errors import MemoryFault, ModelRetryable, ModelTimeout, ModelUnusable, StackError
from lucca_core.protocol.goals import Phase, Status

DECLARATIVE, WORKING = '<retrieve_declarative_memory(tidy)>', '<retrieve_working_memory(tidy)>'
REMEMBER = [DECLARATIVE, WORKING]
FINISH = '<finish_task(tidy)>'


def test_a_failed_model_call_is_made_again(harness):
    harness.model.answers = [
        ModelTimeout('late'),
        DECLARATIVE,
        ModelRetryable('busy', retry_after_s=3.0),
        WORKING,
        '<move_to_box_1(apple)>',
    ]
    before_s = harness.clock.now_s
    result = harness.run(max_actions=1)
    assert result.status is Status.SUSPENDED
    assert result.model_retries == 2
    assert harness.clock.now_s - before_s > 3.0


def test_a_model_that_stays_away_ends_the_goal(harness):
    harness.model.answers = [ModelTimeout('late')] * 4
    result = harness.run()
    assert result.status is Status.FAILED
    assert result.reason == 'the coordinator model gave no answer: late'


def test_a_model_that_cannot_be_used_is_not_asked_again(harness):
    harness.model.answers = [ModelUnusable('bad key')]
    result = harness.run()
    assert result.status is Status.FAILED
    assert 'bad key' in result.reason
    assert len(harness.model.asked) == 1


def test_a_goal_has_a_budget_of_tokens(harness):
    result = harness.run(settings={'max_goal_tokens': 1500})
    assert result.status is Status.FAILED
    assert 'max_goal_tokens allows 1500' in result.reason


@pytest.mark.parametrize('part', ['tasks', 'fresh', 'declarative', 'working', 'started', 'finished'])
def test_a_part_of_the_stack_that_comes_back_is_waited_for(harness, part):
    harness.world.faults[part] = [StackError(f'{part} is away')] * 5
    result = harness.run()
    assert result.status is Status.FINISHED
    assert any(event.phase is Phase.WAITING and 'is away' in event.text for event in harness.events)


@pytest.mark.parametrize('part', ['tasks', 'fresh', 'working', 'started', 'finished'])
def test_a_part_of_the_stack_that_stays_away_fails_the_goal(harness, part):
    harness.world.faults[part] = [MemoryFault('disk full')] * 10_000
    result = harness.run()
    assert result.status is Status.FAILED
    assert 'disk full' in result.reason


@pytest.mark.parametrize('effect_there', [True, False])
def test_when_the_action_node_dies_the_intent_is_settled_before_anything_else(harness, effect_there):
    harness.world.codes = [StackError('the action node went away')]
    harness.world.effect_after_crash = effect_there
    result = harness.run()
    assert result.status is Status.FINISHED
    assert [intent.object_name for intent in harness.world.settled] == ['apple']
    assert [request.text.count('apple') for request in harness.world.requests].count(1) == (1 if effect_there else 2)
    assert sorted(harness.world.boxed) == ['apple', 'banana', 'pear']


def test_an_intent_left_open_by_a_crash_is_settled_when_the_next_goal_begins(harness):
    from lucca_core.protocol.retrieved import OpenIntent

    harness.world.boxed.append('apple')
    harness.world.open_intent = OpenIntent(intent_id=3, action='<move_to_box_1(apple)>', object_name='apple')
    result = harness.run()
    assert harness.world.calls.index('settle') < harness.world.calls.index('started')
    assert result.status is Status.FINISHED
    assert [request.text for request in harness.world.requests] == ['<move_to_box_1(banana)>', '<move_to_box_1(pear)>']


def test_busy_arms_are_waited_for(harness):
    harness.world.codes = [ReasonCode.BUSY] * 20
    result = harness.run()
    assert result.status is Status.FINISHED
    assert result.refusals == 0


def test_hardware_faults_are_tried_again_a_bounded_number_of_times(harness):
    harness.world.codes = [ReasonCode.HARDWARE_FAULT] * 3
    assert harness.run().status is Status.FINISHED
    harness.world.boxed.clear()
    harness.world.codes = [ReasonCode.HARDWARE_FAULT] * 100
    before_s = harness.clock.now_s
    result = harness.run(restart=True)
    assert result.status is Status.FAILED
    assert '7 faults in the stack' in result.reason
    assert 15.0 < harness.clock.now_s - before_s < 20.0, 'a node needs that to start again'


def test_hardware_faults_between_which_something_is_done_are_counted_over_the_goal(harness):
    harness.world.codes = [ReasonCode.HARDWARE_FAULT, ReasonCode.DONE, *[ReasonCode.HARDWARE_FAULT] * 100]
    result = harness.run(settings={'max_faults': 4})
    assert result.status is Status.FAILED
    assert len(result.actions_done) == 1
    assert '5 faults in the stack' in result.reason


@pytest.mark.parametrize(
    ('codes', 'tried'),
    [
        ([ReasonCode.UNREACHABLE], ['apple', 'banana', 'pear', 'apple']),
        ([ReasonCode.GRASP_FAILED] * 3, ['apple', 'apple', 'apple', 'banana', 'pear', 'apple']),
    ],
)
def test_what_cannot_be_done_now_is_left_until_the_rest_is_done(harness, codes, tried):
    harness.world.codes = codes
    assert harness.run().status is Status.FINISHED
    assert [request.text for request in harness.world.requests] == [f'<move_to_box_1({name})>' for name in tried]
