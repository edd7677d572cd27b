"""Questions about a task: memory comes when the model asks, wrong answers are shown back, the table is hidden."""

import pytest

from lucca_core.errors import MemoryFault
from lucca_lab.tasks.task_questions import TaskQuestions

DECLARATIVE = '<retrieve_declarative_memory(tidy)>'
QUESTION = 'Which objects are in box 1?'


def ask(harness, *answers, **settings):
    harness.model.answers = list(answers)
    return TaskQuestions(harness.parts(**settings)).ask('tidy', QUESTION, harness.world.snapshot())


def test_an_answer_in_words_is_passed_on_as_it_is(harness):
    recalled = ask(harness, DECLARATIVE, ' apple, pear ')
    assert (recalled.text, recalled.refusals) == ('apple, pear', 0)
    first, second = (messages[-1].content for messages in harness.model.asked)
    assert 'not retrieved for this question' in first
    assert 'Something was done.' in second


def test_the_table_is_not_shown(harness):
    ask(harness, DECLARATIVE, 'none')
    assert not any('banana' in message.content for messages in harness.model.asked for message in messages)


@pytest.mark.parametrize('wrong', ['', '<finish_task(tidy)>', 'apple\npear', '<retrieve_declarative_memory(other)>'])
def test_a_wrong_answer_is_shown_back(harness, wrong):
    recalled = ask(harness, wrong, 'apple')
    assert (recalled.text, recalled.refusals) == ('apple', 1)
    assert 'Your last answer was not accepted' in harness.model.asked[-1][-1].content


def test_a_model_that_never_answers_in_words_has_said_nothing(harness):
    assert ask(harness, *[''] * 9, max_repairs=2).text == ''
    assert len(harness.model.asked) == 3


def test_without_memory_the_question_joins_the_dialogue(harness):
    harness.model.answers = ['<finish_task(tidy)>', 'none']
    parts = harness.parts(memory=False)
    from coordinator_node.interfaces import Goal
    from coordinator_node.tasks.goal_run import GoalRun

    GoalRun(parts, Goal(goal_id='g', task='tidy')).run()
    assert TaskQuestions(parts).ask('tidy', QUESTION, harness.world.snapshot()).text == 'none'
    assert [message.role for message in harness.model.asked[-1]] == ['system', 'user', 'assistant', 'user']


def test_a_task_that_nobody_knows_is_no_question(harness):
    with pytest.raises(MemoryFault, match='no task is named'):
        TaskQuestions(harness.parts()).ask('dance', QUESTION, harness.world.snapshot())


def test_the_base_prompt_can_be_what_a_person_says_first(harness):
    harness.run(settings={'base_role': 'user'})
    assert {messages[0].role for messages in harness.model.asked} == {'user'}
    with pytest.raises(ValueError, match='base_role must be system or user'):
        harness.parts(base_role='robot')


def test_with_memory_turns_leave_the_prompt_before_the_base_does(harness):
    from lucca_llm.limits.tokens import estimate_prompt_tokens

    harness.run()
    longest = max(estimate_prompt_tokens(messages) for messages in harness.model.asked)
    alone = max(estimate_prompt_tokens([messages[0], messages[-1]]) for messages in harness.model.asked)
    tight = (longest + alone) // 2
    harness.world.boxed.clear()
    harness.model.asked.clear()
    harness.run(settings={'context_tokens': tight})
    assert all(estimate_prompt_tokens(messages) <= tight for messages in harness.model.asked)
    assert all(messages[0].content.startswith('You decide') for messages in harness.model.asked)
