"""What is so no longer is told in a sentence a place."""

from dataclasses import replace
from typing import Any

import pytest

from coordinator_node.interfaces import Tally, never
from coordinator_node.talk.interpretation import Heard
from coordinator_node.undone_effects import undone_in_words
from lucca_core.protocol.actions import objects_of
from lucca_core.protocol.goals import Phase
from lucca_core.protocol.retrieved import Retrieved
from lucca_memory.procedural import load_actions


@pytest.mark.parametrize(
    ('undone', 'told'),
    [
        (('<move_to_box_1(banana)>',), 'The banana is no longer in box 1.'),
        (('<place_in_bowl(apple)>', '<place_in_bowl(pear)>'), 'The apple and the pear are no longer in the bowl.'),
        (('<give(jello)>',), "The jello is no longer at the user's side."),
        (
            ('<put_on_tower(red cube)>', '<put_on_tower(blue cube)>', '<put_on_tower(green cube)>'),
            'The tower has fallen or was taken apart: '
            'the red cube, the blue cube and the green cube are no longer on it.',
        ),
        (
            ('<move_to_box_1(banana)>', '<move_to_box_2(cup)>'),
            'The banana is no longer in box 1. The cup is no longer in box 2.',
        ),
        (('<juggle(lemon)>',), 'The lemon is no longer where I had brought it.'),
        ((), ''),
    ],
)
def test_what_is_undone_is_told_by_its_place(undone: tuple[str, ...], told: str) -> None:
    assert undone_in_words(undone, load_actions()) == told


def test_an_object_is_named_once() -> None:
    assert objects_of(('<give(cup)>', '<move_to_box_2(cup)>', '<give(jello (red))>')) == ('cup', 'jello (red)')


UNDONE = ('<move_to_box_1(pear)>', '<move_to_box_1(apple)>')


def said(harness: Any) -> list[str]:
    return [event.text for event in harness.events if event.phase is Phase.SAYING]


def test_a_goal_says_at_its_beginning_what_is_undone_and_not_again(harness: Any) -> None:
    known, world = harness.world.tasks, harness.world
    world.tasks = lambda: (replace(known()[0], undone=UNDONE), *known()[1:])
    result = harness.run()
    assert said(harness) == ['The pear and the apple are no longer in box 1.']
    assert result.undone == UNDONE
    assert result.said == 'I have finished tidy.'


def test_a_goal_says_what_it_finds_undone_on_its_way(harness: Any) -> None:
    known, world = harness.world.tasks, harness.world
    retrieved = world.working
    found: list[str] = []

    def working(*given: Any, **more: Any) -> Retrieved:
        found.append('pear')
        return replace(retrieved(*given, **more), world_changed=('pear',))

    world.working = working
    world.tasks = lambda: (replace(known()[0], undone=UNDONE[:1] if found else ()), *known()[1:])
    result = harness.run()
    assert said(harness) == ['The pear is no longer in box 1.']
    assert result.undone == UNDONE[:1]


def test_what_is_undone_stands_in_the_prompt_of_a_conversation_and_in_the_history(harness: Any) -> None:
    known, world = harness.world.tasks, harness.world
    world.tasks = lambda: (replace(known()[0], status='finished', undone=UNDONE), *known()[1:])
    harness.model.answers = ['<task_history(tidy)>', '<say(It fell.)>']
    harness.agent().turn(Heard(text='how is the tidying?'), Tally(), never)
    prompts = '\n'.join(message.content for asked in harness.model.asked for message in asked)
    assert '- tidy (finished; no longer so: pear, apple): ' in prompts
    assert 'Of that no longer so: move_to_box_1(pear), move_to_box_1(apple)' in prompts
