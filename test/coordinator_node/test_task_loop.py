import pytest

from lucca_core.codes import ReasonCode
from lucca_core.errors import ModelRetryable, StackError
from lucca_core.protocol.goals import Phase, Status
from lucca_memory.procedural import TaskSpec

DECLARATIVE, WORKING = '<retrieve_declarative_memory(tidy)>', '<retrieve_working_memory(tidy)>'
REMEMBER = [DECLARATIVE, WORKING]
FINISH = '<finish_task(tidy)>'


def last_questions(harness):
    return [messages[-1].content for messages in harness.model.asked]


def test_a_task_is_done_object_by_object_until_working_memory_lists_nothing(harness):
    result = harness.run()
    assert result.status is Status.FINISHED
    assert harness.world.boxed == ['apple', 'banana', 'pear']
    assert harness.world.log == [('started', ''), ('finished', '')]
    assert result.actions_done == tuple(f'<move_to_box_1({name})>' for name in harness.world.names)
    assert result.left == ()
    assert result.refusals == 0
    assert result.coordinator.calls == 3 * 4
    assert result.worker.calls == 2 * 4
    assert len(result.prompt_tokens) == 3
    assert result.overhead_s == pytest.approx((0.007,) * 3)


def test_every_action_rests_on_a_snapshot_taken_after_the_action_before(harness):
    harness.run()
    stamps = [request.snapshot.stamp_s for request in harness.world.requests]
    assert stamps == sorted(set(stamps))
    assert [len(request.snapshot.on_table()) for request in harness.world.requests] == [3, 2, 1]


def test_feedback_names_the_actions_done_before_the_one_that_is_acted(harness):
    harness.run()
    acting = [event for event in harness.events if event.phase is Phase.ACTING]
    assert [len(event.actions_done) for event in acting] == [0, 1, 2]
    assert [event.text for event in acting] == [request.text for request in harness.world.requests]


def test_an_action_on_a_memory_that_was_not_retrieved_is_shown_back(harness):
    harness.model.answers = ['<move_to_box_1(apple)>', *REMEMBER, '<move_to_box_1(apple)>']
    result = harness.run(max_actions=1)
    assert harness.world.boxed == ['apple']
    assert result.refusals == 1
    assert 'retrieve the declarative memory of tidy first' in last_questions(harness)[1]


def test_an_object_that_working_memory_does_not_list_is_not_acted_on(harness):
    harness.world.boxed.append('apple')
    harness.model.answers = [*REMEMBER, '<move_to_box_1(apple)>', '<move_to_box_1(pear)>']
    harness.run(max_actions=1)
    assert harness.world.boxed == ['apple', 'pear']
    assert 'apple is not in the working memory of tidy; it lists banana, pear' in last_questions(harness)[-1]


def test_finishing_early_is_refused_with_what_is_left(harness):
    harness.model.answers = [FINISH, *REMEMBER, FINISH, '<move_to_box_1(apple)>']
    result = harness.run(max_actions=1)
    assert 'retrieve the working memory of tidy first' in last_questions(harness)[1]
    assert 'still lists apple, banana, pear' in last_questions(harness)[-1]
    assert result.status is Status.SUSPENDED
    assert result.reason == 'max_actions = 1 reached'
    assert harness.world.log[-1] == ('suspended', '')
    assert result.left == ('banana', 'pear')


@pytest.mark.parametrize(
    ('answer', 'told'),
    [
        ('', 'malformed: it is empty'),
        ('I think the apple comes next.', 'malformed: it holds no call'),
        ('<move_to_box_1(apple)> <move_to_box_1(pear)>', 'several_actions: it holds 2 calls'),
        ('Sure: <move_to_box_1(apple)>', 'text around the call'),
        ('<move_to_box_1()>', 'has no argument'),
        ('<finish_task(tower)>', 'names another task'),
        ('x' * 10_000_000, 'characters long'),
    ],
)
def test_a_malformed_answer_is_shown_back_and_mended(harness, answer, told):
    harness.model.answers = [*REMEMBER, answer, '<move_to_box_1(apple)>']
    result = harness.run(max_actions=1)
    assert told in last_questions(harness)[-1]
    assert result.actions_done == ('<move_to_box_1(apple)>',)
    assert len(harness.model.asked[-1][-2].content) < 3000


def test_a_refusal_of_the_gate_goes_back_to_the_model(harness):
    harness.world.codes = [ReasonCode.NOT_VISIBLE]
    harness.model.answers = [*REMEMBER, '<move_to_box_1(apple)>', '<move_to_box_1(pear)>']
    result = harness.run(max_actions=1)
    assert 'move_to_box_1(apple) was refused (not_visible): as asked' in last_questions(harness)[-1]
    assert result.refusals == 1
    assert result.actions_done == ('<move_to_box_1(pear)>',)


