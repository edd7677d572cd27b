"""Sentences that were once done by half, or begun though nobody asked for anything: from what is said to the table."""

import pytest

from lucca_core.protocol.snapshots import USERS_SIDE
from lucca_lab.symbolic_table import sample_objects
from lucca_lab.understanding.outcomes import End
from lucca_lab.understanding.stack import stack_on_table

PLACES = ('box 1', 'box 2', 'bowl', 'tower', USERS_SIDE)
KITCHEN = ('apple (red)', 'cup (blue)', 'baseball (white)')
CUBES = ('red cube', 'blue cube', 'green cube')
MANY = ('apple (red)', 'pear (green)', 'orange (orange)', 'banana (yellow)', 'cup (blue)', *CUBES)
TOOLS = (
    *('apple (red)', 'pear (green)', 'banana (yellow)', 'mug (blue)', 'plate (white)', 'hammer (grey)'),
    *('screwdriver (yellow)', 'teddy bear (brown)', *CUBES, 'soda can (red)'),
)


def said(objects, *texts):
    with stack_on_table(sample_objects(objects), PLACES) as robot:
        return [robot.say(text, 'Ana') for text in texts]


@pytest.mark.parametrize(
    ('objects', 'text', 'done'),
    [
        (KITCHEN, 'hand me something to drink from', ['give(cup)']),
        (CUBES, 'Stack the blue cube on the tower, then the red cube on top of it.', ['blue cube', 'red cube']),
        (MANY, 'Put the fruit in box 1 unless there is an orange.', []),
        (MANY, 'put the cubes on the tower until two are on it', ['red cube', 'blue cube']),
        (MANY, 'Move the cup out of the way, into box 1', ['move_to_box_1(cup)']),
        (TOOLS, 'Clear away anything yellow into box 2, but the banana may stay.', ['box_2(screwdriver)']),
        (TOOLS, 'Give me two pieces of fruit, but no bananas.', ['give(apple)', 'give(pear)']),
        (TOOLS, 'Sort the fruit alphabetically into box 1.', ['(apple)', '(banana)', '(pear)']),
        (MANY, 'could you hand me something sweet?', ['give(apple)']),
        (TOOLS, 'yo robot, gimme the can', ['give(soda can)']),
        (TOOLS, 'gimme the mug would ya', ['give(mug)']),
        (TOOLS, 'the hammer, please', ['give(hammer)']),
        (TOOLS, 'I could use a screwdriver.', ['give(screwdriver)']),
        (TOOLS, 'go get the hammer', ['give(hammer)']),
        (TOOLS, 'Give me any fruit', ['give(apple)']),
        (TOOLS, 'be a dear and hand me the pear', ['give(pear)']),
        (TOOLS, "I'd love it if the mug ended up in box 1", ['box_1(mug)']),
        (TOOLS, 'we need the tools in box 2', ['box_2(hammer)', 'box_2(screwdriver)']),
        (TOOLS, 'My hands are dirty; put the apple in the bowl for me.', ['bowl(apple)']),
        (TOOLS, "It's late. Put the tools away in box 2.", ['box_2(hammer)', 'box_2(screwdriver)']),
        (TOOLS, 'put one of the cubes in box 1', ['box_1(red cube)']),
        (TOOLS, 'Hand me any one of the tools.', ['give(hammer)']),
        (
            TOOLS,
            'put one of the cubes in box 1 and the other ones in the bowl',
            ['(red cube)', '(blue cube)', '(green cube)'],
        ),
        (TOOLS, 'Do you see a banana? Put it in the bowl.', ['bowl(banana)']),
        (TOOLS, 'Can you see the mug? Give it to me.', ['give(mug)']),
        (TOOLS, 'Where is the mug? Bring it to me.', ['give(mug)']),
        (TOOLS, 'Are there any cubes? If so, put them in box 1.', ['red cube', 'blue cube', 'green cube']),
        (TOOLS, 'There are cubes. Put them in box 1.', ['red cube', 'blue cube', 'green cube']),
        (TOOLS, 'If you see the mug, bring it to me.', ['give(mug)']),
        (TOOLS, 'Do you see a lemon? Put it in the bowl.', []),
        (TOOLS, 'Get everything edible off the table and into the bowl.', ['(apple)', '(pear)', '(banana)']),
        (TOOLS, 'Set the mug in front of me.', ['give(mug)']),
        (TOOLS, 'Put the apple and the pear on the table into box 1.', ['(apple)', '(pear)']),
        (TOOLS, 'Put the apple that is on the table and the mug in box 1.', ['(apple)', '(mug)']),
        (TOOLS, 'something sweet, please', ['give(apple)']),
        (CUBES, 'Stack the cubes with the blue one at the bottom.', ['blue cube', 'red cube', 'green cube']),
        (
            CUBES,
            'Stack the three cubes, the blue one should be at the bottom.',
            ['blue cube', 'red cube', 'green cube'],
        ),
        (TOOLS, 'tools → box 1; pear → box 2', ['box_1(hammer)', 'box_1(screwdriver)', 'box_2(pear)']),
        (TOOLS, 'make a tower with the three cubes', ['red cube', 'blue cube', 'green cube']),
        (TOOLS, 'Put any two fruits in box 1.', ['(apple)', '(pear)']),
        (TOOLS, 'Put the cubes in box 1 starting with the blue one', ['blue cube', 'red cube', 'green cube']),
        (TOOLS, "If there's a banana on the table, put it in the bowl.", ['bowl(banana)']),
        (TOOLS, 'Sweep the tools into box 2.', ['box_2(hammer)', 'box_2(screwdriver)']),
        (TOOLS, 'Hand me the mug, the plate and the pear, in that order.', ['give(mug)', 'give(plate)', 'give(pear)']),
        (CUBES, 'Put two of the three cubes in box 1.', ['box_1(red cube)', 'box_1(blue cube)']),
        (CUBES, 'Place all three cubes in box 2.', ['red cube', 'blue cube', 'green cube']),
        (CUBES, 'Put another cube on the tower.', ['tower(red cube)']),
        (KITCHEN, 'Hand me anything but the apple.', ['give(cup)']),
        (TOOLS, 'Bring me the mug from the table.', ['give(mug)']),
        (CUBES, "Don't move the red cube, but put everything else in box 1.", ['blue cube', 'green cube']),
        (CUBES, 'Leave the red cube alone and put the rest in box 2.', ['blue cube', 'green cube']),
        (CUBES, "I'll take the red cube. Could you hand me the green one?", ['give(green cube)']),
        (TOOLS, 'Get the hammer and bring it to box 1 if it is red.', []),
        (TOOLS, 'Fetch the mug and give it to me unless there is a plate.', []),
        (TOOLS, 'Put the fruit in box 1. The pear is an exception.', ['box_1(apple)', 'box_1(banana)']),
        (TOOLS, 'Put the fruit in box 1. Hands off the pear!', ['box_1(apple)', 'box_1(banana)']),
        (KITCHEN, 'Put whatever is neither red nor blue in box 1.', ['box_1(baseball)']),
        (MANY, 'Whatever is neither a cube nor a pear goes in box 2.', ['apple', 'orange', 'banana', 'cup']),
        (KITCHEN, 'Hide the apple in box 2.', ['box_2(apple)']),
        (MANY, 'Put the fruit in box 1, leaving the pear.', ['1(apple)', '1(orange)', '1(banana)']),
        (CUBES, 'Put all the cubes in box 1, skipping the red one.', ['1(blue cube)', '1(green cube)']),
        (MANY, 'Give me the fruit but the pear.', ['(apple)', '(orange)', '(banana)']),
        (CUBES, 'Put the cubes in box 1 but the red one.', ['1(blue cube)', '1(green cube)']),
        (CUBES, 'Point at the cubes, but the red and the blue one.', ['point(green cube)']),
        (CUBES, 'Stack the cubes, but put the red one in box 1.', ['r(blue cube)', 'r(green cube)', '1(red cube)']),
        (CUBES, 'Give me the red cube, but first the blue one.', ['(blue cube)', '(red cube)']),
        (KITCHEN, 'bot bring my cup', ['give(cup)']),
        (KITCHEN, 'Retrieve the baseball, please.', ['give(baseball)']),
        (KITCHEN, 'Look for the cup and hand it to me.', ['give(cup)']),
        (KITCHEN, 'Get the cup and take it to the tower.', ['tower(cup)']),
        (KITCHEN, 'Move the things on the table into box 1.', ['(apple)', '(cup)', '(baseball)']),
        (TOOLS, "Please hand me the hammer, I'm getting the screwdriver.", ['give(hammer)']),
    ],
)
def test_it_is_done_as_it_was_said(objects, text, done):
    [outcome] = said(objects, text)
    assert outcome.end is End.DONE, outcome.said
    assert len(outcome.performed) == len(done)
    assert all(part in call for part, call in zip(done, outcome.performed, strict=True)), outcome.performed


