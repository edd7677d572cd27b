"""Things that are told by what they stand by."""

import re

import pytest
from conversation import ask
from hypothesis import given
from hypothesis import strategies as st

from coordinator_node.prompts import CoordinatorPrompts
from lucca_core.protocol.snapshots import USERS_SIDE, Container, Pose, Snapshot, TableObject
from lucca_llm.rules.prompts.table_view import read_table_lines
from lucca_llm.rules.space.told_by_place import with_places_named

AT_M = {
    'cup': (0.35, 0.0), 'cup 2': (0.35, 0.3), 'apple': (0.35, 0.08), 'bowl': (0.5, -0.2), 'red cube': (0.42, -0.1),
    'blue cube': (0.2, -0.3), 'ball': (0.3, -0.25),
}  # fmt: skip
"""The user sits at a large x and looks along -x, so that what has a large y is on their right."""
PLACES = [
    Container(name='box 1', position_world_m=(0.4, 0.4, 0.8)),
    Container(name='box 2', position_world_m=(0.4, -0.4, 0.8)),
    Container(name=USERS_SIDE, position_world_m=(0.82, 0.0, 0.8), size_m=(0.32, 1.94, 0.001)),
]


def table(at_m=AT_M):
    objects = (
        TableObject(object_id=name, name=name, label=re.sub(r' \d+$', '', name), pose_world=Pose((*at, 0.83)))
        for name, at in at_m.items()
    )
    return CoordinatorPrompts().table(Snapshot(objects=tuple(objects), containers=tuple(PLACES)))


def said_at(text, at_m=AT_M, **turn):
    return ask(text, table=table(at_m), **turn)


@pytest.mark.parametrize(
    ('text', 'done'),
    [
        ('give me the cup next to the apple', 'give me the cup 1'),
        ('put the cup that is next to the apple in box 1', 'put the cup 1 in box 1'),
        ('put the cup beside the apple into box 1', 'put the cup 1 into box 1'),
        ('hand me the cup closest to the bowl', 'hand me the cup 1'),
        ('give me the nearest cube to the bowl', 'give me the red cube'),
        ('give me the cube between cup 2 and the bowl', 'give me the red cube'),
        ('give me the thing between the bowl and the blue cube', 'give me the ball'),
        ('give me the one near box 1', 'give me the cup 2'),
        ('put the apple in the box nearest to the bowl', 'put the apple in box 2'),
        ('give me a cube near the bowl', 'give me the red cube'),
        ('give me the cube to the right of the ball from where I sit', 'give me the red cube'),
        ('pick up the cube next to the ball and place it in box 2', 'pick up the blue cube and place it in box 2'),
    ],
)
def test_what_stands_by_something_is_written_out_by_name(text, done):
    assert said_at(text) == f'<do({done})>'


@pytest.mark.parametrize(
    ('text', 'told', 'done'),
    [
        ('give me the ball to the left of the bowl', 'I see only the ball, and that is not to the left of the bowl.',
         'give me the ball'),
        ('put all the cubes next to the ball in box 1',
         'By “all the cubes next to the ball” I see the blue cube and the red cube.',
         'put the blue cube and the red cube in box 1'),
    ],
)  # fmt: skip
def test_what_may_be_meant_otherwise_is_asked_and_a_yes_is_enough(text, told, done):
    asked = said_at(text)
    assert asked == f'<cannot_do({told} Shall I do it: “{done}”?)>'
    assert said_at('yes', before=[text], answers=[asked]) == f'<do({done})>'


@pytest.mark.parametrize('said', ['the one from where I sit', 'mine', 'the second one', 'blue cube'])
def test_behind_depends_on_where_one_looks_from(said):
    text = 'point at the cube behind the ball'
    asked = said_at(text)
    options = 'red cube (from where I am) or blue cube (from where you sit)'
    assert asked == f'<cannot_do(Which one do you mean by “the cube behind the ball”: {options}?)>'
    assert said_at(said, before=[text], answers=[asked]) == '<do(point at the blue cube)>'


