"""What goes beyond the paper: switching at every step, generated tasks, several people."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_lab.tasks.generator import KINDS, Selector, make_task
from lucca_lab.tasks.people import make_wishes, run_people
from lucca_lab.tasks.scale import run_scale
from lucca_lab.tasks.switching import run_switching


@pytest.mark.parametrize(('task', 'step', 'depth'), [('pointing', 0, 1), ('pointing', 2, 3), ('recipe', 3, 2)])
def test_an_interrupted_task_ends_complete_with_nothing_repeated_or_skipped(make_spec, task, step, depth):
    spec = make_spec('switching', tasks=(task,), suite='switching', extra=(('depth', depth), ('step', step)))
    [item] = run_switching(spec)['tasks']
    assert item['success'], item
    assert (item['task'], item['interrupted']) == (f'depth {depth}', task)


def test_without_declarative_memory_pointing_begins_anew(make_spec):
    spec = make_spec(
        'switching', tasks=('pointing',), extra=(('depth', 1), ('step', 2)), ablation='working memory only'
    )
    [item] = run_switching(spec)['tasks']
    assert not item['success']
    assert len(item['performed']) > len(set(item['performed']))


def test_generated_tasks_are_done_at_depth_three(make_spec):
    spec = make_spec('generated', suite='scale', tasks=(), extra=(('tasks', 4), ('objects', 8), ('depth', 3)))
    record = run_scale(spec)
    assert [item['success'] for item in record['tasks']] == [True] * 4
    assert record['ungated_actions'] == []


@given(st.integers(0, 10_000), st.integers(4, 30))
def test_a_generated_task_asks_for_something_and_leaves_something(seed, objects):
    made = make_task('x', objects, random.Random(seed))
    wanted = [action for group in made.groups for action in group]
    assert len({thing.name for thing in made.things}) == objects
    assert 2 <= len(wanted) == len(set(wanted)) < objects
    assert all(action.partition('(')[0][1:] in made.actions for action in wanted)
    arguments = {action.partition('(')[2][:-2] for action in wanted}
    assert arguments < {thing.name for thing in made.things}


def test_a_selector_means_what_it_says():
    red_fruit = Selector(kind='fruit', colour='red')
    assert red_fruit.text() == 'all red fruits'
    things = make_task('x', 30, random.Random(3)).things
    assert all(red_fruit.fits(thing) == (thing.kind == 'fruit' and thing.colour == 'red') for thing in things)


def test_everybody_gets_what_they_asked_for_at_the_same_time(make_spec):
    record = run_people(make_spec('people', suite='people', tasks=(), extra=(('people', 3),)))
    assert [item['success'] for item in record['tasks']] == [True] * 3, record['tasks']
    assert record['ungated_actions'] == []


def test_wishes_do_not_get_in_each_others_way():
    wishes, things = make_wishes(len(KINDS), random.Random(0))
    assert len({wish.action for wish in wishes}) == len(wishes)
    assert sum(len(wish.objects) for wish in wishes) == len({thing.name for thing in things})
    with pytest.raises(ValueError, match='there can be 1 to'):
        make_wishes(99, random.Random(0))
