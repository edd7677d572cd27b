"""What a text may be about, among the objects that a conversation's prompt lists."""

import pytest

from lucca_llm.rules.prompts.table_view import read_table_lines


@pytest.mark.parametrize(
    ('listed', 'text', 'known'),
    [
        ('cola', 'a drink', True),
        ('cola', 'a soda', True),
        ('pepsi', 'a drink', True),
        ('pepsi', 'a soda', True),
        ('fanta', 'a drink', True),
        ('apple', 'a snack', True),
        ('apple', 'a drink', False),
        ('hammer', 'a snack', False),
        ('hammer', 'a pen', False),
    ],
)
def test_a_text_may_be_about_an_object_whose_kind_is_uncertain(listed: str, text: str, known: bool) -> None:
    assert read_table_lines([f'Objects on the table: {listed}']).knows(text) is known
