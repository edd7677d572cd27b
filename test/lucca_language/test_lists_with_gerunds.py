"""Lists of what goes where, in which a thing is named by a form of a verb."""

import pytest

from lucca_language.reading.description_parser import parse


@pytest.mark.parametrize('things', ['baking tools', 'serving bowls', 'cooking oils'])
def test_a_gerund_in_a_list_begins_no_order(things):
    found = parse(f'Put plates in box 1, {things} in box 2, and cups on the tower.').directives
    assert [directive.verb for directive in found] == ['put'] * 3


def test_a_verb_that_ends_like_a_gerund_is_an_order():
    assert [directive.verb for directive in parse('Put the cup in box 1 and bring me the pear.').directives] == [
        'put',
        'bring',
    ]