def test_a_model_that_never_mends_ends_the_goal_and_nothing_moves(harness):
    harness.model.answers = ['nonsense'] * 100
    result = harness.run()
    assert (result.status, result.refusals) == (Status.FAILED, 3)
    assert 'the same wrong answer again and again: malformed' in result.reason
    assert harness.world.requests == []
    harness.model.answers = [f'nonsense {number}' for number in range(100)]
    result = harness.run()
    assert (result.status, result.refusals) == (Status.FAILED, 30)
    assert '30 wrong answers' in result.reason
    assert harness.world.requests == []


def test_what_the_gate_refuses_twice_is_tried_once_more_on_a_new_look_and_then_given_up_with_the_reason(harness):
    harness.world.codes = [ReasonCode.PRECONDITION] * 100
    result = harness.run(settings={'look_again_s': 1.0})
    assert (result.status, result.refusals, len(harness.world.requests)) == (Status.REFUSED, 3, 3)
    assert result.reason == 'move_to_box_1(apple) was refused (precondition): as asked'
    assert result.said == f'I cannot do that: {result.reason}'
    first, second, third = (request.snapshot.stamp_s for request in harness.world.requests)
    assert first == second < third - 1.0


def test_what_was_refused_before_may_be_asked_for_after_an_action(harness):
    harness.world.codes = [ReasonCode.PRECONDITION] * 2 + [ReasonCode.DONE]
    harness.model.answers = [
        *REMEMBER, *['<move_to_box_1(apple)>'] * 2,
        *REMEMBER, '<move_to_box_1(pear)>',
        *REMEMBER, '<move_to_box_1(apple)>',
    ]  # fmt: skip
    result = harness.run(max_actions=2)
    assert result.actions_done == ('<move_to_box_1(pear)>', '<move_to_box_1(apple)>')


def test_refusals_that_take_turns_are_given_up_as_well(harness):
    harness.world.codes = [ReasonCode.PRECONDITION] * 100
    harness.model.answers = [*REMEMBER, *['<move_to_box_1(apple)>', '<move_to_box_1(pear)>'] * 2, *REMEMBER] * 9
    result = harness.run()
    assert result.status is Status.REFUSED
    assert result.refusals < 6


def test_a_model_that_only_retrieves_ends_the_goal(harness):
    harness.model.answers = [WORKING] * 1000
    result = harness.run()
    assert result.status is Status.FAILED
    assert 'without an action' in result.reason


def test_an_effect_that_is_not_seen_is_tried_again_and_then_reported(harness):
    harness.world.codes = [ReasonCode.EFFECT_NOT_SEEN]
    result = harness.run()
    assert result.status is Status.FINISHED
    assert result.retries == 1
    assert '<move_to_box_1(apple)> -> effect_not_seen (as asked)' in last_questions(harness)[3]


def test_an_action_that_never_succeeds_fails_the_goal(harness):
    harness.world.names = ('apple',)
    harness.world.codes = [ReasonCode.GRASP_FAILED] * 3
    result = harness.run()
    assert result.status is Status.FAILED
    assert 'failed 3 times, last with grasp_failed' in result.reason
    assert result.said == 'I cannot do all of it: as asked'
    assert harness.world.log[-1][0] == 'suspended'
    assert result.waits is True


def test_an_action_to_confirm_suspends_the_task_until_a_person_has_confirmed_that_very_call(harness):
    harness.world.codes = [ReasonCode.NOT_CONFIRMED]
    result = harness.run()
    assert (result.status, result.to_confirm) == (Status.SUSPENDED, 'move_to_box_1(apple)')
    assert 'Shall I do move_to_box_1(apple)?' in result.said
    assert harness.world.boxed == []

    harness.world.codes = [ReasonCode.DONE, ReasonCode.NOT_CONFIRMED]
    result = harness.run(person='Ada', confirmed='move_to_box_1(apple)')
    assert [request.confirmed_by for request in harness.world.requests] == ['', 'Ada', '']
    assert (result.status, result.to_confirm) == (Status.SUSPENDED, 'move_to_box_1(banana)')
    assert harness.world.boxed == ['apple']


def test_a_confirmation_is_for_one_execution_only(harness):
    harness.world.codes = [ReasonCode.EFFECT_NOT_SEEN, ReasonCode.NOT_CONFIRMED]
    result = harness.run(confirmed='<move_to_box_1(apple)>')
    assert [request.confirmed_by for request in harness.world.requests] == ['somebody unnamed', '']
    assert (result.status, result.to_confirm) == (Status.SUSPENDED, 'move_to_box_1(apple)')