def test_what_lasts_is_asked_about_as_things_do_not_stay_where_they_are():
    answer = said_at('when I say snack, give me the cup next to the apple')
    assert answer.startswith('<cannot_do(I go by where things stand now. Shall I do it')


@pytest.mark.parametrize(
    'text',
    [
        'put the cup next to the apple',
        'put the red cube on the blue cube',
        'move the apple near the bowl',
        'put the cup in box 1 next to the apple',
    ],
)
def test_where_to_put_something_is_no_description_of_it(text):
    assert said_at(text).startswith('<cannot_do(I have no action for')


@pytest.mark.parametrize(
    'text',
    [
        'give me the cube between the apple and box 1',
        'give me the cup next to the ball',
        'give me the object between the two boxes',
        'put everything on top of the bowl in box 1',
    ],
)
def test_what_is_not_clear_moves_nothing(text):
    assert said_at(text).startswith('<cannot_do(')
    assert said_at('yes', before=[text], answers=[said_at(text)]).startswith('<cannot_do(')


@pytest.mark.parametrize(
    ('text', 'answer'),
    [
        ('what is next to the apple?', 'I see the cup 1 and the red cube next to the apple.'),
        ('what is behind the ball?', 'I see the blue cube behind the ball from where you sit.'),
        ('which cube is closest to the bowl?', 'I see the red cube closest to the bowl.'),
        ('is there anything behind the ball?', 'I see the blue cube behind the ball from where you sit.'),
        ('is the cup next to the apple?', 'Yes: the cup 1 is next to the apple.'),
        ('is the ball left of the bowl?', 'No: the ball is not to the left of the bowl from where you sit.'),
        ('what is on my left?', 'I see the red cube, the bowl, the ball, the blue cube and box 2 on your left.'),
        ('what is on your left?', 'I see the apple, the cup 2 and box 1 on my left.'),
        ('where is the cup next to the apple?', 'The cup is on the table next to the apple, as I see it now.'),
        ('where is the ball?', 'The ball is on the table next to the blue cube, as I see it now.'),
        ('where is cup 2?', 'The cup 2 is on the table next to box 1, as I see it now.'),
    ],
)
def test_questions_are_answered_from_where_things_stand(text, answer):
    assert said_at(text) == f'<say({answer})>'


@pytest.mark.parametrize(
    'text', ['the cup next to the apple is mine', 'I left the cup by the apple yesterday', 'what is next to Bob?']
)
def test_what_asks_for_nothing_here_is_left_alone(text):
    assert '<do(' not in said_at(text)


@pytest.mark.parametrize(
    'text',
    [
        'give me the other cup next to the apple',
        'give me the dirty cup next to the apple',
        'give me the non-blue cube next to the ball',
        'give me no cup next to the apple',
        'put the ball in box 1 and leave any cube near the ball',
        'only fruit may go in box 2',
        'give me the cup next to the red ball',
        'put everything in box 1 except the two things closest to me',
        'give me the last two cubes from my left',
        'bring the cube in front of me',
        'move the cup further to the left',
        'put the apple in the middle box',
        'give me a cube, the one next to the apple',
        "what is next to the user's side?",
        "give me the cup next to the user's side",
    ],
)
def test_no_word_of_a_phrase_is_passed_over(text):
    """The words stay as they were said, so that the reader of descriptions asks about them."""
    answer = said_at(text)
    assert not re.search(r'the (?:cup 1|cup 2|red cube|blue cube|ball|bowl)\b', answer.replace(text, ''))


