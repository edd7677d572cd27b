"""Things for different places: each has its own, and only those that are meant are moved."""

import pytest
from conversation import ask

TABLE = (
    'Objects on the table: red cube, blue cube, green cube, apple (red), pear (green)\n'
    'In box 1: none\nIn box 2: none\nIn box 3: none'
)


THREE = 'put the red cube in box 1 and the blue cube in box 2 and the green cube in box 3'


@pytest.mark.parametrize(
    ('text', 'wish'),
    [
        ('put the apple and the pear in different boxes', 'put the apple in box 1 and the pear in box 2'),
        ('put all three cubes in different boxes', THREE),
        ('put the cubes each in a different box', THREE),
    ],
)
def test_each_thing_has_a_place_of_its_own(text: str, wish: str) -> None:
    assert ask(text, table=TABLE) == f'<do({wish})>'


@pytest.mark.parametrize('what', ['both cubes', 'the two cubes'])
def test_a_number_that_does_not_fit_is_asked_about(what: str) -> None:
    answer = ask(f'put {what} in different boxes', table=TABLE)
    assert answer == f'<cannot_do(Which ones do you mean by “{what}”? I see red cube, blue cube and green cube)>'
