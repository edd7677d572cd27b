"""What an answer rests on, among the memories that the model was shown."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordinator_node.talk.rests_on import rests_on
from lucca_core.protocol.remembered import Recollection


def said(number, text, speaker='Ana'):
    time = datetime(2026, 11, 20, tzinfo=UTC)
    return Recollection(
        kind='said', item_id=f'said:{number}', text=text, source=speaker, speaker=speaker, time=time, conversation='c'
    )


LINES = (
    'My sister lives in Hamburg with two dogs.',
    'There is something that would have been about right with them.',
    'I have been there with my brother, and that was what they were about.',
    'We were thinking about which film they would have liked.',
    'My aunt lives in Bremen with three cats.',
    'This is what I have after work on most of these days.',
    'I would like to have more time with those who were there.',
)


def test_an_answer_that_quotes_one_line_rests_on_that_line():
    shown = [said(number, text) for number, text in enumerate(LINES)]
    answer = 'You told me that your sister lives in Hamburg with two dogs, and that is what I have about them.'
    assert rests_on(answer, 'What would they have been there with?', shown) == (shown[0],)


def test_an_answer_that_joins_two_lines_rests_on_both():
    shown = [said(number, text) for number, text in enumerate(LINES)]
    answer = 'Your sister is in Hamburg and has two dogs; your aunt has three cats in Bremen.'
    assert rests_on(answer, 'Who in my family has pets?', shown) == (shown[0], shown[4])


def test_words_of_the_question_tell_nothing_and_neither_do_the_robots_own_lines():
    shown = [said(1, 'My boat is red.'), said(2, 'The boat is called Petrel.', speaker='robot')]
    assert rests_on('I do not know how your red boat is called.', 'How is my red boat called?', shown) == ()


@pytest.mark.parametrize(('answer', 'count'), [('See pets.md:3.', 1), ('See another file.', 0)])
def test_a_fact_is_taken_up_by_its_place(answer, count):
    fact = Recollection(kind='fact', item_id='fact:1', text='Dogs bark.', source='pets.md:3')
    assert len(rests_on(answer, 'Do dogs bark?', [fact])) == count


@given(st.lists(st.sampled_from(LINES), min_size=1), st.sampled_from(LINES))
def test_no_two_of_the_same_text_are_taken_up(texts, answer):
    taken = rests_on(answer, '', [said(number, text) for number, text in enumerate(texts)])
    assert len({item.text for item in taken}) == len(taken)
