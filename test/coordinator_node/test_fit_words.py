"""The gate for the words of a small model."""

import pytest

from coordinator_node.talk.fit_words import FitWords, Shown, can_be_retold


def fault(sentence, **shown):
    return FitWords(Shown(names=('Ana', 'Lucca'), **shown), lambda _: None, most=2).fault_of(sentence)


@pytest.mark.parametrize(
    ('told', 'sentence'),
    [
        ('I am not allergic to nuts', 'You are allergic to nuts.'),
        ('I am not allergic to nuts', 'Yes.'),
        ('I am allergic to nuts', 'Yes.'),
        ('the red box is not mine', 'The red box is yours.'),
        ('I lent Bo the drill', 'Bo lent Ana the drill.'),
        ('I lent Bo the drill', 'Bo lent you the drill.'),
        ('I was called by Bo', 'You called Bo.'),
        ('my boat is called Petrel', 'Your boat is called Gull.'),
        ('my boat is called Petrel', 'Yesterday you told me that your boat is called Petrel.'),
    ],
)
def test_what_was_told_is_not_changed(told, sentence):
    line = f'Yesterday Ana said: {told}'
    assert fault(sentence, said='is it so?', known=(line,), strict=True, told=(told,))


@pytest.mark.parametrize(
    ('told', 'sentence'),
    [
        ('My boat is called Petrel', 'Your boat is called Petrel.'),
        ('I lent Bo the drill', 'You told me that you lent Bo the drill.'),
        ("I'm allergic to nuts", 'You are allergic to nuts.'),
    ],
)
def test_what_was_told_may_be_said_to_the_person(told, sentence):
    assert not fault(sentence, said='is it so?', known=(told,), told=(told,))


@pytest.mark.parametrize('text', ['I am not ill', 'I can’t swim', 'she likes tea', 'It was red. That was a joke'])
def test_what_denies_or_is_of_others_is_not_retold(text):
    assert not can_be_retold(text)


@pytest.mark.parametrize(
    'sentence',
    [
        'Petra likes tea.',
        'Bob is at home and the door is open.',
        'Consider it done.',
        'The fire alarm is off, and the stove as well.',
        'The kettle is on.',
    ],
)
def test_nothing_is_told_of_what_nobody_spoke_of(sentence):
    assert fault(sentence, said='hello')


@pytest.mark.parametrize(
    'sentence', ['Nice to see you.', 'I like the rain.', 'What do you do today?', 'Hello Ana.', 'That sounds lovely.']
)
def test_small_talk_is_fit(sentence):
    assert not fault(sentence, said='hello')


def test_what_is_said_of_a_person_denies_what_was_denied():
    assert fault('You are allergic to nuts.', said='I am not allergic to nuts')


@pytest.mark.parametrize('sentence', ['Bye, Ana.', 'Goodbye, Ana.', 'Good night, Ana.'])
def test_a_greeting_is_not_answered_with_a_goodbye(sentence):
    assert fault(sentence, said='good night', greets=True) == 'a goodbye'
    assert fault(sentence, said='good night') != 'a goodbye'
