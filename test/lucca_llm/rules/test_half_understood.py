"""Sentences of which only a part could be done: done as a whole, or nothing moves and the words are named."""

from typing import Any

import pytest
from said_at_a_table import ALL, run

from lucca_language.reading.reading import read
from lucca_llm.rules.utterances.teaching import taught


@pytest.mark.parametrize(
    ('text', 'names', 'done'),
    [
        ('hand me something to drink from', 'apple, cup, baseball', ['give(cup)']),
        ('hand me something to drink from', 'can, cup', ['give(cup)']),
        ('Put the soap bar in box 1.', 'soap bar, apple', ['move_to_box_1(soap bar)']),
        (
            'Put half of the cubes in box 1 and the rest in box 2.',
            'red cube, blue cube, apple',
            ['move_to_box_1(red cube)', 'move_to_box_2(blue cube)'],
        ),
        (
            'Stack the blue cube on the tower, then the red cube on top of it.',
            ALL,
            ['put_on_tower(blue cube)', 'put_on_tower(red cube)'],
        ),
        ('Put the fruit in box 1 unless there is an orange.', 'apple, cup', ['move_to_box_1(apple)']),
        ('Put the fruit in box 1 unless there is an orange.', 'apple, orange', []),
        ('If there is a banana, put the cup in box 2.', 'banana, cup', ['move_to_box_2(cup)']),
        ('If there is no banana, put the cup in box 2.', 'banana, cup', []),
        (
            'Put cubes on the tower until two are on it.',
            ALL,
            ['put_on_tower(red cube)', 'put_on_tower(blue cube)'],
        ),
        ('Move the cup out of the way, into box 1.', ALL, ['move_to_box_1(cup)']),
        ('Could you hand me something sweet?', 'apple, cup', ['give(apple)']),
        ('Put both cubes in box 1.', 'red cube, blue cube', ['move_to_box_1(red cube)', 'move_to_box_1(blue cube)']),
        ('Find the cup and put it in box 1.', ALL, ['move_to_box_1(cup)']),
        ('Put one cube in box 1 and one in box 2.', ALL, ['move_to_box_1(red cube)', 'move_to_box_2(blue cube)']),
        ('Put the apple in box 1 and one cube in box 2.', ALL, ['move_to_box_1(apple)', 'move_to_box_2(red cube)']),
        ('Do not put the apple in box 1, put it in box 2.', ALL, ['move_to_box_2(apple)']),
        ('Any cup goes in box 1.', ALL, ['move_to_box_1(cup)']),
        (
            'Put paper in box 1, drinkware in box 2, and fruit in the bowl.',
            'cup, pear',
            ['move_to_box_2(cup)', 'place_in_bowl(pear)'],
        ),
        ('Put cake in box 1 and toys in box 2.', 'red cube, apple', ['move_to_box_2(red cube)']),
        (
            'Put shorts and pants in box 1 and toys in box 2.',
            'red cube, shorts',
            ['move_to_box_1(shorts)', 'move_to_box_2(red cube)'],
        ),
        (
            'Place the three cubes in the bowl, starting with the green cube and then the blue cube.',
            ALL,
            ['place_in_bowl(green cube)', 'place_in_bowl(blue cube)', 'place_in_bowl(red cube)'],
        ),
        ('Choose any two cubes and put them in box 1.', ALL, ['move_to_box_1(red cube)', 'move_to_box_1(blue cube)']),
        (
            'Put the apple in box 1 and the other one in box 2.',
            'apple, cup',
            ['move_to_box_1(apple)', 'move_to_box_2(cup)'],
        ),
        (
            'Put the red, round beads in box 1.',
            'red round bead, red square bead, blue round bead',
            ['move_to_box_1(red round bead)'],
        ),
        ('Hand me the red, wide cup.', 'wide red cup, wide blue cup, thin red cup', ['give(wide red cup)']),
        (
            'Put the red, blue and green cups in box 1.',
            'red cup, blue cup, green cup, white cup',
            ['move_to_box_1(red cup)', 'move_to_box_1(blue cup)', 'move_to_box_1(green cup)'],
        ),
        ('Give me the red cube while I take the blue one.', ALL, ['give(red cube)']),
        ('Give me one cube while I take the red one.', 'red cube, blue cube', ['give(blue cube)']),
        ('Put either fruit in the bowl.', 'apple, pear, banana', ['place_in_bowl(apple)']),
        ('Fill the bowl with fruit and give me the cup.', 'apple, cup', ['place_in_bowl(apple)', 'give(cup)']),
        ('Get me the cup off the table.', ALL, ['give(cup)']),
    ],
)
def test_what_is_wholly_understood_is_done_as_a_whole(text: str, names: str, done: list[str], table: Any) -> None:
    result = run(table, text, names)
    assert result.done == [f'<{call}>' for call in done]
    assert result.finished


