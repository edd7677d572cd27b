"""One object of several is never guessed, whatever wording, pronoun or missing article stands for it."""

from typing import Any

import pytest

from lucca_language.reading.selectors import ListedObject
from lucca_llm.rules.plans.planning import make_plan
from lucca_llm.rules.prompts.action_matching import ActionText
from lucca_llm.rules.prompts.task_plan import ReportedState
from lucca_llm.rules.utterances.descriptions import read_description

CUBES = 'red cube, blue cube, green cube'
CUPS = 'wide green cup, thin green cup'
TOYS = 'red teddy bear, red doll'
TOOLS = 'black hammer, black screwdriver'


def run(table: Any, text: str, names: str) -> Any:
    return table({name: [] for name in names.split(', ')}, text).run()


@pytest.mark.parametrize(
    ('text', 'names', 'asked'),
    [
        ('Grab the cube & place in the bowl.', CUBES, 'the cube'),
        ('Pick up the cube and put it in box 1.', CUBES, 'the cube'),
        ('Collect the cube and leave in box 1.', CUBES, 'the cube'),
        ('Take the cube and put it in box 1.', CUBES, 'the cube'),
        ('Take cube and put it in box 1.', CUBES, 'cube'),
        ('Take the cube and put them in box 1.', CUBES, 'the cube'),
        ('Take the cube and the apple and put them in box 1.', f'{CUBES}, apple', 'the cube'),
        ('Look for the cube. Put it in box 1.', CUBES, 'the cube'),
        ('Find the cube and put it in box 1.', CUBES, 'the cube'),
        ('Do not put the cube in box 1, put it in box 2.', CUBES, 'the cube'),
        ('Take the cube and put a cube in box 1.', CUBES, 'the cube'),
        ('Take the cube and put it in box 1, then put a cube in box 2.', CUBES, 'the cube'),
        ('Take the drink and put it in box 1.', 'orange soda, pepsi', 'the drink'),
        ('Grab the can and put it in box 1.', 'can of beans, can of corn, can', 'the can'),
    ],
)
def test_what_a_pronoun_stands_for_is_asked_about(text: str, names: str, asked: str, table: Any) -> None:
    result = run(table, text, names)
    assert result.done == []
    assert f'"{asked}" may be ' in result.end


@pytest.mark.parametrize(
    ('text', 'names', 'done'),
    [
        ('Take the red cube and put it in box 1.', CUBES, ['move_to_box_1(red cube)']),
        ('Take a cube and put it in box 1.', CUBES, ['move_to_box_1(red cube)']),
        ('Take the cube and put the blue cube in box 1.', CUBES, ['move_to_box_1(blue cube)']),
        ('Take the cube and put it in box 1.', 'red cube, apple', ['move_to_box_1(red cube)']),
        ('Take the cubes & put them in box 1.', 'red cube, blue cube',
         ['move_to_box_1(red cube)', 'move_to_box_1(blue cube)']),
        ('Put the red cube in box 1, then take the apple & hand it to me.', 'red cube, apple',
         ['move_to_box_1(red cube)', 'give(apple)']),
    ],
)  # fmt: skip
def test_what_a_pronoun_certainly_stands_for_is_taken(text: str, names: str, done: list[str], table: Any) -> None:
    result = run(table, text, names)
    assert result.done == [f'<{call}>' for call in done]
    assert result.finished


