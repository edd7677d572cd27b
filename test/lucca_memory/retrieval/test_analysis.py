"""Words, and what a sentence tells."""

import pytest

from lucca_memory.retrieval.analysis import (
    asks_of_past,
    asks_of_state,
    asks_when,
    counted_terms,
    estimated_tokens,
    key_of,
    says_it_is_over,
    speaks_of_time,
    terms_of,
    told_share,
    words_of,
)


def test_words_are_lower_case_and_without_possessive():
    assert words_of("Anna’s CAT isn't here, 2 dogs are.") == ['anna', 'cat', "isn't", 'here', '2', 'dogs', 'are']


def test_forms_of_a_word_share_a_key_and_function_words_have_none():
    assert key_of('painting') == key_of('painted') == key_of('paints')
    assert key_of('paint') != key_of('print')
    assert key_of('the') == 0
    assert terms_of('The cat and the cats') == [key_of('cat')] * 2
    assert counted_terms('cat cats dog')[key_of('cat')] == 2


def test_keys_are_the_same_in_every_process():
    assert key_of('cat') == 1843079001574132759
    assert key_of('cat') < 2**63


@pytest.mark.parametrize(('text', 'share'), [('I paint.', 1.0), ('Do you paint?', 0.0), ('', 1.0), ('I do. You?', 0.5)])
def test_questions_tell_nothing(text, share):
    assert told_share(text) == pytest.approx(share)


@pytest.mark.parametrize('text', ['I went yesterday', 'on 3 May 2024', 'last Friday', 'in March, April'])
def test_times_are_noticed(text):
    assert speaks_of_time(text)


@pytest.mark.parametrize('text', ['I may go', 'We march on', 'the lasting one', ''])
def test_words_that_look_like_times_are_none(text):
    assert not speaks_of_time(text)


@pytest.mark.parametrize(
    'text', ['When did I go?', 'What year was it?', 'How long ago did we meet', 'Tell me when is it']
)
def test_asking_when(text):
    assert asks_when(text)


@pytest.mark.parametrize('text', ['What did I say when we met?', 'Where?', ''])
def test_not_asking_when(text):
    assert not asks_when(text)


@pytest.mark.parametrize(
    ('text', 'over'),
    [
        ('Previously the key hung in the hall.', True),
        ('The old pump was replaced by a new one.', True),
        ('We no longer heat with oil.', True),
        ('The new pump replaced the old one.', False),
        ('I used the drill.', False),
    ],
)
def test_a_text_may_say_of_itself_that_it_is_over(text, over):
    assert says_it_is_over(text) is over


def test_tokens_are_never_none():
    assert estimated_tokens('') == 1
    assert estimated_tokens('x' * 400) == 101


@pytest.mark.parametrize(
    'text',
    [
        'What is my API quota?',
        'How many problems have I completed?',
        'When is my call?',
        'What is the deadline of the first sprint?',
        'How far did I run in total?',
        'my gym hours',
        'What time should I be at the dentist?',
        'When can I pick up the car?',
    ],
)
def test_questions_for_what_has_one_value_at_a_time(text):
    assert asks_of_state(text)


@pytest.mark.parametrize(
    'text',
    [
        'What did I do in Kiel?',
        'Where did I live before?',
        'What was my first car?',
        'Which library should I use?',
        'Please tell me the story of my boat.',
        'How do I bake bread?',
    ],
)
def test_questions_for_events_advice_and_the_past_are_not_about_a_state(text):
    assert not asks_of_state(text)


def test_an_ordinal_is_not_the_past():
    assert asks_of_past('What was the first plan?')
    assert not asks_of_past('When does the first sprint end?')