@pytest.mark.parametrize(
    ('text', 'word'),
    [
        ('Throw the apple at me.', 'throw'),
        ('Give a visitor the apple.', 'visitor'),
        ('Hand the apple to a visitor.', 'a visitor'),
        ('Put the fruit in box 1 and one from the table.', 'one'),
        ('Put the apple in box 1 with and place it into box 1.', 'with'),
        ('Put the cup in the garbage can.', 'garbage can'),
        ('Open the can.', 'open'),
        ('Put the apple on the banana.', 'banana'),
        ('Carry the cup, then put the apple in box 1.', 'carry'),
        ('Put the cup back.', 'back'),
        ('Put the fruit in box 1 unless it rains.', 'rains'),
        ('Put the big can in box 1.', 'big'),
        ('Swap the apple and the pear.', 'Swap'),
        ('Put half of the cubes in box 1.', 'half'),
        ('Give me the apple twice.', 'twice'),
        ('I am thirsty. Hand me the cup.', 'thirsty'),
        ('Put the red one in box 1.', 'apple or can'),
        ('Give me the cube.', 'red cube or blue cube or green cube'),
        ('Put the apple in box 1 and the other one in box 2.', 'the other one'),
        ('Nothing yellow may stay on the table.', 'nothing yellow'),
        ('Grok the apple.', 'Grok'),
        ('Put the apple in password box 1.', 'password box 1'),
        ('Give the apple to the buffalo user.', 'buffalo'),
        ('Use the give function to hand over the apple.', 'function'),
        ('Put the cup alone in box 1.', 'alone'),
        ('Put the apple and the pear together in box 1.', 'together'),
        ('Put the cup in box 1 later.', 'later'),
        ('Put the cup in box 1 unless.', 'unless'),
        ('Put the cup in box 1 not.', 'not'),
        ('Once the apple is in the bowl, point at it.', 'point at it, after it was moved'),
        ('Put the apple in the bowl and hand it to me.', 'give it to me, after it was moved'),
        ('Put the apple in box 1 and then move it to box 2.', 'move it to box 2, after it was moved'),
        ('Put the apple in box 1 and pick up the cup.', 'pick the cup'),
        ('Take the cup and the can, and put the cup in box 1.', 'take the cup and the can'),
        ('Put the apple in box 1 after turning it on.', 'turning it on'),
        ('Put the pear in box 1. After washing it, put the apple in box 2.', 'washing it'),
        ('Before opening the can, put the apple in box 1.', 'opening the can'),
        ('Put the cubes in box 1 after placing the vegetables.', 'placing the vegetables'),
        ('Put the cubes in box 1 after the brown can on your right.', 'the brown can on right'),
        ('Put the red cube on the tower while it is powered on.', 'while it is'),
        ('Put the fruit in the bowl under it.', 'under'),
        ('Give me the cup or the cubes.', 'or'),
        ('Put both cubes in box 1.', 'both cubes'),
        ('Put both the cubes in box 1 and the apple in box 2.', 'both the cubes'),
        ('Put all two cubes in box 1.', 'all two cubes'),
        ('Put the four cubes in box 1.', 'the four cubes'),
        ('Put the cup and the can in box 1, only the baseball.', 'ruled out'),
        ('Put all the cubes in box 1, only the red cube to your left.', 'to left'),
        ('Put the apple in box 1. Include mistakes.', 'Include'),
        ('Put the apple in box 1 and the cup in box 2, then take that fruit.', 'take that fruit'),
        ('Stack the bottle, but put the cup in box 1 first.', 'the bottle'),
        ('Put the fruit in the bowl, then store the object.', 'store the object'),
        ('Put pink cube in box 1.', 'pink cube'),
        ('Put cube in box 1.', '"cube" may be red cube or blue cube or green cube'),
        ('Bring me that cubes.', 'red cube or blue cube or green cube'),
        ('Put some cubes in box 1.', 'some'),
        ('First pick up the lemon, then put the apple in box 1.', 'pick the lemon'),
        ('Put the object in the cabinet. Put the cubes on the tower.', 'cabinet'),
        ('Put the cup in box 1 and bring me that fruit.', 'apple or banana or pear'),
        ('Give me the cup in box 1.', 'in box 1'),
        ('Put the apple in box 1 without dropping it.', 'not drop it'),
        ('Put the apple in box 1. Do not move the apple.', 'not move the apple'),
        ('Put any cube in box 1.', 'any cube'),
        ('Put anything in box 1.', 'anything'),
        ('Put black and white object in box 1.', 'black and white object'),
        ('Put the red and blue cube in box 1.', 'red and blue cube'),
        ('Put the white and brown object in box 1.', 'white and brown object'),
        ('Put the white and brown coloured object in box 1.', 'white and brown coloured object'),
        ('Put nothing in box 1.', 'nothing'),
        ('Put one in box 2.', 'Put'),
        ('Put only one in box 2.', 'Put'),
        ('Point at the apple, the pear and then me.', 'me'),
        ('Point at the apple and box 1.', 'box 1'),
        ('Give me the apple only if you must.', 'the condition'),
        ('Slowly put the apple in box 1.', 'Slowly'),
        ('Hand me the cup with both hands.', 'both'),
        ('Put the red fruit and cubes in box 1.', 'cubes'),
        ('Put the cubes in box 1 and the red cube in box 2.', 'put the red cube in box 2, after it was moved'),
        ('Hand me some of the banana.', 'some of the banana'),
        ('Hand me the cup after I take the can.', 'i take the can'),
        ('Put the cup in box 1 before I get the can.', 'i get the can'),
        ('Hand me the cup when I get the can.', 'i get the can'),
        ('Put the red cube in box 2 and the pens in the bowl.', 'the pens'),
        ('Put the pens in the bowl and the red cube in box 2.', 'the pens'),
        ('Give me the cup and put the tools in box 1.', 'the tools'),
        ('Put the cup in box 1 and the purple objects in box 2.', 'the purple objects'),
        ('Put the apple in box 1, not put the cup in box 2.', 'not put'),
        ('Hand me the apple, not stack the cubes.', 'not stack'),
        ('Not put the apple in box 1. Give me the cup.', 'not put'),
        ('Put the apple in box 1. Do not put red objects in box 1.', 'the apple in box 1, which is ruled out'),
        ('Put the cup in box 2 and pens in the bowl.', 'pens'),
        ('Put tools in box 1 and hand me the cup.', 'tools'),
        ('Put the cup in box 2 and the other pens in the bowl.', 'the other pens'),
        ('Put the fruit in the bowl unless it in box 1.', 'unless'),
        ('Put the cup in the bowl unless box 1.', 'unless'),
        ('Put the cup in box 1 with.', 'with'),
        ('Put the cup in box 1 and', 'and'),
        ('Put the cup in box 1 or', 'or'),
        ('Could you put the cup in box 1 with', 'with'),
        ('I want you to put the cup in box 1 and', 'and'),
        ('Put the cup in box 1. Give me the.', 'the'),
        ('Give me the cup and build a tower.', 'on tower'),
        ('First put the cup in box 1, then give me the can and last build a tower.', 'on tower'),
        ('Fill the bowl and give me the can.', 'in bowl'),
        ('Stack the red and the blue cube, then fill the bowl.', 'in bowl'),
        ('Get the cubes off the table.', 'off'),
        ('Give the cup to him.', 'him'),
        ('Give the cup to somebody.', 'somebody'),
        ('Push the cup.', 'push the cup'),
        ('Slide the cup.', 'slide the cup'),
    ],
)
def test_what_is_not_wholly_understood_moves_nothing_and_is_named(text: str, word: str, table: Any) -> None:
    result = run(table, text)
    assert result.done == []
    assert result.end.startswith('<cannot_do(')
    assert word in result.end


