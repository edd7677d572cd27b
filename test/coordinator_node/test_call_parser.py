import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordinator_node.call_parser import NotACall, is_reserved, read_call, settling
from lucca_core.protocol.actions import ActionCall
from lucca_core.protocol.retrieved import OpenIntent
from lucca_core.protocol.snapshots import Snapshot

NAMES = st.from_regex(r'[a-z][a-z_0-9]{0,20}', fullmatch=True)
ARGUMENTS = st.text(st.characters(exclude_characters='<>', exclude_categories=('C', 'Z')), min_size=1, max_size=40)


@given(NAMES, ARGUMENTS)
def test_a_call_is_read_back(name, argument):
    call = ActionCall(name, argument)
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
        read_call(f'{ActionCall(name, argument)} {ActionCall(other, further)}', 2000)


@pytest.mark.parametrize(
    'text', ['<move(x)', 'move(x)', '<move x>', '<(x)>', '<mo ve(x)>', '<<move(x)>>', '<move(x\ny)>']
)
def test_what_is_nearly_a_call_is_none(text):
    with pytest.raises(NotACall):
        read_call(text, 2000)


def test_the_coordinators_own_calls_are_known():
    assert is_reserved(ActionCall('finish_task', 'sorting'))
    assert not is_reserved(ActionCall('move_to_box_1', 'pear'))


def test_an_open_intent_is_asked_about_under_the_name_that_its_object_has_now():
    intent = OpenIntent(intent_id=5, action='<move_to_box_1(pear)>', object_id='1', object_name='pear 2')
    request = settling('sorting', intent, ('move_to_box_1',), Snapshot())
    assert (request.settle_intent_id, request.text, request.task) == (5, '<move_to_box_1(pear 2)>', 'sorting')
    unseen = settling('sorting', OpenIntent(intent_id=5, action='<point(pear)>'), (), Snapshot())
    assert unseen.text == '<point(pear)>'