def test_cannot_do_refuses_the_goal_and_says_why(harness):
    harness.world.boxed.extend(harness.world.names)
    harness.model.answers = [*REMEMBER, '<cannot_do(there is no elephant)>'] * 2
    result = harness.run()
    assert result.status is Status.REFUSED
    assert result.reason == 'there is no elephant'
    assert 'no elephant' in result.said
    assert harness.world.requests == []
    assert harness.world.log[-1][0] == 'refused'


@pytest.mark.parametrize('before', [0, 1])
def test_a_refused_task_waits_only_if_something_was_done(harness, before):
    if before:
        harness.run(max_actions=before)
    harness.model.answers = [*REMEMBER, *['<cannot_do(no hand is free)>'] * 3]
    result = harness.run(settings={'look_again_s': 0.0})
    assert (result.status, result.waits) == (Status.REFUSED, bool(before))


@pytest.mark.parametrize('code', [ReasonCode.GRASP_FAILED, StackError('the action node went away')])
def test_giving_up_after_something_may_have_moved_is_no_refusal(harness, code):
    harness.world.codes = [code]
    harness.model.answers = [*REMEMBER, '<move_to_box_1(apple)>', *REMEMBER, *['<cannot_do(it slips)>'] * 3]
    if isinstance(code, StackError):
        harness.model.answers[3:3] = REMEMBER[:1]
    result = harness.run()
    assert (result.status, result.reason) == (Status.FAILED, 'it slips')


def test_giving_up_after_the_gate_refused_everything_is_a_refusal(harness):
    harness.world.codes = [ReasonCode.UNKNOWN_OBJECT]
    harness.model.answers = [*REMEMBER, '<move_to_box_1(apple)>', *['<cannot_do(no such thing)>'] * 3]
    assert harness.run(settings={'look_again_s': 0.0}).status is Status.REFUSED


def test_the_files_of_tasks_and_actions_are_those_of_the_settings(harness, tmp_path):
    from coordinator_node.config import CoordinatorConfig
    from coordinator_node.tasks.parts import make_parts
    from lucca_core.paths import config_dir

    actions, tasks = tmp_path / 'my_actions.yaml', tmp_path / 'my_tasks.yaml'
    actions.write_text((config_dir() / 'actions.yaml').read_text().replace('move_to_box_1', 'stow'))
    tasks.write_text('tasks: {stowing: {description: Stow the fruit., actions: [stow]}}')
    config = CoordinatorConfig(tasks_file=str(tasks), actions_file=str(actions))
    world = harness.world
    definitions = make_parts(harness.model, world, world, world, config).definitions
    assert 'stow' in definitions.actions
    assert 'move_to_box_1' not in definitions.actions
    stowing = TaskSpec(name='stowing', description='Stow the fruit.', actions=('stow',))
    assert definitions.for_prompt(stowing) == (stowing,)


def test_before_a_goal_is_refused_the_table_is_looked_at_once_more(harness):
    harness.model.answers = [*REMEMBER, *['<cannot_do(there is no pear)>'] * 3, *REMEMBER, '<move_to_box_1(pear)>']
    began_s = harness.clock.now_s
    harness.run(max_actions=1)
    assert harness.world.boxed == ['pear']
    assert harness.world.requests[0].snapshot.stamp_s - began_s > 1.0
    assert 'looking once more: there is no pear' in [event.text for event in harness.events]


def test_giving_up_with_something_to_do_is_asked_back(harness):
    harness.model.answers = ['<cannot_do(what?)>', *REMEMBER, *['<cannot_do(no hand is free)>'] * 2]
    result = harness.run(settings={'look_again_s': 0.0})
    assert 'retrieve the memories of the task first' in last_questions(harness)[1]
    assert (result.status, result.reason, result.refusals) == (Status.REFUSED, 'no hand is free', 2)
    assert harness.world.log[-1] == ('refused', '')
    harness.model.answers = [*REMEMBER, '<cannot_do(what?)>', '<move_to_box_1(pear)>']
    result = harness.run(max_actions=1)
    assert 'the working memory still lists apple, banana, pear' in last_questions(harness)[-1]
    assert harness.world.boxed == ['pear']


def test_what_memory_is_not_certain_of_is_told_at_once_and_asked_about(harness):
    harness.world.doubt = 'pear may be one that was handled before'
    result = harness.run()
    told = [event.text for event in harness.events if 'not certain' in event.text]
    assert told == ['not certain: pear may be one that was handled before']
    assert result.said == 'I have finished tidy. Please tell me: pear may be one that was handled before.'


def test_an_unknown_task_is_refused_with_the_known_ones(harness):
    result = harness.run(task='juggling')
    assert result.status is Status.REFUSED
    assert result.reason == "no task is named 'juggling'; known are tidy"
    assert harness.world.log == []
    assert result.waits is None


