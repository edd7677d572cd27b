"""Clauses that state something, beside clauses that ask."""

import pytest

from lucca_memory.semantic.language.amounts import amounts_in
from lucca_memory.semantic.language.clauses import clauses_by_sentence
from lucca_memory.semantic.language.reading import read, readings_of


def told(text):
    return [clause.text for sentence in clauses_by_sentence(text) for clause in sentence if not clause.asks]


@pytest.mark.parametrize(
    ('text', 'stated'),
    [
        ('My train leaves at six, can you wake me?', ['My train leaves at six']),
        ('I moved the visit to Friday - how should I tell him', ['I moved the visit to Friday']),
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