@pytest.mark.parametrize(
    'text',
    [
        'put everything in box 1 but no cube next to the ball',
        'put the apple in box 1 and no cube next to the ball',
        'put the cups in box 1 but neither cup next to the apple',
        'put the cubes in box 1 but none of those next to the ball',
        'put everything in box 1 but nothing on my left',
        'put the ball in the box near cup 2 on my left',
        'give me the cube closest to me and closest to you',
        'put the cup in your left hand in box 1',
        'give me the cube furthest from the ball',
    ],
)
def test_what_is_none_of_these_or_contradicts_itself_names_nothing(text):
    answer = said_at(text)
    assert answer.startswith('<cannot_do(') or answer == f'<do({text})>'


def test_one_stands_for_the_noun_before_it():
    said = said_at('put the blue cube in box 1 and the one next to the apple in box 2')
    assert 'cup' not in said


@pytest.mark.parametrize(
    ('text', 'told'),
    [
        ('is the left cube red?', 'Yes: the red cube'),
        ('is the ball on my left?', 'is my left'),
        ('what is on the red cube?', 'I see the ball'),
    ],
)
def test_nothing_false_is_said_of_the_table(text, told):
    assert told not in said_at(text)


cm = st.integers(0, 100)


@given(st.lists(st.tuples(cm, cm), min_size=3, max_size=6, unique=True))
def test_what_is_named_without_a_question_is_clearly_the_nearest(spots):
    """Of the cubes, `next to` names one at most 20 cm away, and each other is half as far again at least."""
    names = ['ball', *(f'cube {number}' if number > 1 else 'cube' for number in range(1, len(spots)))]
    at_m = {name: (x / 100 - 0.5, y / 100 - 0.5) for name, (x, y) in zip(names, spots, strict=True)}
    view = read_table_lines(table(at_m).splitlines())
    try:
        told = with_places_named('give me the cube next to the ball', view)
    except LookupError:
        return
    if told is None or told.doubt:
        return
    named = told.text.removeprefix('give me the ').removesuffix(' 1')
    away = {
        name: ((at[0] - at_m['ball'][0]) ** 2 + (at[1] - at_m['ball'][1]) ** 2) ** 0.5
        for name, at in at_m.items()
        if name != 'ball'
    }
    near = away.pop(named)
    assert near <= 0.21
    assert all(other >= 1.4 * near or other > 0.19 for other in away.values())


@pytest.mark.parametrize(
    ('text', 'done'),
    [
        ('From my point of view, give me the leftmost cube.', 'give me the blue cube'),
        ('From your perspective, give me the leftmost cube.', 'give me the red cube'),
        ('There are two cubes. Give me the one closest to me.', 'Give me the red cube'),
        ('Look at the two cubes. Give me the one closest to me.', 'Give me the red cube'),
    ],
)
def test_an_introduction_tells_whose_view_it_is_or_what_is_spoken_of(text, done):
    assert said_at(text) == f'<do({done}.)>'


@pytest.mark.parametrize('rest', ['the rest', 'everything else', 'all others'])
def test_an_introduction_is_kept_for_words_that_refer_to_it(rest):
    said = f'There are two cubes. Put the one closest to me in box 1 and {rest} in box 2.'
    assert not said_at(said).startswith('<do(Put')


def test_an_introduction_with_another_number_than_is_seen_is_not_passed_over():
    assert 'There are three cubes' in said_at('There are three cubes. Give me the one closest to me.')


@pytest.mark.parametrize(
    'text',
    ['give me the second closest cube to me', 'give me the cube that is second closest to me',
     'give me the second cube closest to me'],
)  # fmt: skip
def test_an_ordinal_counts_towards_what_is_closest(text):
    assert said_at(text) == '<do(give me the blue cube)>'


def test_whether_an_ordinal_counts_all_or_those_at_a_landmark_is_asked():
    at_m = {'cup': (0.3, -0.3), 'cup 2': (0.3, -0.1), 'cup 3': (0.3, 0.1), 'apple': (0.36, 0.1), 'cup 4': (0.42, 0.1)}
    assert 'I am not sure which' in said_at('give me the second cup from my left that is touching the apple', at_m)