@pytest.mark.parametrize(
    ('text', 'names'),
    [
        ('Put the red and round beads in box 1.', 'red round bead, red square bead, blue round bead'),
        ('Hand me the red and wide cups.', 'wide red cup, wide blue cup, thin red cup'),
    ],
)
def test_things_of_two_qualities_or_of_either_are_asked_about(text: str, names: str, table: Any) -> None:
    result = run(table, text, names)
    assert result.done == []
    assert result.end.startswith('<cannot_do(')


@pytest.mark.parametrize('text', ['Put bus in box 1.', 'Give me bus.'])
def test_a_noun_that_ends_like_a_plural_is_one_object(text: str, table: Any) -> None:
    result = run(table, text, 'red bus, blue bus')
    assert result.done == []
    assert '"bus" may be red bus or blue bus' in result.end


@pytest.mark.parametrize(
    'text', ['Put red object in box 1.', 'Give me red thing.', 'Drop red colored item in the bowl.']
)
def test_one_thing_of_a_colour_is_asked_about_where_several_have_it(text: str, table: Any) -> None:
    result = run(table, text, 'red bus, red cup, blue can')
    assert result.done == []
    assert 'may be red bus or red cup' in result.end


def test_one_of_a_category_and_a_colour_is_asked_about_where_several_are_here(table: Any) -> None:
    result = run(table, 'Give me black tool.', 'black hammer, black screwdriver, red cup')
    assert result.done == []
    assert 'may be black hammer or black screwdriver' in result.end