def test_what_is_of_no_kind_that_was_named_is_asked_about_and_not_moved() -> None:
    [outcome] = said(TOOLS, 'Put fruit in the bowl and rice chips in box 1')
    assert set(outcome.performed) == {f'<place_in_bowl({name})>' for name in ('apple', 'pear', 'banana')}
    assert outcome.end is End.ASKED


@pytest.mark.parametrize(
    'text',
    [
        'throw the apple at me',
        'cube',
        'Down with the cubes.',
        'Give me the apple but the pear.',
        'Push the apple off the table.',
        'Push the apple off the table and put the pear in box 1.',
        'Put the mug alone in box 1.',
        'Once the apple is in the bowl, point at it.',
        'Put the apple in the bowl and then put it back.',
        'Take the apple in box 1 out.',
        'Give the teddy bear the apple.',
        'Put neither the mug nor the plate in box 1.',
        'Hand me no mug or plate.',
        'Put the cubes on the tower except the last one.',
        'Give me one fruit, any fruit.',
        'Box up the fruit.',
        'Put the mug in box 1 or the plate in box 2.',
        'Put the mug in box 1 or box 2.',
        'Swap the mug and the plate.',
        'Move the mug if there is a plate, else point at the plate.',
        'Take the three cubes, smallest first, and stack them.',
        'Hide the hammer beneath the plate.',
        'Put the apple in box 1, the pear next to it.',
        'Point first at the heaviest thing and then at the lightest.',
        'Put the banana where the apple was.',
        'Unless I am mistaken, the soda can belongs in box 2.',
        'Put as many cubes in box 1 as there are fruits.',
        'Bring me the teddy bear, no, the mug.',
        'Put the bear anywhere but box 1.',
        'Line up all the cubes along the edge.',
        'Hand me the thing that one hits nails with.',
        'Put the red one in the bowl.',
        'Keep your hands off the fruit and put the rest in box 2.',
        'Warm up the soda can and put it in box 2.',
        'Nothing red may remain on the table; use box 1.',
        'stack red, then green, then blue on the tower',
        'Put the last cube on the tower',
        'All fruits except one go in the bowl.',
        'Put them all in the bowl',
        'You could have put the apple in the bowl.',
        'Put the apple in box 1 and close it.',
        'Put the apple in box 1 and close the box.',
        'I am allergic to bananas. Give me the dessert.',
        'Put both fruits in box 1.',
        'Put the fruit in the bowl and the rice chips in box 1.',
        'Pick up the prism and place that on the tower.',
        'Swap the pear in Box 1 with the hammer in Box 2.',
        'Grab the mug, the plate and the hammer, then put the mug in box 1 and the plate in box 2.',
        'Place the hammer in box 1. Can you dispose of the mug?',
        'Sort the fruit into box 1 and the tools into box 2. Include mistakes and recoveries.',
        'Put some of the banana into the bowl.',
        'Put the hammer in box 2 after I get the screwdriver.',
        'Put the hammer in box 2 so I can take the screwdriver.',
        'Move the hammer to box 2, then I can get the screwdriver.',
        "I'll take the red cube. Hand me the cube.",
        'Grab the cube & place in the bowl.',
        'Pick the cube up and put it in box 1.',
        'Collect the cube and leave in box 1.',
        'Put the fruit in the bowl. All but the pear.',
        'Put the fruit in the bowl. Everything except the pear.',
        'Put the fruit in the bowl. Just the pear.',
        'Put the fruit in the bowl. Two of them.',
        'Put the drinks in the bowl. All but the water.',
        'Put the tools in box 1. Just the hammer.',
        'Wash the mug in the bowl.',
        'Point at the mug in box 1.',
        'Show me the mug on the tower.',
        'Choose the mug in box 1.',
        'Ignore the mug in box 1.',
        'Put the plate in box 1 and ignore the mug in box 2.',
        'Count the cubes in box 1.',
        'Put the pear in box 1 and shake the mug in the bowl.',
        'Peel me the banana.',
        'what is a mug please',
        'whose is the mug please',
        'The fruit might go in box 1.',
        'The fruit could go in box 1.',
        'Put only some cubes in box 1.',
    ],
)
def test_what_is_not_wholly_understood_moves_nothing(text):
    [outcome] = said(TOOLS, text)
    assert outcome.performed == ()
    assert outcome.end is not End.DONE
    assert 'finished' not in outcome.said