@pytest.mark.parametrize(
    ('text', 'names', 'asked'),
    [
        ('Take the green cup and put it in box 1, then put fruit in the bowl.', f'{CUPS}, pear', 'the green cup'),
        ('Put only the red toy in box 1 and fruit in box 2.', f'{TOYS}, pear', 'only the red toy'),
        ('Put just the red toy in box 1 and fruit in box 2.', f'{TOYS}, pear', 'just the red toy'),
        ('Take the tool and put it in box 1, then put green cup in box 2.', f'hammer, {CUPS}', 'green cup'),
        ('Put green cup in box 1. Do not put toys in box 2.', f'{CUPS}, doll', 'green cup'),
        ('Give me black tool and put red toy in box 1.', f'{TOOLS}, {TOYS}', 'black tool'),
        ('Give me green cup and put toys in box 1.', f'{CUPS}, doll', 'green cup'),
        ('Put red toy in box 1 and green cup in box 2.', f'red doll, {CUPS}', 'green cup'),
        ('Put green cup in box 1 and toys into box 1.', f'{CUPS}, doll', 'green cup'),
        ('Put toy in box 1.', TOYS, 'toy'),
        ('Give me tool.', TOOLS, 'tool'),
        ('Put tool in box 1 and green cup in box 2.', f'hammer, {CUPS}', 'green cup'),
        ('Put block in box 1.', 'red block, blue block', 'block'),
        ('Put green cup in box 1 and toys in box 2.', f'{CUPS}, {TOYS}', 'green cup'),
        ('Put toys in box 2 and green cup in box 1.', f'{CUPS}, {TOYS}', 'green cup'),
        ('Put toys in box 2. Put cup in box 1.', f'{CUPS}, {TOYS}', 'cup'),
        ('Put toy in box 2 and cup in box 1.', f'{CUPS}, doll', 'cup'),
        ('Put dumbbell in box 1.', 'red dumbbell, blue dumbbell', 'dumbbell'),
        ('Give me red dumbbell.', 'big red dumbbell, small red dumbbell', 'red dumbbell'),
        ('Take dumbbell and put it in box 1.', 'red dumbbell, blue dumbbell', 'dumbbell'),
        ('Bring me that snack.', 'apple, orange, jalapeno chips', 'that snack'),
        ('Bring me the snack.', 'walnut, cracker', 'the snack'),
        ('Put the toy in box 1.', 'doll, tennis racket', 'the toy'),
        ('Put white object in box 1 and toys in box 2.', f'white pot, white mug, {TOYS}', 'white object'),
    ],
)
def test_one_object_beside_kinds_is_asked_about(text: str, names: str, asked: str, table: Any) -> None:
    result = run(table, text, names)
    assert result.done == []
    assert f'"{asked}" may be ' in result.end


@pytest.mark.parametrize(
    ('text', 'names'),
    [
        ('Put black tool in box 1 and red toy in box 2.', f'{TOOLS}, {TOYS}'),
        ('Put toy in box 1 and tool in box 2.', f'{TOOLS}, {TOYS}'),
        ('Put toy in box 1 and fruit in the bowl.', f'{TOYS}, pear, apple'),
        ('Put red toy in box 1 and fruit in the bowl.', f'{TOYS}, pear, apple'),
        ('Put cups in box 1 and toys in box 2.', f'{CUPS}, {TOYS}'),
        ('Put green cups in box 1 and toys in box 2.', f'{CUPS}, {TOYS}'),
        ('Put flour in box 1 and toys in box 2.', f'almond flour, cake flour, {TOYS}'),
        ('Put toys in box 2 and white soap in box 1.', f'white hand soap, white dish soap, {TOYS}'),
        ('Cups in box 1, toys in box 2.', f'{CUPS}, {TOYS}'),
        ('Put dumbbells in box 1 and toys in box 2.', f'red dumbbell, blue dumbbell, {TOYS}'),
        ('Put fruit in the bowl.', 'apple, pear'),
        ('Put kitchen ware in box 1.', CUPS),
        ('Give me cash.', 'coin, banknote'),
    ],
)
def test_kinds_for_several_places_and_mass_nouns_are_all_of_them(text: str, names: str, table: Any) -> None:
    result = run(table, text, names)
    assert len(result.done) == len(names.split(', '))
    assert result.finished


def test_an_example_names_no_object_of_several() -> None:
    listed = tuple(map(ListedObject, ('banana', 'banana 2', 'hammer')))
    places = ('box 1', 'box 2')
    told = 'As Ana told me: put things like “banana” in box 1, put things like “hammer” in box 2.'
    actions = tuple(
        ActionText(f'move_to_{place.replace(" ", "_")}', f'Puts an object into {place}.') for place in places
    )
    situation = ReportedState(on_table=listed, actions=actions, places=places)
    plan = make_plan(read_description(told, '', listed, places).program, situation)
    assert plan.ambiguous == ()
    assert len(plan.to_do) == 3