def test_a_suspended_task_is_resumed_from_what_memory_knows(harness):
    assert harness.run(max_actions=2).waits is True
    result = harness.run()
    assert result.status is Status.FINISHED
    assert result.waits is False
    assert [kind for kind, _ in harness.world.log] == ['started', 'suspended', 'resumed', 'finished']
    assert len(harness.world.requests) == 3
    assert len(result.actions_done) == 3


def test_restart_says_so_in_the_log(harness):
    harness.run()
    harness.run(restart=True)
    assert ('started', 'restart') in harness.world.log


def test_what_was_missed_and_lies_elsewhere_is_not_called_finished(harness):
    """In another box it is out of reach, so memory lists nothing to do; yet the task is not done."""
    world = harness.world
    world.codes = [ReasonCode.EFFECT_NOT_SEEN]
    world.on_execute = lambda: world.elsewhere.update(apple='box 2') if not world.elsewhere else None
    result = harness.run()
    assert result.status is Status.FAILED
    assert result.reason == '<move_to_box_1(apple)> was tried and is not done: apple is in box 2'
    assert 'could not finish' in result.said
    assert ('finished', '') not in world.log
    assert result.actions_done == ('<move_to_box_1(banana)>', '<move_to_box_1(pear)>')


def test_a_finished_task_given_again_does_nothing_twice(harness):
    harness.run()
    result = harness.run()
    assert result.status is Status.FINISHED
    assert len(harness.world.requests) == 3


@pytest.mark.parametrize('instant', range(1, 26))
def test_a_cancel_at_any_question_ends_the_goal_there(harness, instant):
    asked = 0

    def cancelled():
        nonlocal asked
        asked += 1
        return asked >= instant

    result = harness.run(cancelled=cancelled)
    assert result.status is Status.CANCELLED
    assert ('finished', '') not in harness.world.log
    assert bool(result.waits) is (harness.world.log[-1:] == [('suspended', '')])


def test_a_cancel_in_the_middle_of_a_model_call_ends_the_goal_at_once(harness):
    flag = []
    harness.model.answers = [ModelRetryable('cancelled')]
    harness.model.on_chat = lambda: flag.append(True)
    result = harness.run(cancelled=lambda: bool(flag))
    assert result.status is Status.CANCELLED
    assert result.model_retries == 0
    assert harness.world.log == [('started', ''), ('suspended', '')]
    assert harness.world.notes[-1] == 'cancelled: cancelled'


def test_a_cancel_during_an_action_waits_for_its_end(harness):
    flag = []
    harness.world.on_execute = lambda: flag.append(True)
    result = harness.run(cancelled=lambda: bool(flag))
    assert result.status is Status.CANCELLED
    assert harness.world.boxed == []
    assert [event.text for event in harness.events].count('putting down, <move_to_box_1(apple)> was cancelled') == 1


def test_a_preempting_goal_waits_for_the_outcome_of_the_action(harness):
    flag = []
    harness.world.on_execute = lambda: flag.append(True)
    result = harness.run(preempted=lambda: bool(flag))
    assert result.status is Status.SUSPENDED
    assert harness.world.boxed == ['apple']
    assert result.actions_done == ('<move_to_box_1(apple)>',)
    assert harness.events[-1].phase is Phase.SUSPENDED


def test_a_preempted_goal_sends_no_further_action(harness):
    flag = []
    harness.model.on_chat = lambda: flag.append(True) if len(harness.model.asked) == 3 else None
    result = harness.run(preempted=lambda: bool(flag))
    assert result.status is Status.SUSPENDED
    assert harness.world.requests == []


def test_a_stop_suspends_the_goal(harness):
    harness.world.codes = [ReasonCode.STOPPED]
    result = harness.run()
    assert result.status is Status.SUSPENDED
    assert 'stopped during <move_to_box_1(apple)>' in result.reason
    assert 'nothing moves until `lucca reset`' in result.reason


def test_with_memory_on_older_turns_leave_the_prompt_and_the_base_stays_first(harness):
    harness.world.names = tuple(f'object {number}' for number in range(20))
    result = harness.run()
    assert result.status is Status.FINISHED
    assert {len(messages) for messages in harness.model.asked[4:]} == {1 + 2 * 4 + 1}
    assert len({messages[0].content for messages in harness.model.asked}) == 1


def test_with_memory_off_the_whole_dialogue_is_sent(harness):
    harness.model.answers = ['<move_to_box_1(apple)>', '<move_to_box_1(banana)>', '<move_to_box_1(pear)>', FINISH]
    result = harness.run(settings={'memory': False})
    assert result.status is Status.FINISHED
    assert [len(messages) for messages in harness.model.asked] == [2, 4, 6, 8]
    assert 'Objects on the table: apple, banana, pear' in harness.model.asked[-1][1].content
    assert 'retrieve_working_memory' not in harness.model.asked[-1][0].content
    assert harness.world.calls.count('working') == 0