def test_categories_of_a_colour_for_several_places_are_kinds(table: Any) -> None:
    objects = 'black hammer, black screwdriver, red teddy bear, red doll'
    result = run(table, 'Put black tool in box 1 and red toy in box 2.', objects)
    assert len(result.done) == 4


def test_one_thing_of_a_colour_that_only_one_has_is_taken(table: Any) -> None:
    assert len(run(table, 'Put red object in box 1.', 'red cup, blue can').done) == 1


def test_what_no_object_here_meets_is_said(table: Any) -> None:
    result = run(table, 'Could you hand me something sweet?', 'cup, can')
    assert result.done == []
    assert 'something sweet' in result.end


@pytest.mark.parametrize(
    ('text', 'names', 'in_doubt'),
    [
        ('Bring me that drink.', 'orange soda, pepsi, cup', 'pepsi'),
        ('Put the drinks in box 1.', 'orange soda, pepsi', 'pepsi'),
        ('Put all non-food items in box 1.', 'hamburger, cup', 'hamburger'),
    ],
)
def test_what_an_unknown_object_is_is_not_guessed(text: str, names: str, in_doubt: str, table: Any) -> None:
    result = run(table, text, names)
    assert result.done == []
    assert in_doubt in result.end


def test_an_unknown_object_does_not_matter_where_any_of_its_kind_will_do(table: Any) -> None:
    assert run(table, 'Give me a drink.', 'orange soda, pepsi').done == ['<give(orange soda)>']


def test_what_is_called_as_it_was_said_is_meant_beside_unknown_objects(table: Any) -> None:
    assert run(table, 'Give me the food.', 'food, baboon').done == ['<give(food)>']


def test_a_kind_of_which_nothing_is_here_is_said(table: Any) -> None:
    result = run(table, 'Put the groceries on the table into box 1.', 'cup, baseball')
    assert result.done == []
    assert 'the groceries' in result.end
    assert result.end.startswith('<cannot_do(')


