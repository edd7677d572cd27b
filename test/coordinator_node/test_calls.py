import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordinator_node.calls import Call, NotACall, is_reserved, read_call

NAMES = st.from_regex(r'[a-z][a-z_0-9]{0,20}', fullmatch=True)
ARGUMENTS = st.text(st.characters(exclude_characters='<>', exclude_categories=('C', 'Z')), min_size=1, max_size=40)


@given(NAMES, ARGUMENTS)
def test_a_call_is_read_back(name, argument):
    call = Call(name, argument)
    assert read_call(f' {call}\n', 2000) == call


@given(st.text(max_size=200))
def test_any_text_is_a_call_or_a_reason(text):
    try:
        call = read_call(text, 100)
    except NotACall as error:
        assert error.code in str(error)  # noqa: PT017
    else:
        assert call.name
        assert call.argument == call.argument.strip() != ''


@given(NAMES, ARGUMENTS, NAMES, ARGUMENTS)
def test_two_calls_are_never_read_as_one(name, argument, other, further):
    with pytest.raises(NotACall, match='several_actions: it holds 2 calls'):
        read_call(f'{Call(name, argument)} {Call(other, further)}', 2000)


@pytest.mark.parametrize(
    'text', ['<move(x)', 'move(x)', '<move x>', '<(x)>', '<mo ve(x)>', '<<move(x)>>', '<move(x\ny)>']
)
def test_what_is_nearly_a_call_is_none(text):
    with pytest.raises(NotACall):
        read_call(text, 2000)


def test_the_coordinators_own_calls_are_known():
    assert is_reserved(Call('finish_task', 'sorting'))
    assert not is_reserved(Call('move_to_box_1', 'pear'))