TALK = (
    'Yes, I used to live in Toronto.',
    'Yeah, my sister put her book in the box.',
    'Hi! Can you tell me about the geography of Canada?',
    'Tell me more about Niagara Falls.',
    "Yeah, I've been to Niagara Falls over twenty times by now. I used to live in Toronto, only about an hour or so "
    'away from the falls.',
    "don't build a tower",
    'is the tower done?',
    'when did you build the tower?',
    'Bob put the cup in box 2',
    'is the sorting suspended?',
    'what is in the tower?',
    'who built the tower?',
    'I am hungry',
    'what did you just do?',
    'why did you put the apple there?',
    'what will you do next?',
    'where is the apple?',
    'how many cubes are there?',
    'Thank you',
    'carry on',
    'No wait, my favourite fruit is the banana',
    'I moved to Oslo',
    'What can you tell me about it?',
)


def test_talk_and_questions_are_answered_in_words():
    for text, outcome in zip(TALK, said(MANY, *TALK), strict=True):
        assert (outcome.started, outcome.performed) == ((), ()), text
        assert outcome.end is End.TOLD, (text, outcome.said)
        assert not outcome.said.startswith(('I can put things', 'Goodbye')), text


def test_a_taught_task_is_not_done_until_it_is_asked_for():
    taught, done = said(KITCHEN, 'learn a new task: when I say snack time, hand me the apple', 'snack time')
    assert (taught.performed, done.performed) == ((), ('<give(apple)>',))


