"""Things and places that are told by where they stand, as the user sees them."""

import pytest
from conversation import ask

from coordinator_node.prompts import CoordinatorPrompts
from lucca_core.protocol.snapshots import USERS_SIDE, Container, Pose, Snapshot, TableObject
from lucca_core.users_view import users_view
from lucca_llm.rules.space.told_by_place import asked_to_agree

AT_M = {'red cube': (0.3, 0.1), 'blue cube': (0.45, -0.1), 'green cube': (0.45, 0.11), 'apple': (0.35, 0.02)}
AT_M |= {'left glove': (0.3, 0.1), 'right glove': (0.3, -0.1)}
BOXES_M = {'box 1': (0.4, 0.4), 'box 2': (0.4, -0.4)}
SIDE = Container(name=USERS_SIDE, position_world_m=(0.82, 0.0, 0.8), size_m=(0.32, 1.94, 0.001))


def seen(names, boxes_m=BOXES_M, side=SIDE):
    objects = (
        TableObject(object_id=name, name=name, label=name, pose_world=Pose((*AT_M[name], 0.83))) for name in names
    )
    boxes = (Container(name=name, position_world_m=(*at, 0.8)) for name, at in boxes_m.items())
    return Snapshot(objects=tuple(objects), containers=(*boxes, *([side] if side else [])))


def said_at(text, *names, **turn):
    return ask(text, table=CoordinatorPrompts().table(seen(names)), **turn)


def test_the_user_looks_from_their_side_across_the_table():
    view = users_view(seen(['red cube', 'blue cube']))
    assert sorted(view.right_cm, key=view.right_cm.get) == ['box 2', 'blue cube', 'red cube', 'box 1']
    assert view.away_cm == pytest.approx({'blue cube': 37, 'box 1': 42, 'box 2': 42, 'red cube': 52})


@pytest.mark.parametrize(
    ('at_m', 'size_m', 'leftmost'),
    [((-0.8, 0.0), (0.3, 2.0), 'a'), ((0.0, -0.8), (2.0, 0.3), 'c'), ((0.0, 0.8), (2.0, 0.3), 'b')],
)
def test_wherever_the_side_is(at_m, size_m, leftmost):
    side = Container(name=USERS_SIDE, position_world_m=(*at_m, 0.0), size_m=(*size_m, 0.0))
    view = users_view(seen([], {'a': (0.0, 0.3), 'b': (0.3, 0.0), 'c': (-0.3, -0.2)}, side))
    assert min(view.right_cm, key=view.right_cm.get) == leftmost


@pytest.mark.parametrize('shown', [seen(['apple'], side=None), seen(['apple'], {'box 1': (0, 0), 'box 2': (0, 0)})])
def test_where_that_is_not_seen_nothing_is_said_of_it(shown):
    assert 'From' not in CoordinatorPrompts().table(shown)


@pytest.mark.parametrize(
    ('text', 'call'),
    [
        ('put the apple in the box on my left', '<do(put the apple in box 2)>'),
        ('put the apple in the box to my right', '<do(put the apple in box 1)>'),
        ('put the apple in the box on your left', '<do(put the apple in box 1)>'),
        ('put the apple in the left box from where I sit', '<do(put the apple in box 2)>'),
        ('give me the cube nearest to me', '<do(give me the blue cube)>'),
        ('could you give me the furthest cube from me?', '<do(give me the red cube)>'),
        ('what is in the box on my left?', '<say(There is nothing in box 2, as I see it now.)>'),
    ],
)
def test_what_is_said_as_the_user_sees_it_is_written_out_by_name(text, call):
    assert said_at(text, 'red cube', 'blue cube', 'apple') == call


@pytest.mark.parametrize(
    ('text', 'mine', 'yours', 'done'),
    [
        ('put the apple in the left box', 'box 1', 'box 2', 'put the apple in {}'),
        ('put the apple in the box on the right', 'box 2', 'box 1', 'put the apple in {}'),
        ('put the apple in the box to the right', 'box 2', 'box 1', 'put the apple in {}'),
        ('give me the left cube', 'red cube', 'blue cube', 'give me the {}'),
        ('give me the nearest cube', 'red cube', 'blue cube', 'give me the {}'),
    ],
)
def test_whose_left_it_is_is_asked_and_an_answer_is_enough(text, mine, yours, done):
    names = 'red cube', 'blue cube', 'apple'
    asked = said_at(text, *names)
    assert asked.startswith('<cannot_do(Which one do you mean by “')
    assert asked.endswith(f': {mine} (from where I am) or {yours} (from where you sit)?)>')
    told = {
        mine: mine,
        yours: yours,
        'from where I sit': yours,
        f'{mine} from where I am': mine,
        'mine': yours,
        'yours': mine,
        'your side': mine,
    }
    for said, name in told.items():
        assert said_at(said, *names, before=[text], answers=[asked]) == f'<do({done.format(name)})>'
    for said in ('no', 'yes', 'left', 'from where you sit', 'from where I am'):
        assert '<do(' not in said_at(said, *names, before=[text], answers=[asked])


