"""What people ask about their own affairs is not answered from the log of the robot's tasks."""

import pytest

from lucca_core.protocol.snapshots import USERS_SIDE
from lucca_lab.symbolic_table import sample_objects
from lucca_lab.understanding.stack import stack_on_table


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
