"""Questions made ready: whom they are about, without names, in the first person."""

import pytest

from lucca_memory.retrieval.phrasing import MOST_SENTENCES, phrase


@pytest.mark.parametrize(
    ('text', 'cut', 'first'),
    [
        ('What did Caroline research?', 'What did research?', 'What did I research?'),
        ("What is Caroline's identity?", 'What is identity?', 'What is my identity?'),
        ('Where has Caroline lived?', 'Where has lived?', 'Where have I lived?'),
        ('Is it true that Caroline is ill?', 'Is it true that is ill?', 'Is it true that I am ill?'),
        ('How old is caroline?', 'How old is?', 'How old am I?'),
    ],
)
def test_the_one_who_is_named_speaks(text, cut, first):
    phrasing = phrase(text, ['Caroline', 'Melanie'])
    assert (phrasing.speakers, phrasing.without_names, phrasing.first_person) == (('Caroline',), cut, first)


@pytest.mark.parametrize(
    ('text', 'first'),
    [
        ('Why is Bo angry with Anna?', 'Why am I angry with Anna?'),
        ('Where did anna and Bo meet?', 'Where did I and Bo meet?'),
        ("Which of Lee's books has Anna read?", 'Which of my books has Anna read?'),
    ],
)
def test_of_several_names_the_first_one_speaks(text, first):
    phrasing = phrase(text, ['Anna', 'Bo', 'Max Lee'])
    assert len(phrasing.speakers) == 2
    assert phrasing.first_person == first
    assert not {'anna', 'bo', 'lee'} & set(phrasing.without_names.lower().split())


def test_pronouns_mean_asker_and_robot():
    assert phrase('What did I say?', ['Anna', 'robot'], asker='Anna', robot='robot').speakers == ('Anna',)
    assert phrase('What did you say?', ['Anna', 'robot'], asker='Anna', robot='robot').speakers == ('robot',)
    assert phrase('Did I tell you?', ['Anna', 'robot'], asker='Anna', robot='robot').speakers == ('Anna',)
    assert phrase('What did I say?', ['Bo'], asker='Anna').speakers == ()


@pytest.mark.parametrize(
    ('text', 'about', 'cut', 'first'),
    [
        ('What did Anna buy?', ('Anna Smith', 'Anna Smith and Bo Lee'), 'What did buy?', 'What did I buy?'),
        ('What did Anna Smith buy?', ('Anna Smith',), 'What did buy?', 'What did I buy?'),
        ("What is Franzblau's job?", ('Dr. Franzblau',), 'What is job?', 'What is my job?'),
        ('Is Anna rich?', ('Anna Smith', 'Anna Smith and Bo Lee'), 'Is rich?', 'am I rich?'),
    ],
)
def test_a_word_of_a_name_names_everybody_who_has_it(text, about, cut, first):
    phrasing = phrase(text, ['Anna Smith', 'Dr. Franzblau', 'Anna Smith and Bo Lee', 'Max'])
    assert (phrasing.speakers, phrasing.without_names, phrasing.first_person) == (about, cut, first)


@pytest.mark.parametrize('text', ['Is there a rose?', 'Is Dr. Lee ill?', 'Will it rain?', 'What happened at the end?'])
def test_a_common_word_a_title_or_a_number_names_nobody(text):
    assert phrase(text, ['Rose Hill', 'Dr. May', 'Will Grey', 'The Guest 2']).speakers == ()


def test_a_word_that_is_somebodys_whole_name_names_nobody_else():
    assert phrase('What did Anna say?', ['Anna', 'Anna 2', 'Anna Smith']).speakers == ('Anna',)
    assert phrase('What did Anna 2 say?', ['Anna', 'Anna 2']).speakers == ('Anna 2',)


def test_part_of_a_word_is_no_name():
    assert phrase('What about the Annalist and Bob?', ['Anna', 'Bo']).speakers == ()


@pytest.mark.parametrize('name', ['a+b(', '.*', '\\', 'x' * 5000, '🙂', "D'Arcy", 'two words'])
def test_names_are_no_patterns(name):
    assert phrase(f'What did {name} say?', [name]).speakers == (name,)
    assert phrase('What was said?', [name]).speakers == ()


def test_a_question_that_is_only_a_name_stays():
    assert phrase('Anna', ['Anna']).without_names == 'Anna'
    assert phrase('', ['Anna']).without_names == ''


@pytest.mark.parametrize(
    ('text', 'about', 'own'),
    [
        ('Which film did you recommend to me?', 'robot', False),
        ('What was on the list you gave me for my trip?', 'robot', False),
        ('How old are you?', 'robot', False),
        ('Could you tell me where I parked?', 'Anna', True),
        ('Can you list the painters?', 'Anna', True),
        ('When does the gym open?', 'Anna', True),
    ],
)
def test_a_question_that_names_nobody_is_about_the_asker_unless_it_asks_what_the_robot_said(text, about, own):
    phrasing = phrase(text, ['Anna', 'robot'], asker='Anna', robot='robot')
    assert (phrasing.speakers, phrasing.own) == ((about,), own)


@pytest.mark.parametrize(
    ('text', 'about'),
    [
        ('Which boat did we talk about?', ()),
        ('What was the price in our last conversation?', ()),
        ("What's the plan we've already discussed?", ()),
        ('Which topics did I bring up that we discussed, and what had I told you?', ('Anna',)),
        ('Where is the conversation club?', ('Anna',)),
    ],
)
def test_what_two_people_talked_about_either_may_have_said(text, about):
    assert phrase(text, ['Anna', 'robot'], asker='Anna', robot='robot').speakers == about


@pytest.mark.parametrize(
    ('text', 'sentences'),
    [
        ('I lost my key today. Can you help Bo?', ('I lost my key today.', 'Can you help?')),
        ('I lost my key today.', ()),
        ('Where is it? Is it in the shed?', ()),
        ('gym hours', ()),
    ],
)
def test_a_message_that_tells_something_is_also_compared_sentence_by_sentence(text, sentences):
    assert phrase(text, ['Bo']).sentences == sentences


def test_of_a_long_message_the_longest_sentences_are_compared_in_their_order():
    told = [f'I moved jar {"x" * number}.' for number in range(1, 21)]
    assert phrase(' '.join(told), []).sentences == tuple(told[-MOST_SENTENCES:])


@pytest.mark.parametrize(
    ('text', 'about'),
    [
        ('May I sit?', ()),
        ('I am tired. May I sit?', ()),
        ('What did May buy?', ('May Lee',)),
        ('May Lee is here. What did she buy?', ('May Lee',)),
        ('Lee, may I sit?', ('May Lee',)),
    ],
)
def test_a_function_word_that_begins_a_sentence_names_nobody(text, about):
    assert phrase(text, ['May Lee', 'Anna']).speakers == about