@pytest.mark.parametrize(
    'text',
    [
        'Put the block that is red and blue in box 1.',
        'Put the wooden red and blue block in box 1.',
        'Put your red and blue block in box 1.',
        'Put our red and blue block in box 1.',
        'Put one red and blue block in box 1.',
        'Put the single red and blue block in box 1.',
        'Put the red, blue block in box 1.',
        'Give me the block with the colours red and blue.',
        'Take the red and blue block and put it in box 1.',
        'Put only the red and blue block in box 1.',
        'Give me a block that is red and blue.',
    ],
)
def test_one_thing_of_two_colours_is_no_thing_of_one_of_them(text: str, table: Any) -> None:
    result = run(table, text, 'wooden red block, green block')
    assert result.done == []
    assert result.end.startswith('<cannot_do(')


@pytest.mark.parametrize(
    ('text', 'names', 'done'),
    [
        ('Put the red and blue blocks in box 1.', 'red block, blue block, white block', ['red block', 'blue block']),
        ('Put the objects that are red and blue in box 1.', 'red cup, blue can, pear', ['red cup', 'blue can']),
        ('Put the objects that are red, white and blue in box 1.', 'red cup, white cup, blue can, pear',
         ['red cup', 'white cup', 'blue can']),
        ('Put the red and the blue block in box 1.', 'red block, blue block, white block', ['red block', 'blue block']),
        ('Put all things that are red coloured cubes in box 1.', 'red cube, blue cube, red cup', ['red cube']),
        ('Put everything that is a black coloured cube in box 1.', 'black cube, blue cube', ['black cube']),
    ],
)  # fmt: skip
def test_colours_of_several_things_are_alternatives(text: str, names: str, done: list[str], table: Any) -> None:
    result = run(table, text, names)
    assert result.did('move_to_box_1') == done
    assert result.finished


@pytest.mark.parametrize(
    'text',
    [
        'Put two red and blue blocks in box 1.',
        'Give me two red and blue blocks.',
        'Take two red and blue blocks and put them in box 1.',
        'Put any two red and blue blocks in box 1.',
        'Put two blocks that are red and blue in box 1.',
        'Put three red, white and blue blocks in box 1.',
    ],
)
def test_how_many_of_each_colour_are_meant_is_not_guessed(text: str, table: Any) -> None:
    result = run(table, text, 'red block, blue block, white block, green block')
    assert result.done == []
    assert result.end.startswith('<cannot_do(')


@pytest.mark.parametrize(
    ('text', 'done'),
    [
        ('Put the two red and blue blocks in box 1.', ['red block', 'blue block']),
        ('Put both red and blue blocks in box 1.', ['red block', 'blue block']),
    ],
)
def test_a_number_of_things_of_two_colours_is_taken_where_it_is_clear(text: str, done: list[str], table: Any) -> None:
    result = run(table, text, 'red block, blue block, white block')
    assert result.did('move_to_box_1') == done
    assert result.finished


@pytest.mark.parametrize(
    'text',
    [
        "Hand me the cup, I'm getting the mug. Put it in box 1.",
        'Hand me the cup while I get the mug. Put it in box 1.',
        "I'll get the mug. Hand me the cup. Then put it in box 1.",
    ],
)
def test_what_it_is_behind_a_thing_of_the_speakers_is_not_guessed(text: str, table: Any) -> None:
    assert run(table, text, 'cup, mug').done == []


@pytest.mark.parametrize(
    'text',
    [
        'Take the cup from table 2 and put it in box 1.',
        'Take the cup from the table 2 and put it in box 1.',
        'Take the cup from table number 2 and put it in box 1.',
        'Take the cup from table no. 2 and put it in box 1.',
        'Take the cup from table two and put it in box 1.',
        'Take the cup off the table 2 and put it in box 1.',
        'Keep the cup off the table and put the apple in box 1.',
        'Take the cup and keep it off the table.',
        'Push the cup off the table.',
        'Put the cup off the table.',
        'Put the cup from table b in box 1.',
        'Put the cup on the table 2 in box 1.',
        'Give me the cup from table #2.',
        'Give me the cup taken from table 2.',
    ],
)
def test_another_place_than_the_table_is_not_passed_over(text: str, table: Any) -> None:
    for names in ('cup, cup 2', 'cup, apple'):
        result = run(table, text, names)
        assert result.done == []
        assert result.end.startswith('<cannot_do(')


