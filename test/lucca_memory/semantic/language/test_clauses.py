"""Clauses that state something, beside clauses that ask."""

import pytest

from lucca_memory.semantic.language.amounts import amounts_in
from lucca_memory.semantic.language.clauses import clauses_by_sentence, told_before_asked
from lucca_memory.semantic.language.reading import read, readings_of


def told(text):
    return [clause.text for sentence in clauses_by_sentence(text) for clause in sentence if not clause.asks]


@pytest.mark.parametrize(
    ('text', 'stated'),
    [
        ('My train leaves at six, can you wake me?', ['My train leaves at six']),
        ('I moved the visit to Friday - how should I tell him?', ['I moved the visit to Friday']),
        ('My rent is 900 euros, so what do you think?', ['My rent is 900 euros']),
        ('Is my train at six?', []),
        ('Should I go at five, or is it better at six?', []),
        ('If my train leaves at six, can you wake me?', []),
        ('So the visit is on Friday?', []),
        ('My sister, who is a nurse, lives in Ulm.', ['My sister, who is a nurse, lives in Ulm.']),
    ],
)
def test_what_is_told_before_a_question_is_stated(text, stated):
    assert told(text) == stated


@pytest.mark.parametrize(
    'text',
    [
        'The tent, what is left of it, lies in the cellar.',
        'My aunt, when can you believe it she was ninety, still rode her bike.',
        'The recipe says how long it takes: how much does not matter.',
        'I told him so and how do you think he laughed.',
    ],
)
def test_a_sentence_without_a_question_mark_is_not_cut(text):
    told_words = ' '.join(told(text)).split()
    assert [word.strip('.,:') for word in told_words] == [word.strip('.,:') for word in text.split()]


@pytest.mark.parametrize(
    'text',
    ['My visit is on Friday, is that right?', 'The kiln is in Ulm, am I right?', 'It costs 40 euros, did I get that?'],
)
def test_what_a_question_puts_in_doubt_is_not_stated(text):
    assert told(text) == []


@pytest.mark.parametrize(
    'text',
    [
        'Good morning dear robot of mine, can you help me?',
        'My dear little robots, can you help me?',
        'Bring me the cup on the left, can you do that?',
        'Thanks a lot for your help, what can I do?',
        'You are a great help, can you do it again?',
        'Please look at the box on the table, what is in it?',
        "Let's say five to six, is it too late?",
    ],
)
def test_greetings_and_orders_before_a_question_state_nothing(text):
    assert told_before_asked(text) == []


@pytest.mark.parametrize(
    ('text', 'stated'),
    [
        ('Good evening, my sister lives in Ulm, can you tell her?', 'my sister lives in Ulm'),
        ('Dinner is at seven, can you set the table?', 'Dinner is at seven'),
        ('Tom gave her 40 euros, what should I do?', 'Tom gave her 40 euros'),
        ('On Friday we moved to Ulm, can you remember that?', 'On Friday we moved to Ulm'),
    ],
)
def test_statements_before_a_question_are_found(text, stated):
    assert any(clause.endswith(stated) for clause in told_before_asked(text))


def test_a_question_beside_a_statement_has_no_reading():
    assert [reading.words[-1].lower for reading in readings_of('My train leaves at 6:40, can you wake me?')] == ['6:40']


@pytest.mark.parametrize(
    ('text', 'types'),
    [
        ('The visit is on 15 March at 4 PM.', ['date']),
        ('It costs $250 from April 15.', ['money', 'date']),
        ('It takes 20 minutes for 3 rooms.', ['number', 'number']),
        ('The course starts at 5 PM.', ['time']),
        ('I went there in 2019.', ['date']),
        ('Ada lives in Bonn.', []),
    ],
)
def test_a_date_with_its_time_is_one_value(text, types):
    assert [amount.type for amount in amounts_in(read(text))] == types


def test_a_unit_in_the_same_word_counts_the_same():
    one, two = (amounts_in(read(text))[0] for text in ('The break is 15-minute long.', 'The break takes 20 minutes.'))
    assert one.units & two.units
