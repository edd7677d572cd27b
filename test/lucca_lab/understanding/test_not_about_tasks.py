"""What people ask about their own affairs is not answered from the log of the robot's tasks."""

import pytest

from lucca_core.protocol.snapshots import USERS_SIDE
from lucca_lab.symbolic_table import sample_objects
from lucca_lab.understanding.stack import stack_on_table
from lucca_llm.rules.prompts.conversation_prompt import PromptMemory
from lucca_llm.rules.utterances.quotation import best_answer


@pytest.fixture(scope='module')
def robot():
    with stack_on_table(sample_objects(('apple (red)', 'red cube')), ('box 1', USERS_SIDE)) as made:
        yield made


@pytest.mark.parametrize(
    'asked',
    [
        'What advice does Gina give to Jon about running a business?',
        'What time does the gym open?',
        'Which shop is open on Sunday?',
        'What marathon is Paula running?',
        'What course has Tom finished?',
        'Which film was she waiting for?',
        'All those travel papers are sorted now. What is next on the list for the trip?',
        "I had my first week of training. What's the plan for next week?",
        'What do you reckon is next for my holiday, as the flights are booked?',
    ],
)
def test_other_peoples_affairs_are_no_tasks(robot, asked):
    said = robot.say(asked, 'Ana').said
    assert 'log' not in said.replace('the log of', ''), said


@pytest.mark.parametrize(
    'asked',
    [
        'What is running?',
        'Is anything running now?',
        'Which tasks are suspended?',
        'Is any task still unfinished?',
        'What have you finished?',
        'Is there anything open?',
        'What is next?',
        'What will you do next?',
        'What is left to do?',
    ],
)
def test_questions_about_tasks_are_answered_from_the_log(robot, asked):
    assert 'log' in robot.say(asked, 'Ana').said


def test_what_was_told_answers_when_something_is_open(robot):
    robot.say('The gym opens at 7 on Sunday.', 'Ana')
    assert 'opens at 7' in robot.say('What time does the gym open on Sunday?', 'Ana').said


def test_one_of_many_is_not_quoted_for_the_one_that_is_asked_for(robot):
    robot.say('We made many memories at the dance studio.', 'Ben')
    assert robot.say('What is my favourite memory of the dance studio?', 'Ben').said.startswith('I do not know')
    robot.say('My favourite memory of the dance studio is the opening night.', 'Ben')
    assert 'opening night' in robot.say('What is my favourite memory of the dance studio?', 'Ben').said


def test_a_question_about_a_quoted_title_is_no_statement(robot):
    robot.say('I started reading Emma on Monday.', 'Cara')
    assert 'on Monday' in robot.say('When did I start reading "Emma"?', 'Cara').said
    last = robot.say('Did I say "put the apple in box 1"?', 'Cara')
    assert not last.performed


@pytest.mark.parametrize(
    'text',
    [
        "The little fella's finally sleeping through the night. What do we do?",
        "The storm work's finally settled down. Let's get back to the trip.",
        "The soup's really good, and dinner's not over.",
    ],
)
def test_what_is_only_a_short_is_belongs_to_nobody(robot, text):
    assert 'do not know which' not in robot.say(text, 'Ana').said


def test_a_question_behind_a_quotation_is_answered(robot):
    robot.say('My train leaves at 8 on Friday.', 'Eva')
    said = robot.say('The plan "one page a day" works well. When does my train leave on Friday?', 'Eva').said
    assert 'leaves at 8' in said


def test_letters_that_somebody_got_are_not_counted_on_the_table(robot):
    assert 'I see none' not in robot.say('How many letters has Joanna received?', 'Joanna').said


def test_the_next_step_is_not_answered_with_a_request_of_before(robot):
    robot.say("I'm ready for the next step of the plan.", 'Dora')
    assert robot.say('What is the next step you need from me?', 'Dora').said.startswith('I do not know')


def test_what_another_says_of_themselves_is_no_answer_about_the_asker():
    memories = [
        PromptMemory('m1', 'said', 'Ben, 2026-03-02', 'I am reading Emma these days.', 'Ben', '2026-03-02'),
        PromptMemory('m2', 'said', 'Ben, 2026-03-02', 'Cara is reading Persuasion.', 'Ben', '2026-03-02'),
    ]
    assert best_answer('What am I reading these days?', memories[:1], ('Cara',)) is None
    found = best_answer('What is Cara reading?', memories, ('Cara',))
    assert found is not None
    assert 'Persuasion' in found[1]


def test_a_line_is_quoted_before_the_summary_that_repeats_it():
    memories = [
        PromptMemory('m1', 'said', 'Cara, 2026-03-02', 'I joined the choir last week.', 'Cara', '2026-03-02'),
        PromptMemory('m2', 'summary', 'summary of 2026-03-20', 'I joined the choir last week.', '', '2026-03-20'),
    ]
    found = best_answer('When did I join the choir?', memories, ('Cara',))
    assert found is not None
    assert found[0].kind == 'said'