@pytest.mark.parametrize(
    'text',
    [
        'Take the cup from table and put it in box 1.',
        'Take from the table one cup and put it in box 1.',
        'Take from the table 1 cup and put it in box 1.',
        'Put the cup on the table in box 1.',
        'Grab the cup from the table and put it in box 1.',
        'Take the cup off the table and put it in box 1.',
        'Get the cup off of the table, then put it in box 1.',
        'Pick the cup up off the table and put it in box 1.',
        'Carry the cup off the table and put it in box 1.',
        'Lift the cup off the table and put it in box 1.',
    ],
)
def test_the_table_itself_is_where_things_are(text: str, table: Any) -> None:
    assert run(table, text, 'cup, apple').done == ['<move_to_box_1(cup)>']


@pytest.mark.parametrize(
    ('text', 'names', 'done'),
    [
        ('Put the apple in box 1 and give me the snack.', 'chips, apple', ['move_to_box_1(apple)', 'give(chips)']),
        ('Give me the snack and put the apple in box 1.', 'chips, apple', ['give(chips)', 'move_to_box_1(apple)']),
        ('Put the apple in box 1 and give me the snack.', 'chips, apple, orange', []),
        ('Put an apple in box 1 and give me the snack.', 'chips, apple, red apple', []),
        ('Point at the apple and give me the snack.', 'chips, apple', []),
    ],
)
def test_what_another_part_of_a_request_takes_is_not_asked_about(
    text: str, names: str, done: list[str], table: Any
) -> None:
    assert run(table, text, names).done == [f'<{call}>' for call in done]


def test_a_letter_that_is_a_name_ends_a_sentence(table: Any) -> None:
    assert run(table, 'Hand me the block with an A.', 'block, cup').done == ['<give(block)>']
    assert run(table, 'Hand me the block with a.', 'block, cup').done == []
    assert run(table, 'PUT THE BLOCK IN BOX 1 AND HAND ME A.', 'block, cup').done == []


@pytest.mark.parametrize(
    ('text', 'names', 'done'),
    [
        ('Bring me a cola.', 'orange soda, lemon soda', []),
        ('Bring me a cola.', 'orange soda, cola', ['give(cola)']),
        ('Bring me a soda.', 'cola, apple', ['give(cola)']),
        ('Bring me the soda.', 'cola, apple', ['give(cola)']),
        ('Bring me a pop.', 'cola, apple', ['give(cola)']),
        ('Bring me a soft drink.', 'cola, apple', ['give(cola)']),
        ('Bring me the soda.', 'cola, orange soda', []),
        ('Bring me the drink.', 'cola, apple', ['give(cola)']),
        ('Put the sodas in box 1.', 'cola, orange soda', ['move_to_box_1(cola)', 'move_to_box_1(orange soda)']),
    ],
)
def test_a_cola_is_a_soda_but_a_soda_is_no_cola(text: str, names: str, done: list[str], table: Any) -> None:
    assert run(table, text, names).done == [f'<{call}>' for call in done]


@pytest.mark.parametrize('said', ['grab', 'take', 'choose', 'pick up', 'grasp'])
def test_a_verb_for_picking_up_is_done_by_an_action_that_only_picks_up(said: str) -> None:
    actions = (ActionText('pick_up', 'Pick up an object.'), ActionText('give', 'Hand an object to the user.'))
    here = (ListedObject('red cube'), ListedObject('apple'))
    program = read_description(f'{said} the apple', '', here, ()).program
    assert make_plan(program, ReportedState(on_table=here, actions=actions)).to_do == (('pick_up', 'apple'),)
