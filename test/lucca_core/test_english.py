import pytest

from lucca_core.english import and_list, at_place, cut, with_article


@pytest.mark.parametrize(
    ('names', 'phrase'), [([], ''), (['a'], 'a'), (['a', 'b'], 'a and b'), (['a', 'b', 'c'], 'a, b and c')]
)
def test_names_make_one_phrase(names, phrase):
    assert and_list(names) == phrase


def test_a_numbered_place_has_no_article():
    assert [with_article(name) for name in ('box 1', 'bowl')] == ['box 1', 'the bowl']


@pytest.mark.parametrize(
    ('place', 'where'),
    [
        ('', ''),
        ('table', 'on the table'),
        ('tower', 'on the tower'),
        ("user's side", "at the user's side"),
        ('box 2', 'in box 2'),
        ('bowl', 'in the bowl'),
    ],
)
def test_a_place_has_its_preposition(place, where):
    assert at_place(place) == where


def test_a_text_that_is_too_long_ends_in_an_ellipsis():
    assert [cut(text, 3) for text in ('abc', 'abcd')] == ['abc', 'ab…']
