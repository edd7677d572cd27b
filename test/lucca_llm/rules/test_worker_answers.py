"""Answers to the worker: lists of names, from prompts in several layouts."""

import pytest

from coordinator_node.prompts import CoordinatorPrompts
from lucca_core.protocol.snapshots import Container, Snapshot, TableObject
from lucca_llm.model import Message
from lucca_llm.rules.answers.worker_answers import answer_worker
from lucca_llm.rules.rule_based_model import answer
from lucca_memory.procedural import load_actions, load_tasks

LOG = """Entry 1
Action: <move_to_box_1(pear)>
Code: done
In box 1: pear
In box 2: none
Objects on the table: apple, red cube, cup
Entry 2
Action: <move_to_box_1(apple)>
Code: done
In box 1: pear, apple
In box 2: none
Objects on the table: red cube, cup
Pointed at: lemon
"""
NUMBERED = """Log Entry:
Action: move_to_box_1(pear)
Box 1: 1. pear
Remaining Objects: 1. apple 2. cup
Log Entry:
Action: move_to_box_2(cup)
Box 1: 1. pear 2. plum
Box 2: 1. cup
Remaining Objects: 1. apple
"""
FORMAT = 'Output the names separated by commas and nothing else. If there is none, output: none'


@pytest.mark.parametrize(
    ('log', 'question', 'names'),
    [
        (LOG, 'From the last entry of the log, list the objects in box 1: the names after "In box 1:".', 'pear, apple'),
        (LOG, 'From the last entry of the log, list the objects in box 1.', 'pear, apple'),
        (LOG, 'From the last entry of the log, list the objects in box 2.', 'none'),
        (LOG, 'From the last entry of the log, list the objects that have been pointed at.', 'lemon'),
        (LOG, 'From the last entry of the log, list the objects on the table.', 'red cube, cup'),
        (
            NUMBERED,
            'Given the log entries, extract the list of objects in box 1 from the last log entry.',
            'pear, plum',
        ),
        (NUMBERED, 'Extract the remaining objects from the last log entry.', 'apple'),
    ],
)
def test_the_last_entry_is_read(log: str, question: str, names: str) -> None:
    assert answer_worker(f'{log}\n{question}\n{FORMAT}') == names


def test_another_log_gives_another_answer() -> None:
    question = 'From the last entry of the log, list the objects in box 1.'
    assert answer_worker(f'{LOG.replace("pear, apple", "cup, hat")}\n{question}\n{FORMAT}') == 'cup, hat'


def test_objects_are_selected_by_a_prompt_in_other_words() -> None:
    prompt = (
        'Sorting task: put all fruits in box 1 and all containers in box 2.\n'
        'Action <one(object)>: Carries an object to box 1.\nAction <two(object)>: Carries an object to box 2.\n'
        'Name the objects that are relevant to the given task from the following: '
        'apple, banana, cup, bowl, baseball, pear\n'
        'Output a list of object names separated by a comma and without any extra text.'
    )
    assert answer_worker(prompt) == 'apple, banana, pear, cup, bowl'


def test_other_prompts_are_not_for_the_worker() -> None:
    assert answer_worker('What is the weather like?') is None


def test_a_prompt_without_actions_is_answered_by_its_description() -> None:
    prompt = (
        'Sorting task: the task is to move fruits to box 1, containers and kitchenware objects to box 2.\n'
        'Name the objects that are relevant to the given task from the following: '
        'apple, banana, cup, bowl, baseball, pear\n'
        'Output a list of object names separated by a comma and without any extra text. '
        'If order is important to the task then output the object names in the correct order.'
    )
    assert answer_worker(prompt) == 'apple, banana, pear, cup, bowl'


@pytest.mark.parametrize(
    ('wanted', 'names'), [('move_to_box_1', 'apple, pear'), ('move_to_box_2', 'cup'), ('point', 'none')]
)
def test_asked_about_one_action_only_its_objects_are_named(wanted: str, names: str) -> None:
    tasks, actions = load_tasks(), load_actions()
    objects = tuple(TableObject(object_id=name, name=name, label=name) for name in ('apple', 'cup', 'baseball', 'pear'))
    prompt = CoordinatorPrompts().by_action(
        tasks['sorting'],
        [actions[name] for name in tasks['sorting'].actions],
        wanted,
        ['<move_to_box_1(banana)>'],
        Snapshot(objects=objects, containers=(Container(name='box 1'), Container(name='box 2'))),
    )
    assert answer([Message('user', prompt)]) == names
