"""What is other than what was asked for before: the other box, another one, and things that go there as well."""

import pytest
from conversation import ask

TABLE = 'Objects on the table: red cube, blue cube, apple, pear\nIn box 1: none\nIn box 2: none\nIn bowl: none'


@pytest.mark.parametrize(
    ('before', 'said', 'call'),
    [
        ('put the apple in box 1', 'put the pear in the other box', '<do(put the pear in box 2)>'),
        ('put the apple in box 2', 'and the pear in the other box', '<do(put the pear in box 1)>'),
        ('put the apple in the bowl', 'put the pear there too', '<do(put the pear in the bowl)>'),
        ('put the apple in box 1', 'now put the pear in there as well', '<do(put the pear in box 1)>'),
        ('point at the red cube', 'another one, please', '<do(point at the blue cube)>'),
        ('give me the red cube', 'give me another one', '<do(give me the blue cube)>'),
    ],
)
def test_it_is_named(before, said, call):
    assert ask(said, table=TABLE, before=[before]) == call


def test_one_box_and_the_other_are_both_of_them():
    said = 'put the apple in one box and the pear in the other box'
    assert ask(said, table=TABLE) == '<do(put the apple in box 1 and the pear in box 2)>'


@pytest.mark.parametrize(
    ('before', 'said', 'reason'),
    [
        ('give me a cube', 'give me the other one', 'Which one do you mean by “the other one”: red cube or blue cube?'),
        ('give me the apple', 'another one', 'I see no other apple on the table'),
        ('hello', 'put another one in box 2', 'I do not know what “another one” stands for'),
    ],
)
def test_what_is_not_clear_moves_nothing(before, said, reason):
    assert ask(said, table=TABLE, before=[before]).startswith(f'<cannot_do({reason}')


@pytest.mark.parametrize('said', ['I have another one.', 'we took the other box'])
def test_other_texts_stay_as_they_are(said):
    assert not ask(said, table=TABLE, before=['put the apple in box 1']).startswith('<do(')


@pytest.mark.parametrize(
    ('said', 'offered'),
    [('birng me the apple', 'bring me the apple'), ('giv me the pear', 'give me the pear')],
)
def test_a_misspelt_verb_is_asked_about_and_a_yes_is_enough(said, offered):
    asked = ask(said, table=TABLE)
    assert asked.endswith(f'Shall I do it: “{offered}”?)>')
    assert ask('yes', table=TABLE, before=[said], answers=[asked]) == f'<do({offered})>'
