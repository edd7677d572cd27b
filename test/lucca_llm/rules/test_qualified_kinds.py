"""Kinds named with a quality: objects of the kind that lack it are not put there because of their likeness."""

from typing import Any

import pytest
from said_at_a_table import run

from lucca_llm.rules.kinds.meaning import has_meanings
from lucca_llm.rules.kinds.qualities import rules_out

pytestmark = pytest.mark.skipif(not has_meanings(), reason='all-MiniLM-L6-v2 is not installed')


@pytest.mark.parametrize(
    ('names', 'kind', 'done'),
    [
        # the opposite of the quality
        ('clean shirt, dirty shirt', 'clean clothes', 'clean shirt'),
        ('empty bottle, full bottle', 'empty bottles', 'empty bottle'),
        ('old shoe, new shoe', 'old shoes', 'old shoe'),
        ('big cup, small cup', 'the big cups', 'big cup'),
        ('glass cup, paper cup', 'glass dishes', 'glass cup'),
        ('plastic fork, metal fork', 'plastic cutlery', 'plastic fork'),
        ('dry sock, wet sock', 'clothes that are wet', 'wet sock'),
        ('plastic cup, paper cup, glass cup', 'anything plastic', 'plastic cup'),
        ('ivory shirt, navy shirt', 'light clothes', 'ivory shirt'),
        ('beige sock, burgundy sock', 'dark-colored clothes', 'burgundy sock'),
        # another thing shows the quality
        ('plastic fork, fork', 'plastic cutlery', 'plastic fork'),
        ('soup spoon, dessert spoon', 'soup spoons', 'soup spoon'),
        ('baby shirt, shirt', 'baby clothes', 'baby shirt'),
        ('winter coat, summer dress', 'winter clothes', 'winter coat'),
        ('canned beans, fresh beans', 'canned food', 'canned beans'),
    ],
)
def test_only_what_has_the_quality_is_moved(names: str, kind: str, done: str, table: Any) -> None:
    result = run(table, f'Put {kind} in box 1 and tools in box 2.', f'{names}, hammer')
    assert sorted(result.done) == sorted([f'<move_to_box_1({done})>', '<move_to_box_2(hammer)>'])


def test_what_may_have_the_quality_is_asked_about(table: Any) -> None:
    result = run(table, 'Put plastic cutlery in box 1 and tools in box 2.', 'plastic fork, fork, hammer')
    assert result.end == '<cannot_do(Where does the fork belong?)>'


def test_what_is_like_the_kind_but_has_the_opposite_is_asked_about(table: Any) -> None:
    result = run(table, 'Put wet clothes in box 1 and tools in box 2.', 'wet towel, dry towel, hammer')
    assert result.end == '<cannot_do(Where does the dry towel belong?)>'


def test_a_white_thing_is_not_light_in_weight(table: Any) -> None:
    text = 'Put the light clothes in box 1 and the heavy clothes in box 2.'
    result = run(table, text, 'white shirt, heavy jacket')
    assert result.end == '<cannot_do(Where does the white shirt belong?)>'


@pytest.mark.parametrize(
    ('shown', 'wanted', 'ruled_out'),
    [
        ('white', 'heavy', False),
        ('black', 'light', True),
        ('white', 'dark', True),
        ('white', 'light', False),
        ('light', 'heavy', True),
        ('heavy', 'light', True),
    ],
)
def test_a_colour_shows_a_shade_and_no_weight(shown: str, wanted: str, ruled_out: bool) -> None:
    assert rules_out({shown}, wanted) is ruled_out


def test_what_has_the_opposite_of_it_is_not(table: Any) -> None:
    result = run(table, 'Put empty bottles in box 1 and tools in box 2.', 'empty bottle, full bottle, hammer')
    assert result.finished


def test_a_quality_that_no_name_shows_still_fits_by_likeness(table: Any) -> None:
    result = run(table, 'Put winter clothes in box 1 and tools in box 2.', 'wool scarf, hammer')
    assert '<move_to_box_1(wool scarf)>' in result.done


def test_a_toy_of_a_tool_is_a_toy(table: Any) -> None:
    result = run(table, 'Put toys in box 1 and tools in box 2.', 'toy hammer, hammer')
    assert sorted(result.done) == ['<move_to_box_1(toy hammer)>', '<move_to_box_2(hammer)>']
    assert run(table, 'Put the hammer in box 1.', 'toy hammer').done == ['<move_to_box_1(toy hammer)>']


@pytest.mark.parametrize(
    ('text', 'names', 'moved'),
    [
        ('Put the animals in box 1 and the tools in box 2.', 'toy dog, toy cat, hammer', ['toy dog', 'toy cat']),
        ('Put the toy animals in box 1.', 'toy dog, toy ambulance', ['toy dog']),
        ('Put the fruit in box 1.', 'toy apple, toy banana', ['toy apple', 'toy banana']),
    ],
)
def test_where_there_is_no_real_one_a_toy_stands_for_it(text: str, names: str, moved: list[str], table: Any) -> None:
    done = run(table, text, names).done
    assert [call for call in done if 'box_1' in call] == [f'<move_to_box_1({name})>' for name in moved]


@pytest.mark.parametrize('text', ['Clean clothes go in box 1.', 'Put clean clothes in box 1.'])
def test_a_quality_may_look_like_a_verb(text: str, table: Any) -> None:
    result = run(table, text, 'clean shirt, dirty shirt, hammer')
    assert result.done == ['<move_to_box_1(clean shirt)>']
    assert result.finished


@pytest.mark.parametrize('text', ['Clean the cup.', 'Put the hammer in box 1 and clean the cup.'])
def test_cleaning_is_still_no_action(text: str, table: Any) -> None:
    assert run(table, text, 'clean cup, hammer').end.startswith('<cannot_do(')
