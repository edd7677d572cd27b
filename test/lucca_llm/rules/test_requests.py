"""Moods of sentences: what asks the robot for something, and what only speaks of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_llm.rules.utterances.requests import sentences_in
from lucca_llm.rules.utterances.said_sentence import Mood

DO = (
    'put the cup in box 1',
    'build a tower',
    'hand me the pear',
    'point at the red cube',
    'move the can into the bowl',
)
GERUND = {'put': 'putting', 'build': 'building', 'hand': 'handing', 'point': 'pointing', 'move': 'moving'}
ASKED = (
    '{do}',
    '{do}.',
    'Please {do}!',
    'ok robot, {do}',
    'Could you {do}?',
    'Can you please {do}?',
    'Would you {do}',
    'Will you {do}, please?',
    'I would like you to {do}.',
    "I'd like you to {do}.",
    'I want you to {do}',
    'I need you to {do}.',
    'It would be nice if you could {do}.',
    "I'd be grateful if you could {do}.",
    'I was hoping you could {do}.',
    'You should {do}.',
    'Your job is to {do}.',
    'Be so kind as to {do}.',
    'Make sure to {do}.',
    'Would it be possible to {do}?',
    'May I ask you to {do}?',
    'Any chance you could {do}?',
    'Go ahead and {do}.',
    'You can {do} now.',
)
NOT_ASKED = (
    'I {do} every day.',
    'Bob {do} yesterday.',
    'My sister would never {do}.',
    'She said "{do}".',
    '“{do}” is what he said.',
    'If they {do}, I will be glad.',
    'Yesterday they tried to {do}.',
    'We used to {do} here.',
    'They told me to {do}.',
    'Maybe somebody will {do} one day.',
    'I like to {do}.',
    'He asked whether to {do}.',
)
QUESTIONS = (
    'Did you {do}?',
    'Why did you {do}?',
    'When will they {do}?',
    'Who will {do}?',
    'Have you ever seen anybody {do}?',
    'Is it hard to {do}?',
    'What happens if they {do}?',
    'How do people {do}?',
)


def moods(text: str) -> list[Mood]:
    return [sentence.mood for sentence in sentences_in(text)]


@given(do=st.sampled_from(DO), form=st.sampled_from(ASKED))
def test_a_request_in_any_mood_asks_for_the_same(do, form):
    (sentence,) = sentences_in(form.format(do=do))
    assert sentence.mood is Mood.REQUEST
    assert do in sentence.asked.lower()


@given(do=st.sampled_from(DO), form=st.sampled_from(('Would you mind {}?', 'How about {}?', 'Do you mind {}?')))
def test_a_request_as_a_gerund_becomes_an_imperative(do, form):
    verb, _, rest = do.partition(' ')
    (sentence,) = sentences_in(form.format(f'{GERUND[verb]} {rest}'))
    assert sentence.mood is Mood.REQUEST
    assert sentence.asked.rstrip('?') == do


@given(do=st.sampled_from(DO), form=st.sampled_from(NOT_ASKED))
def test_what_is_reported_quoted_or_supposed_asks_for_nothing(do, form):
    assert set(moods(form.format(do=do))) == {Mood.STATEMENT}


@given(do=st.sampled_from(DO), form=st.sampled_from(QUESTIONS))
def test_a_question_about_a_deed_asks_for_an_answer_only(do, form):
    assert moods(form.format(do=do)) == [Mood.QUESTION]


@given(do=st.sampled_from(DO), form=st.sampled_from(("Don't {}.", 'do not {}', 'Please never {}!', 'You must not {}.')))
def test_a_prohibition_is_no_request(do, form):
    assert moods(form.format(do)) == [Mood.FORBID]


@pytest.mark.parametrize(
    ('text', 'mood'),
    [
        ('The red things go to box 1.', Mood.RULE),
        ('Fruit belongs in box 1.', Mood.RULE),
        ('Box 1: all fruit.', Mood.RULE),
        ('My keys belong in the drawer.', Mood.STATEMENT),
        ('Tell me where the apple is.', Mood.QUESTION),
        ('Can you tell me what you see?', Mood.QUESTION),
        ('If there is an orange, put it in box 1.', Mood.REQUEST),
        ('Take care!', Mood.STATEMENT),
        ('Thanks for asking, it went well.', Mood.STATEMENT),
    ],
)
def test_moods(text, mood):
    assert moods(text) == [mood]


@pytest.mark.parametrize('text', ['No cups in box 1.', 'no red ones in the bowl', 'But no pears!', 'Please, no fruit.'])
def test_a_no_that_forbids_is_no_opening(text):
    (sentence,) = sentences_in(text)
    assert 'no ' in sentence.asked.lower()


@pytest.mark.parametrize('text', ['No, put the cup in box 1', 'No put the cup in box 1', 'no no, put the cup in box 1'])
def test_a_no_before_a_correction_is_an_opening(text):
    (sentence,) = sentences_in(text)
    assert (sentence.mood, sentence.asked) == (Mood.REQUEST, 'put the cup in box 1')


@pytest.mark.parametrize(
    ('text', 'mood'),
    [
        ('All cups in box 1.', Mood.REQUEST),
        ('Every cup in the bowl apart from the blue one.', Mood.REQUEST),
        ('All cups in box 1 are red.', Mood.STATEMENT),
        ('All cups in box 1?', Mood.QUESTION),
        ('All done in box 1.', Mood.STATEMENT),
        ('All the red things in box 1 smell.', Mood.STATEMENT),
        ('All the red things in box 2 came from Ana.', Mood.STATEMENT),
        ("Don't worry, but the pear goes bad.", Mood.FORBID),
        ('Everything but the fork is for box 1.', Mood.RULE),
        ('With the exception of the pear, put the fruit in box 1.', Mood.REQUEST),
        ('With the exception of the pear, all fruit goes in box 1.', Mood.RULE),
        ('Apart from the saw, I like all tools.', Mood.STATEMENT),
    ],
)
def test_a_place_for_all_of_a_kind_is_asked_for_without_a_verb_or_after_an_exception(text, mood):
    assert moods(text) == [mood]


@pytest.mark.parametrize(
    ('text', 'moods'),
    [
        ('Do you see a cup? Give it to me.', [Mood.REQUEST]),
        ('Where is it? Give it to me.', [Mood.QUESTION, Mood.REQUEST]),
        ('Do you see a cup? Give me the mug.', [Mood.QUESTION, Mood.REQUEST]),
        ("There is a new film. Let's watch it.", [Mood.STATEMENT, Mood.REQUEST]),
        ('Is there a cup? Then.', [Mood.QUESTION, Mood.REQUEST]),
    ],
)
def test_a_question_whether_a_thing_is_here_joins_a_request_that_is_about_it(text, moods):
    assert [sentence.mood for sentence in sentences_in(text)] == moods


@pytest.mark.parametrize(
    ('text', 'mood'),
    [
        ('To put the bat on the bed.', Mood.REQUEST),
        ('To put the apple in box 1 and the pear in box 2.', Mood.REQUEST),
        ('To put the knife into box 1 takes courage.', Mood.STATEMENT),
        ('To put the knife into the box helps.', Mood.STATEMENT),
        ('To move the cup into box 1 costs you a dollar.', Mood.STATEMENT),
        ('Bob asked me to help. To put the cup in box 1 he needs two hands.', Mood.STATEMENT),
        ('What is your plan? To put the apple in box 1.', Mood.STATEMENT),
    ],
)
def test_an_aim_is_asked_for_if_nothing_else_is_said(text, mood):
    assert moods(text)[-1] is mood
