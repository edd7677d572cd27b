"""What a free transcript can mean: the nearest commands, and how sure one of them is."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from speech_node.hearing.command_book import load_commands
from speech_node.hearing.command_matching import (
    NEAREST,
    Hypothesis,
    choose,
    context,
    names_something,
    nearest_sentences,
    spoken_form,
)
from speech_node.interfaces import IntentKind

BOOK = load_commands()
SENTENCES = sorted(BOOK.spoken)
SCORES = st.floats(-200, 0)


@pytest.mark.parametrize(
    ('heard', 'meant'),
    [
        ('Put the red cube into marks one.', 'put the red cube in box one'),
        ('Feel the bow', 'fill the bowl'),
        ('Put the apple in box 2!', 'put the apple in box two'),
        ('start the boy routine', 'start the pointing'),
    ],
)
def test_a_misheard_command_is_among_the_nearest(heard, meant):
    found = nearest_sentences(BOOK, ('', heard))
    assert meant in found
    assert len(found) == NEAREST


def test_of_nothing_heard_nothing_is_near():
    assert nearest_sentences(BOOK, ('', ' ... ')) == ()
    assert choose(BOOK, (), (Hypothesis('Thank you.', -3.0),)) is None


@given(st.sampled_from(SENTENCES), SCORES, SCORES)
def test_the_better_a_free_hypothesis_fits_the_less_sure_is_a_command(sentence, first, second):
    def sure(free):
        return choose(BOOK, [Hypothesis(sentence, -20.0)], [Hypothesis('the weather is lovely', free)]).probability

    worse, better = sorted((first, second))
    assert 0 <= sure(better) <= sure(worse) <= 1
    assert sure(0.0) < 0.01
    assert sure(-60.0) > 0.99


@given(st.sampled_from(SENTENCES), SCORES)
def test_a_free_hypothesis_that_is_a_command_is_no_competitor(sentence, score):
    free = [Hypothesis(f'{sentence.capitalize()}.', score)]
    chosen = choose(BOOK, [Hypothesis(sentence, -20.0)], free)
    assert (chosen.sentence, chosen.probability) == (sentence, 1.0)


def test_two_commands_that_fit_alike_are_both_unsure_unless_they_mean_the_same():
    free = [Hypothesis('put a rapper in boss two', -30.0)]
    unsure = [Hypothesis('put the apple in box one', -10.0), Hypothesis('put the apple in box two', -10.0)]
    assert choose(BOOK, unsure, free).probability == pytest.approx(0.5, abs=0.01)
    same = [Hypothesis('put the apple in box two', -10.0), Hypothesis('move the apple to box two', -10.0)]
    assert choose(BOOK, same, free).probability > 0.99


def test_a_command_that_another_recogniser_hears_too_is_surer():
    free = [Hypothesis('put a rapper in boss two', -12.0)]
    commands = [Hypothesis('put the apple in box two', -14.0), Hypothesis('put the apple in box one', -14.0)]
    alone = choose(BOOK, commands, free)
    agreed = choose(BOOK, commands, free, 'move the apple to box one')
    assert agreed.intent == BOOK.spoken['put the apple in box one']
    assert agreed.probability > alone.probability
    assert choose(BOOK, commands, free, 'yes') == alone


def test_what_was_written_down_word_for_word_counts_more_than_the_guess_of_another_recogniser():
    commands = [Hypothesis('put the apple in box two', -14.0), Hypothesis('put the lemon in box two', -14.0)]
    chosen = choose(BOOK, commands, (), 'put the lemon in box two', 'Put the apple in box 2.')
    assert chosen.sentence == 'put the apple in box two'
    assert chosen.probability > 0.7


def test_other_words_for_yes_and_no_are_the_answers_of_the_book():
    assert [spoken_form(said, BOOK) for said in ('Yeah.', 'Yep', 'Nope!')] == ['yes', 'yes', 'no']
    assert spoken_form('Yeah.', replace(BOOK, phrases=())) == 'yeah'


@given(SCORES, SCORES)
def test_the_less_a_command_was_to_be_expected_the_surer_it_is_heard(first, second):
    def sure(unheard):
        heard = [Hypothesis('build a tower', -20.0, unheard)]
        return choose(BOOK, heard, [Hypothesis('the weather is lovely', -15.0)]).probability

    rarer, commoner = sorted((first, second))
    assert sure(commoner) <= sure(rarer)


def test_a_wake_word_belongs_to_the_sentences_but_not_to_answers():
    book = load_commands(wake_word='hello robot')
    assert book.spoken['hello robot build a tower'].kind is IntentKind.START
    assert book.spoken['yes'].kind is IntentKind.YES
    assert 'build a tower' not in book.spoken


def test_the_context_says_every_name_of_the_book():
    words = set(context(BOOK).replace('.', '').split())
    for names in BOOK.slots.values():
        for name in names:
            assert set(name.split()) <= words


@pytest.mark.parametrize(
    ('text', 'named'),
    [
        ('A new task called tidy: put all fruit into the bowl.', True),
        ('Could I have the lemon?', True),
        ('Is the can still there?', True),
        ('Move the tomato can a little.', True),
        ('The old man wore a red coat.', False),
        ('Can I have a small coffee?', False),
        ('All that one can do', False),
        ('', False),
    ],
)
def test_what_names_something_of_the_table(text, named):
    assert names_something(text, BOOK) is named


def test_numbers_are_read_as_they_are_spoken():
    assert spoken_form('Box 1, please!', BOOK) == 'box one please'
