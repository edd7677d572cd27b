"""Notes on what belongs where are read in closed forms only; everything else is left to the reader of descriptions."""

import pytest

from lucca_language.reading.sorting_notes import read_note

PLACES = ('top shelf', 'bottom shelf', 'drawer', 'kitchen counter', 'box 1', 'box 2')


def read_kinds(text: str) -> dict[str, list[str]] | None:
    note = read_note(text, PLACES)
    if note is None:
        return None
    found: dict[str, list[str]] = {}
    for directive in note.directives:
        found.setdefault(' '.join(directive.target.words if directive.target else ()), []).extend(
            item.text for item in directive.items
        )
    return found


@pytest.mark.parametrize(
    ('text', 'kinds'),
    [
        (
            'Put canned food on the top shelf, spices and dried herbs in the drawer.',
            {'top shelf': ['canned food'], 'drawer': ['spices', 'dried herbs']},
        ),
        (
            'Crockery goes in the drawer. Things made of glass belong on the top shelf',
            {'drawer': ['crockery'], 'top shelf': ['things made of glass']},
        ),
        (
            'In the drawer, put cutlery; on the counter, appliances',
            {'drawer': ['cutlery'], 'kitchen counter': ['appliances']},
        ),
        (
            'Could you put perishable foods such as milk in box 1 and clean towels in box 2?',
            {'box 1': ['perishable foods', 'milk'], 'box 2': ['clean towels']},
        ),
        (
            'Put rain boots in box 1, other shoes in box 2 and everything else in the drawer',
            {'box 1': ['rain boots'], 'box 2': ['shoes'], 'drawer': ['everything else']},
        ),
        (
            'As Ana told me on 2026-11-20: put things like “salt and pepper mill” and “wok” in box 1, “fork” in box 2',
            None,
        ),
        (
            'As Ana told me on 2026-11-20: put things like “salt and pepper mill” and “wok” in box 1, '
            'put things like “fork” in box 2',
            {'box 1': ['salt and pepper mill', 'wok'], 'box 2': ['fork']},
        ),
    ],
)
def test_what_a_note_says(text: str, kinds: dict[str, list[str]] | None) -> None:
    assert read_kinds(text) == kinds


@pytest.mark.parametrize(
    'text',
    [
        'Put fruit in box 1',  # one place
        'Put the apple in box 1 and the pear in box 2',  # certain objects
        'Put three apples in box 1 and cans in box 2',
        'Put fruit in box 1 unless it is red, and cans in box 2',
        'Do not put fruit in box 1, put it in box 2',
        'Put fruit in box 1, then cans in box 2 until it is full',
        'Put red fruit in box 1 and yellow fruit in box 2',  # told by their colour
        'Put fruit on the shelf and cans in box 1',  # which shelf?
        'Put fruit in box 1 and cans in box 2, or so I heard',
        'Swap the pear in box 1 with the hammer in box 2',
        'What shall I put in box 1 and what in box 2?',
        '',
    ],
)
def test_what_is_no_note(text: str) -> None:
    assert read_note(text, PLACES) is None


def test_other_ones_are_those_that_no_other_kind_takes() -> None:
    note = read_note('Put rain boots in box 1 and other shoes in box 2', PLACES)
    assert note is not None
    assert [item.is_rest for directive in note.directives for item in directive.items] == [False, True]


def test_first_aid_is_a_name_and_no_order() -> None:
    assert read_note('Put first aid supplies in the drawer and toys on the shelf.', ('drawer', 'shelf')) is not None
    assert read_note('Put the first supplies in the drawer and toys on the shelf.', ('drawer', 'shelf')) is None
