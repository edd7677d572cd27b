"""A text may stand for others if it is shorter, says nothing that they do not say, and loses no fact or denial."""

import re

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from lucca_memory.semantic.forgetting.compression import SEPARATOR
from lucca_memory.semantic.forgetting.faithfulness import as_parts, shortenable, why_unfaithful

SENTENCES = [
    'I really like green tea a lot.',
    "I don't like the coffee of my sister's office.",
    'Paula lives in Bonn with her two cats.',
    'Tom gave Ada the old bike on Monday.',
    'The rent of the flat is 1,200 euros a month.',
    'We might visit New York in May 2024.',
    'The kiln of the workshop is very old.',
    'The workshop was never hot. It was very cold.',
    'Do you like the workshop?',
    'Well, I guess that is how it goes.',
]
texts = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=5, unique=True)


@st.composite
def shorter(draw):
    """Texts, and an answer that leaves out whatever a writer may leave out."""
    originals = draw(texts)
    lines = []
    for original in originals:
        for sentence in shortenable(original):
            if not (sentence.may_go and draw(st.booleans())):
                lines.append(' '.join(word for word, stays in sentence.words if stays or draw(st.booleans())))
    return originals, '\n'.join(lines)


@pytest.mark.parametrize(
    ('text', 'originals'),
    [
        ('I like tea and coffee', ['I like tea.', 'I like coffee.']),
        ('Rent of the flat is 500 euros; Paula lives in Bonn', ['The rent of the flat is 500 euros.', SENTENCES[2]]),
        ('The kiln of workshop is old', [SENTENCES[6]]),
        ("I don't like coffee of my sister's office", [SENTENCES[1]]),
        ('I bought a lamp. It broke', ['I just bought a nice lamp. It broke down.']),
    ],
)
def test_a_text_that_says_the_same_in_fewer_words_may_stand_for_others(text, originals):
    if 'Paula' in text:
        text += ' with her two cats'
    assert why_unfaithful(text, originals) == ''


@pytest.mark.parametrize(
    ('text', 'originals', 'reason'),
    [
        ('', SENTENCES[:1], 'empty'),
        ('I really like green tea a lot.', SENTENCES[:1], 'not shorter'),
        ('I like coffee', SENTENCES[:1], 'nobody said'),
        ('I am lazy', ['The boss said I am lazy.'], 'nobody said'),
        ('I stole the bicycle', ['The neighbours believe I stole the bicycle.'], 'nobody said'),
        ('I take the heart pills', ['I forgot to take the heart pills.'], 'nobody said'),
        ('I am peanuts and shellfish', ['I am allergic to peanuts and shellfish.'], 'nobody said'),
        ('I buy a house by the lake', ['I plan to buy a house by the lake.'], 'nobody said'),
        ('I like coffee', SENTENCES[1:2], 'nobody said'),
        ("I don't like coffee of my office", SENTENCES[1:2], 'nobody said'),
        ("I don't like tea and coffee", ["I don't like tea.", 'I like coffee very much.'], 'nobody said'),
        ('I like tea and coffee', ['I like tea.', 'Coffee gives me headaches.'], 'nobody said'),
        ('I visited Bonn and Kiel', ['I visited Bonn.', 'I dislike Kiel so much.'], 'nobody said'),
        ('We visited Bonn; We visited Kiel', ['We visited Bonn and they visited Kiel yesterday.'], 'nobody said'),
        ('She likes green tea', SENTENCES[:1], 'nobody said'),
        ('I liked green tea', SENTENCES[:1], 'nobody said'),
        ('Ada gave Tom the bike on Monday', SENTENCES[3:4], 'nobody said'),
        ('Tom gave Ada the bike', SENTENCES[3:4], 'nobody said'),
        ('My friends are vegan', ['Most of my friends are vegan now.'], 'nobody said'),
        ('I go to the gym Monday', ['I go to the gym every Monday.'], 'nobody said'),
        ('I was in Bonn', ['I was in Bonn yesterday.'], 'nobody said'),
        ('The rent of the flat is 1,300 euros', SENTENCES[4:5], 'nobody said'),
        ('Rent of the flat is 200 euros', SENTENCES[4:5], 'nobody said'),
        ('It costs €5', ['It really costs $5.'], 'nobody said'),
        ('We visit New York in May 2024', SENTENCES[5:6], 'nobody said'),
        ('The workshop was hot', SENTENCES[7:8], 'nobody said'),
        ('Tom has a car; it broke', ['Tom has a new red car.', 'I bought a lamp. It broke.'], 'nobody said'),
        ('It broke at once', ['It broke at once, you know.'], 'nobody said'),
        ('Do you like tea?', ['Do you like tea or not?'], 'asks'),
        ('The kiln of the workshop is old', [SENTENCES[6], SENTENCES[2]], 'leaves out bonn, paula, two'),
        ('The kiln of the workshop is old', [SENTENCES[6], SENTENCES[7]], 'leaves out never'),
        ('The kiln of the workshop is old', [SENTENCES[6], 'The glaze smelled of burnt sugar.'], 'hardly says'),
    ],
)
def test_a_text_that_is_longer_or_says_anything_else_is_refused(text, originals, reason):
    assert reason in why_unfaithful(text, originals)


@given(texts, st.text(max_size=80))
@example(SENTENCES[:2], 'I like green tea')
def test_a_text_that_passes_is_shorter_and_adds_no_word(originals, text):
    if why_unfaithful(text, originals) == '':
        said = ''.join(originals)
        assert len(text.encode()) < len(said.encode())
        assert set(re.findall(r'\w+', text.lower())) <= {*re.findall(r'\w+', said.lower()), 'a', 'an', 'the', 'and'}


@given(texts, st.lists(st.sampled_from(sorted({word for text in SENTENCES for word in text.split()})), max_size=12))
def test_of_words_that_were_said_only_those_that_keep_all_facts_pass(originals, words):
    text = ' '.join(words)
    if why_unfaithful(text, originals) == '':
        for fact in ('Bonn', 'Paula', '1,200', 'two', "don't", 'never', 'might', "sister's"):
            assert (fact in text) == any(fact in original for original in originals), (text, originals)


@given(shorter())
def test_whatever_is_left_out_as_allowed_never_says_anything_else(drawn):
    originals, answer = drawn
    reason = why_unfaithful(as_parts(answer), originals)
    assume(reason)
    assert re.match('it is empty|it is not shorter|it hardly says', reason), reason


@given(st.lists(st.sampled_from(SENTENCES), max_size=4))
def test_an_answer_becomes_one_part_for_each_sentence(sentences):
    whole = as_parts('\n'.join(f'- {sentence}' for sentence in sentences))
    assert whole == SEPARATOR.join(dict.fromkeys(sentence.rstrip('.') for sentence in sentences))
