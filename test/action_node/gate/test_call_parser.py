"""The parser takes exactly one unambiguous call and answers everything else with a reason code."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from action_node.gate.call_parser import MAX_TEXT_CHARS, parse_action
from lucca_core.codes import ReasonCode
from lucca_core.errors import RefusalError
from lucca_core.protocol.actions import ActionCall

names = st.from_regex(r'[a-z][a-z0-9_]{0,30}', fullmatch=True)
arguments = (
    st.text(st.characters(blacklist_characters='<>()', blacklist_categories=['C', 'Z']) | st.just(' '), min_size=1)
    .map(str.strip)
    .filter(lambda text: bool(text) and text.isprintable() and len(text) <= 80)
)
calls = st.builds(ActionCall, names, arguments)
prose = st.text(st.characters(whitelist_categories=['L', 'N', 'P', 'Z'], blacklist_characters='<>()'), max_size=200)


PARSER_CODES = (ReasonCode.MALFORMED, ReasonCode.SEVERAL_ACTIONS)


def answer_to(text: str) -> ActionCall | ReasonCode:
    try:
        return parse_action(text)
    except RefusalError as refusal:
        return refusal.code


def code_of(text: str) -> ReasonCode:
    with pytest.raises(RefusalError) as refusal:
        parse_action(text)
    str(refusal.value).encode('utf-8')
    return refusal.value.code


@given(calls)
def test_a_written_call_is_read_back_as_it_was(call: ActionCall) -> None:
    assert parse_action(str(call)) == call


@given(prose, calls, prose)
def test_prose_around_one_call_does_not_change_it(before: str, call: ActionCall, after: str) -> None:
    assert parse_action(f'{before}{call}{after}') == call


@given(calls, prose, calls)
def test_two_calls_are_several_actions(first: ActionCall, between: str, second: ActionCall) -> None:
    assert code_of(f'{first}{between}{second}') is ReasonCode.SEVERAL_ACTIONS


@given(st.text(max_size=400))
def test_any_text_gives_a_call_or_a_refusal(text: str) -> None:
    answer = answer_to(text)
    assert str(answer) in text if isinstance(answer, ActionCall) else answer in PARSER_CODES


@given(st.text('<>()ab_ 1\u0430\uff1c\u200b\n', max_size=60))
def test_bracket_soup_gives_a_call_that_stands_in_the_text_or_a_refusal(text: str) -> None:
    answer = answer_to(text)
    if isinstance(answer, ActionCall):
        assert text.count('<') == 1
        assert str(answer) in text
    else:
        assert answer in PARSER_CODES


@pytest.mark.parametrize(
    'text',
    [
        '',
        'move_to_box_1(pear)',
        '<move_to_box_1 pear>',
        '<move_to_box_1(pear)',
        '<<move_to_box_1(pear)>>',
        '<move_to_box_1(<pear)>>',
        '<move_to_box_1((pear))>',
        '<move_to_box_1(pear)(apple)>',
        '<move_to_box_1()>',
        '<move_to_box_1( pear)>',
        '<(pear)>',
        '<Move_To_Box_1(pear)>',
        '<move to box 1(pear)>',
        '<m\u043eve_to_box_1(pear)>',
        '\uff1cmove_to_box_1\uff08pear\uff09\uff1e',
        '<point(pe\u200bar)>',
        '<point(pe\x00ar)>',
        '<point(pe\nar)>',
        '<point(\u202eraep)>',
        '<point(\ud800)>',
        '<point(apple)> then > nothing',
        '<think> <point(apple)>',
        f'<point({"a" * 81})>',
    ],
)
def test_what_is_not_clearly_one_call_is_malformed(text: str) -> None:
    assert code_of(text) is ReasonCode.MALFORMED


@pytest.mark.parametrize(
    'text',
    [
        '<point(apple)><point(pear)>',
        '<point(apple)> and give(pear)',
        '1. <point(apple)>\n2. <finish_task(pointing)>',
        '\uff1cgive(pear)\uff1e <point(apple)>',
    ],
)
def test_a_second_call_in_any_dress_is_several_actions(text: str) -> None:
    assert code_of(text) is ReasonCode.SEVERAL_ACTIONS


def test_a_parenthesis_in_prose_is_no_second_call() -> None:
    assert parse_action('The pear (green) is fruit: <give(pear 2)>.') == ActionCall('give', 'pear 2')


@pytest.mark.parametrize('piece', ['<', '>', '(', ')', '<a(', '<a(b)>', 'x', '\u0430', '\U0001f34e', '<point(apple)> '])
def test_ten_megabytes_of_garbage_are_malformed(piece: str) -> None:
    assert code_of(piece * (10_000_000 // len(piece))) is ReasonCode.MALFORMED


@pytest.mark.parametrize('piece', ['<', '>', '(', ')', '<a(', '<<a(b)', '<>', ')>', '\n<'])
def test_the_longest_text_that_is_read_gives_a_reason_code(piece: str) -> None:
    code_of((piece * MAX_TEXT_CHARS)[:MAX_TEXT_CHARS])
