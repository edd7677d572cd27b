from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from lucca_core.protocol.snapshots import TableObject
from lucca_llm.prompt_text import described, harmless

APPLE = TableObject(object_id='1', name='apple', label='apple', attributes=('red',))
CUBE = TableObject(object_id='2', name='red cube', label='cube', attributes=('red',), container='tower')


def test_attributes_stand_in_parentheses_unless_the_name_has_them():
    assert described(APPLE) == 'apple (red)'
    assert described(CUBE) == 'red cube'
    assert described(replace(APPLE, attributes=('red', 'round'), name='round apple')) == 'round apple (red)'


@given(st.text(), st.text())
def test_labels_never_bring_lines_or_brackets_into_a_prompt(name, attribute):
    text = described(TableObject(object_id='1', name=name, label='x', attributes=(attribute,)))
    assert not set(text) & set('<>\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029')
    assert len(text.splitlines()) <= 1


@given(st.text(max_size=5000), st.integers(2, 500))
def test_harmless_is_bounded_and_stable(text, size):
    once = harmless(text, size)
    assert len(once) <= size
    assert harmless(once, size) == once