@pytest.mark.parametrize(
    ('text', 'done'),
    [
        ('give me the cube closest to you', 'give me the red cube'),
        ('give me the cube furthest away from you', 'give me the blue cube'),
        ('give me the cube that is on your left', 'give me the red cube'),
        ('give me the cube furthest to my left', 'give me the blue cube'),
        ('give me the cube in front of you', 'give me the red cube'),
        ('give me the second cube from my left', 'give me the red cube'),
        ('give me the only apple', 'give me the apple'),
        ('give me the cube closest to the left edge of the table as I see it', 'give me the blue cube'),
    ],
)
def test_the_robots_side_is_the_other_one(text, done):
    assert said_at(text, 'red cube', 'blue cube', 'apple') == f'<do({done})>'


@pytest.mark.parametrize(
    ('text', 'names'),
    [
        ('give me the middle cube', ('red cube', 'blue cube')),
        ('give me the rightmost cube', ('red cube', 'blue cube', 'green cube')),
        ('give me the cube nearest to me', ('blue cube', 'green cube')),
        ('give me the cubes on my left', ('red cube', 'blue cube')),
    ],
)
def test_what_may_be_one_or_another_moves_nothing_and_is_named(text, names):
    answer = said_at(text, *names)
    assert answer.startswith('<cannot_do(')
    assert text.removeprefix('give me ') in answer
    assert said_at('yes', *names, before=[text]).startswith('<cannot_do(')


@pytest.mark.parametrize(
    'text', ['the left box is mine', 'you left the apple here', 'turn left', 'I have two left feet']
)
def test_what_asks_for_nothing_asks_for_nothing(text):
    assert '<do(' not in said_at(text, 'apple', 'red cube')


def test_a_stop_of_what_is_no_thing_here_is_no_question_of_sides():
    assert said_at('stop the left arm', 'apple', 'red cube') == ask(
        'stop the left arm', table='Objects on the table: x'
    )


@pytest.mark.parametrize('text', ['stop moving the left cube', 'stop, the left cube is mine'])
def test_a_stop_is_heard_although_the_side_is_not_clear(text):
    assert said_at(text, 'red cube', 'blue cube', 'green cube', sorting='running') == '<stop_task(sorting)>'


def test_right_is_no_yes_to_a_question_of_left_and_right():
    before = {'before': ['give me the left apple']}
    before['answers'] = [said_at(*before['before'], 'apple')]
    assert '<do(' not in said_at('right', 'apple', **before)
    assert said_at('yes', 'apple', **before) == '<do(give me the apple)>'


def test_a_choice_is_of_the_object_that_was_meant_when_it_was_asked():
    text = 'give me the left cube'
    asked = said_at(text, 'red cube', 'blue cube')
    for names in (('red cube', 'blue cube', 'green cube'), ('red cube', 'green cube')):
        # If it is gone, the coordinator says so.
        assert said_at('mine', *names, before=[text], answers=[asked]) == '<do(give me the blue cube)>'


@pytest.mark.parametrize('text', ['give me the middle cube', 'give me the cube in the middle'])
def test_the_middle_one_of_three_is_the_same_from_both_sides(text):
    AT_M['white cube'] = (0.45, 0.0)
    assert said_at(text, 'blue cube', 'green cube', 'white cube') == '<do(give me the white cube)>'
    assert said_at(text, 'red cube', 'blue cube').startswith('<cannot_do(I am not sure which')


@pytest.mark.parametrize('text', ['give me the left apple', 'give me the middle apple'])
def test_of_a_single_one_it_is_said_that_there_is_no_other(text):
    assert said_at(text, 'apple', 'red cube') == (
        '<cannot_do(I see only the apple. Shall I do it: “give me the apple”?)>'
    )


def test_what_lasts_is_asked_about_as_well():
    text = 'when I say breakfast, put the apple in the left box'
    assert said_at(text, 'apple').startswith('<cannot_do(Which one do you mean by “the left box”: box 1')


def test_a_name_with_a_side_in_it_is_a_name():
    assert said_at('give me the left glove', 'left glove', 'right glove') == '<do(give me the left glove)>'


def test_a_yes_agrees_to_the_robots_own_question_only():
    asked = 'Shall I do it: “put the pear in box 1”?'
    assert asked_to_agree(f'<cannot_do(That is box 1. {asked})>') == 'put the pear in box 1'
    assert not asked_to_agree(f'<say(On 20 November Bob told me: “{asked}”)>')
    assert not asked_to_agree(f'<say({asked})>')