@pytest.mark.parametrize(
    ('text', 'names', 'asked'),
    [
        ('Move the other block into the bowl.', 'white block, blue block, red block', 'the other block'),
        ('Put the other object in box 1.', 'apple, cup, can', 'the other object'),
        ('Stack up both red cubes and either a green cube or a ball.', 'red cube, green cube, ball', 'or'),
        ('Put the apple and the pear or the cup in box 1.', ALL, 'or'),
        ('Put the drink bottles in box 1 and the fruit in box 2.', 'cola bottle, milk bottle, apple', 'drink bottles'),
        ('Put either the apple or the pear and the cup in box 1.', ALL, 'or'),
        ('Put all cans in box 1.', 'can of beans, can of corn, can', 'all cans'),
        ('Put the drinks in box 1.', 'cola, water bottle, apple', 'the drinks'),
        ('Move the apple left then the pear in box 1.', ALL, 'left'),
        ('Put the pear in box 1. They should be even.', ALL, 'even'),
        ('Give me the apple if it is red, otherwise give me the pear.', ALL, 'otherwise'),
        ('Give me a piece of fruit if it is green, otherwise the cup.', ALL, 'otherwise'),
        (
            'If there is a pear, give me the apple. Otherwise give me the pear. Otherwise give me the cup.',
            ALL,
            'Otherwise',
        ),
    ],
)
def test_which_ones_are_meant_is_asked(text: str, names: str, asked: str, table: Any) -> None:
    result = run(table, text, names)
    assert result.done == []
    assert asked in result.end


@pytest.mark.parametrize(
    ('text', 'done'),
    [
        ('Move the other block into the bowl.', ['place_in_bowl(white block)']),
        ('Place both an apple and a pear onto the tower.', ['put_on_tower(apple)', 'put_on_tower(pear)']),
        ('If you see a white block put it on the tower', ['put_on_tower(white block)']),
        ('if there is a banana put it in box 1', []),
        ('If there is a can, give me the apple, otherwise put the pear in box 2.', ['move_to_box_2(pear)']),
        ('If there is a pear, give me the apple, otherwise put the pear in box 2.', ['give(apple)']),
        ('If there is no can, give me the apple. Otherwise, put the pear in box 2.', ['give(apple)']),
        ('If there is a can, give me the apple. Otherwise, put the pear in box 2.', ['move_to_box_2(pear)']),
        ('Put the apple in the bowl if there is a can, otherwise put it in box 2.', ['move_to_box_2(apple)']),
        ('Give me a piece of fruit unless it is an apple.', ['give(pear)']),
        ('Give me one of the fruits.', ['give(apple)']),
        ('Give me a block, the white one, and the pear.', ['give(white block)', 'give(pear)']),
        ('Put the pear into box 1 for me please.', ['move_to_box_1(pear)']),
        ("Put a piece of fruit in box 1 if it's a pear.", ['move_to_box_1(pear)']),
        ('Put the fruit in box 1 unless it is a pear.', ['move_to_box_1(apple)']),
        ('Put the apple in box 1 if there is a pear on the table now.', ['move_to_box_1(apple)']),
        ('Put the apple in box 1 now if there is a banana.', []),
        ('Put the apple then the pear in the bowl', ['place_in_bowl(apple)', 'place_in_bowl(pear)']),
        ('Make a stack of all objects except the pear.', ['put_on_tower(white block)', 'put_on_tower(apple)']),
    ],
)
def test_forms_of_everyday_speech_are_understood(text: str, done: list[str], table: Any) -> None:
    result = run(table, text, 'white block, apple, pear')
    assert [call.strip('<>') for call in result.done] == done
    assert result.finished


def test_what_is_to_be_on_the_table_is_not_read_as_something_for_the_box() -> None:
    reading = read('Put the cup in box 1 and the apple on the table.')
    assert [item.text for directive in reading.program.directives for item in directive.items] == ['the cup']
    assert reading.not_understood == ('the apple on the table',)


def test_how_a_place_should_look_is_not_passed_over(table: Any) -> None:
    assert not run(table, 'Put the red cube on the tower. The tower should be blue.').done


def test_a_list_of_requests_teaches_no_task() -> None:
    assert taught('put the meander in box 2, give me the chandelier, put the sty in box 1.') is None


@pytest.mark.parametrize(
    'text',
    [
        'Put everything except the red and blue cup in box 1.',
        'Put all but the red and blue cup in box 1.',
        'Leave the red and blue cup, put everything else in box 1.',
    ],
)
def test_what_is_spared_is_spared(text: str, table: Any) -> None:
    result = table({'apple': ['red'], 'red cup': ['red'], 'blue cup': ['blue']}, text).run()
    assert all(call == '<move_to_box_1(apple)>' for call in result.done)