@pytest.mark.parametrize(
    'text', ['hand me the sword', 'Line up all the cubes along the edge.', 'Put the pear in box 9.']
)
def test_what_was_refused_is_not_left_as_a_suspended_task(text):
    with stack_on_table(sample_objects(MANY), PLACES) as robot:
        outcome = robot.say(text, 'Ana')
        assert outcome.end in (End.ASKED, End.REFUSED)
        assert not [item.task for item in robot.memory.tasks() if item.status in ('running', 'suspended')]
        assert robot.say('carry on', 'Ana').performed == ()


def test_what_was_interrupted_waits():
    with stack_on_table(sample_objects(MANY), PLACES) as robot:
        robot.say('Put the cup in box 1 and the pear in box 2.', 'Ana', max_actions=1)
        assert [item.status for item in robot.memory.tasks() if item.described] == ['suspended']


def test_an_object_may_be_called_color():
    [spared, put] = said(('color', 'muse', 'flint'), 'Point to everything except the color.', 'Put the color in box 1.')
    assert set(spared.performed) == {'<point(muse)>', '<point(flint)>'}
    assert put.performed == ('<move_to_box_1(color)>',)


def test_a_color_that_nothing_is_called_is_not_passed_over():
    [outcome] = said(KITCHEN, 'Point to everything except the color.')
    assert (outcome.end, outcome.performed) == (End.ASKED, ())


def test_colours_after_a_group_are_of_the_group():
    [outcome] = said(MANY, 'put the cubes in boxes: red in box 1, blue and green in box 2')
    assert set(outcome.performed) == {
        '<move_to_box_1(red cube)>',
        '<move_to_box_2(blue cube)>',
        '<move_to_box_2(green cube)>',
    }


def test_an_amount_is_no_kind_of_objects():
    [outcome] = said(TOOLS, 'half of the cubes in box 1, the other half in box 2')
    assert (outcome.end, outcome.performed) == (End.ASKED, ())


def test_a_sign_in_a_name_is_part_of_the_name():
    [outcome] = said(('mac & cheese', 'apple'), 'Give me the mac & cheese.')
    assert outcome.performed == ('<give(mac & cheese)>',)


@pytest.mark.parametrize(
    'text',
    [
        'How many cubes are there? Put them in box 1.',
        'Put the apple on the table and the mug in box 1.',
        'fruit on the table, cubes in box 2',
        'Do you like cubes? Put them away in box 2.',
        'Why is the apple there? Put it in box 1.',
        'My brother is here. Give him the mug.',
        'Ben says, never move the pear.',
        "There's a banana. I'd like it in the bowl.",
    ],
)
def test_a_request_behind_something_else_is_done_or_refused_but_never_passed_over(text):
    (outcome,) = said(TOOLS, text)
    assert outcome.end in (End.ASKED, End.REFUSED)
    assert outcome.performed == ()


def test_a_place_that_is_not_known_is_named_with_those_that_are():
    (outcome,) = said(TOOLS, 'Put the fruit into box 3.')
    assert outcome.end is End.REFUSED
    assert 'I know no “box 3”; I know box 1, box 2, bowl, tower' in outcome.said


def test_certain_things_that_are_not_here_are_missed_and_not_passed_over():
    (outcome,) = said(TOOLS, 'Put the purple tools in box 1.')
    assert (outcome.end, outcome.performed) == (End.REFUSED, ())
    assert 'there is no such object here: the purple tools' in outcome.said


def test_what_a_pronoun_stands_for_is_named_where_it_is_missing():
    (outcome,) = said(TOOLS, 'Take the pear in box 2 and put it in box 1.')
    assert (outcome.end, outcome.performed) == (End.REFUSED, ())
    assert 'there is no such object here: the pear' in outcome.said


@pytest.mark.parametrize(
    'told',
    [
        'All but the apple may be moved.',
        'Feel free to move anything except the apple.',
        'I need the apple where it is.',
        'Neither the apple nor the hammer may be moved.',
    ],
)
def test_what_must_stay_is_told_before_the_request(told):
    (outcome,) = said(TOOLS, f'{told} Put the fruit in box 1.')
    assert outcome.end is End.DONE
    assert [call for call in outcome.performed if 'apple' in call] == []
    assert any('pear' in call for call in outcome.performed)


def test_to_clean_a_thing_is_not_passed_over():
    (outcome,) = said(TOOLS, 'Clean the hammer and put it in box 1.')
    assert (outcome.end, outcome.performed) == (End.REFUSED, ())


@pytest.mark.parametrize('answer', ['box 1', 'Box 1, please.', 'the box 1', 'in box 1', 'I mean box 1'])
def test_which_box_is_the_left_one_is_answered_with_its_number(answer):
    _, outcome = said(TOOLS, 'Put the apple into the left box.', answer)
    assert outcome.performed == ('<move_to_box_1(apple)>',)


@pytest.mark.parametrize('answer', ['the bowl', 'not box 1', 'box 3', 'box 1?'])
def test_no_other_answer_is_taken_for_the_number_of_the_left_box(answer):
    _, outcome = said(TOOLS, 'Put the apple into the left box.', answer)
    assert outcome.performed == ()


def test_it_is_asked_which_box_is_the_left_one_with_the_reason():
    (outcome,) = said(TOOLS, 'Put the fruit into the left box.')
    assert outcome.end is End.ASKED
    assert outcome.said == (
        'I do not know from whose side that is seen. Which one do you mean by "left box": box 1 or box 2?'
    )


@pytest.mark.parametrize(
    ('text', 'answer'),
    [
        ("Do you see the mug? Don't touch it.", 'All right, I do nothing now.'),
        ('Never mind. How many cubes are there?', 'I see 3'),
        ("There is a new film out. Let's watch it.", 'I see.'),
    ],
)
def test_of_two_sentences_the_one_that_matters_is_answered(text, answer):
    (outcome,) = said(TOOLS, text)
    assert outcome.said.startswith(answer)
    assert outcome.performed == ()


def test_a_mistyped_name_is_asked_about_with_the_name_that_it_is_like():
    (outcome,) = said(TOOLS, 'Would you please put the bananna in the bowl?')
    assert outcome.end is End.ASKED
    assert 'the word “bananna”. Shall I do it: “Would you please put the banana in the bowl?”?' in outcome.said
