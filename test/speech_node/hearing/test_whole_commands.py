"""A command is all that was said, with a few polite words at most; as a part of a longer sentence it is none."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from told_whisper import BOOK, SECOND, ToldWhisper

from speech_node.hearing.command_book import load_commands
from speech_node.hearing.command_matching import CommandChoice
from speech_node.hearing.whole_commands import as_written, command_of, is_all, longer_sentences

SENTENCES = st.sampled_from(sorted(BOOK.spoken))
POLITE = st.sampled_from(['', 'Please, ', 'could you ', 'Now ', 'okay, ', 'Robot, ', 'and then ', "I'd like you to "])
THANKS = st.sampled_from(['', ', please', ' for me', ' now.', ', robot!', ', thank you.', ', would you?'])
POLITE_WORDS = (
    'please kindly now then next just robot lucca ok okay oh um uh and so well hey hi hello alright again thanks'
)
OTHER_WORDS = st.text('abcdefghijklmnopqrstuvwxyz', min_size=1, max_size=8).filter(
    lambda word: word not in POLITE_WORDS.split()
)


@given(SENTENCES, POLITE, THANKS)
def test_polite_words_may_stand_beside_a_command(sentence, before, after):
    assert is_all(sentence, f'{before}{sentence}{after}', BOOK)


@given(SENTENCES, OTHER_WORDS)
def test_with_any_other_word_before_or_after_it_a_command_is_not_all(sentence, word):
    assert not is_all(sentence, f'{word} {sentence}', BOOK)
    assert not is_all(sentence, f'{sentence} {word}', BOOK)


@given(SENTENCES, st.sampled_from(['he said', 'i', 'do not', 'never', 'if you', 'who', 'did they', 'she told me to']))
def test_a_command_that_is_reported_denied_or_supposed_is_none(sentence, before):
    assert not is_all(sentence, f'{before} {sentence}', BOOK)
    assert not is_all(sentence, f'please {before} {sentence}', BOOK)


@pytest.mark.parametrize(
    'transcript',
    [
        'He told me to put the banana in the bowl.',
        'I put the banana in the bowl.',
        "Don't put the banana in the bowl.",
        'Please never put the banana in the bowl.',
        'Put the banana not in the bowl.',
        'Put the banana in the bowl, he said.',
        'Put the banana in the bowl tomorrow.',
        'Put the banana in the bowl and the pear.',
        'A new task called breakfast, put the banana in the bowl.',
        'Yesterday somebody told me to put the banana in the bowl.',
    ],
)
def test_a_part_of_a_longer_sentence_is_no_command(transcript):
    assert not is_all('put the banana in the bowl', transcript, BOOK)


@pytest.mark.parametrize(
    ('sentence', 'transcript'),
    [
        ('put the banana in the bowl', 'Put the banana in the bowl.'),
        ('put the banana in the bowl', 'But the band and in the bowl'),
        ('put the banana in the bowl', 'Could you please put the banana in the bowl?'),
        ('put the white cube on the tower', 'But in the right cube on the tower.'),
        ('tidy up the table', 'Tie the up, not able'),
        ('start the tower', "Let's talk to the tower."),
        ('put the lemon in box one', 'Put the lemon in box 1, please.'),
        ('that is wrong', 'I did wrong'),
    ],
)
def test_a_command_that_was_written_down_wrong_is_still_one(sentence, transcript):
    assert is_all(sentence, transcript, BOOK)


@pytest.mark.parametrize(
    ('sentence', 'transcript'),
    [
        ('give me the pear', 'Give me no pear.'),
        ('put the banana in the bowl', 'Put the banana not on the bowl.'),
        ('put the banana in the bowl', 'Put the banana anywhere but in the bowl.'),
        ('put the banana in the bowl', 'Put the banana.'),
        ('put the banana in the bowl', 'The banana in the bowl.'),
    ],
)
def test_half_of_a_command_or_its_denial_is_none(sentence, transcript):
    assert not is_all(sentence, transcript, BOOK)


def the_choice(sentence):
    return CommandChoice(sentence, BOOK.spoken[sentence], 0.99)


def test_a_polite_answer_is_whole():
    for said in ('No thanks.', 'No, thank you.', 'No.'):
        assert is_all('no thanks', said, BOOK)


def test_a_wake_word_must_have_been_said():
    book = replace(BOOK, wake_word='hello robot')
    assert is_all('hello robot build a tower', 'Hello robot, build a tower, please.', book)
    assert not is_all('hello robot build a tower', 'Build a tower.', book)
    assert is_all('no thanks', 'No thanks.', book)


def test_a_command_in_one_transcript_that_is_denied_in_the_other_is_no_certain_text():
    heard = ToldWhisper(
        'Put the banana in the bowl.',
        {'put the banana in the bowl': 0.0},
        told="Don't put the banana in the bowl.",
    ).transcribe(SECOND)
    assert heard.intent is None
    assert heard.confidence < 0.9


def test_of_the_wordings_of_a_command_the_one_that_was_written_down_counts():
    chosen = the_choice('give me the orange')
    for said in ('Hand me the orange.', 'I will not hand me the orange.'):
        assert as_written(chosen, said, BOOK) == 'hand me the orange'
    assert as_written(chosen, 'Get me the orange', BOOK) == 'give me the orange'


def test_a_transcript_without_any_word_of_a_command_does_not_decide_its_wording():
    assert as_written(the_choice('yes please'), 'Be at least', BOOK) == 'yes please'


def test_a_transcript_that_only_repeats_words_it_was_told_does_not_veto_a_command():
    scores = {'give up the tower': -4.0, 'blue cube. blue cube.': -30.0}
    heard = ToldWhisper('Give up the tower.', scores, told='blue cube. blue cube.').transcribe(SECOND)
    assert heard.intent == BOOK.spoken['give up the tower']
    assert heard.confidence > 0.9


@pytest.mark.parametrize(('half', 'is_sure'), [(-3.0, False), (-12.0, True)])
def test_where_one_transcript_is_half_a_command_the_sound_decides(half, is_sure):
    scores = {'move the blue cube to box one': -5.0, 'blue cube to box one.': half}
    heard = ToldWhisper('We have the blue cube to box 1', scores, told='blue cube to box one.').transcribe(SECOND)
    assert (heard.intent is not None and heard.confidence > 0.9) is is_sure


def test_half_a_command_in_the_free_transcript_is_none_however_likely_the_whole_is():
    heard = ToldWhisper(
        'The banana in the bowl.', {'put the banana in the bowl': 0.0}, told='put the banana in the bowl'
    ).transcribe(SECOND)
    assert heard.intent is None


@pytest.mark.parametrize('said', ['No thanks.', 'No comment.', "No, I don't."])
def test_a_no_need_not_be_all_that_was_said_because_it_does_nothing(said):
    heard = ToldWhisper(said, {'no thanks': 0.0}).transcribe(SECOND)
    assert heard.intent == BOOK.spoken['no']


def test_a_proposal_is_a_command_unless_it_is_denied():
    assert is_all('build a tower', "Let's build a tower.", BOOK)
    assert not is_all('build a tower', "Let's not build a tower.", BOOK)


@pytest.mark.parametrize(
    ('sentence', 'transcript', 'longer'),
    [
        ('give me the pear', 'Give me the pear.', ()),
        ('give me the pear', 'Could you get me the pear, please?', ('get give me the pear',)),
        (
            'do the recipe task',
            'You annihilate the recipe task.',
            ('you annihilate do the recipe task', 'you do the recipe task'),
        ),
        (
            'sort the objects',
            'Sort the object he said.',
            ('sort the objects object he said', 'sort the objects he said'),
        ),
    ],
)
def test_words_that_are_no_part_of_the_command_may_be_others_beside_it(sentence, transcript, longer):
    assert longer_sentences(sentence, transcript, BOOK) == longer


def test_a_likely_command_that_is_reported_is_passed_on_as_it_was_said():
    said = 'He told me to build a tower.'
    heard = ToldWhisper(said, {'build a tower': 0.0}).transcribe(SECOND)
    assert (heard.text, heard.intent) == (said, None)


@pytest.mark.parametrize(('longer', 'is_sure'), [(-4.0, False), (-14.0, True)])
def test_where_the_transcript_is_wrong_the_sound_decides_between_a_command_and_a_longer_sentence(longer, is_sure):
    scores = {'give me the pear': -8.0, 'did he give me the pear': longer}
    heard = ToldWhisper('Did he get me the pear?', scores).transcribe(SECOND)
    assert (heard.intent == BOOK.spoken['give me the pear'] and heard.confidence > 0.9) is is_sure


@pytest.mark.parametrize(
    ('told_score', 'asked'),
    [
        (-2.0, 'A new task called tidy, put the pear in the bowl.'),
        (-9.0, 'A new task called tidy, put the bear in the moe.'),
    ],
)
def test_of_two_transcripts_that_are_no_command_the_likelier_one_is_asked_about(told_score, asked):
    free = 'A new task called tidy, put the bear in the moe.'
    told = 'a new task called tidy. put the pear in the bowl.'
    scores = {'put the pear in the bowl': -40.0, free: -5.0, told: told_score}
    heard = ToldWhisper(free, scores, told=told, sure=0.5).transcribe(SECOND)
    assert (heard.text, heard.intent, heard.confidence) == (asked, None, 0.5)


def test_what_is_asked_about_does_not_leave_out_a_denial():
    free = "Don't put the banana in the bowl."
    heard = ToldWhisper(
        free, {'put the banana in the bowl': 0.0}, told='put the banana in the bowl.', sure=0.5
    ).transcribe(SECOND)
    assert (heard.text, heard.intent) == (free, None)


@pytest.mark.parametrize(
    'told',
    [
        "Don't put a banana in the bowl.",
        'Never put banana in the bowl.',
        'Don’t put a banana in the bowl.',
        'Do not put a banana in the bowl.',
        "You shouldn't put a banana in the bowl.",
        'You must not put a banana in the bowl.',
        'Dont put a banana in the bowl.',
        'Put a banana not in the bowl.',
        'Stop. Stop. put that banana in the bowl stop stop',
    ],
)
def test_a_denial_or_stop_word_in_either_transcript_is_no_command(told):
    heard = ToldWhisper('Put the banana in the bowl.', {'put the banana in the bowl': -4.0, told: -9.0}, told=told)
    heard = heard.transcribe(SECOND)
    assert heard.intent is None or heard.confidence < 0.9


@pytest.mark.parametrize(
    'free',
    [
        *(
            'The banana is in the bowl.',
            'The banana was in the bowl',
            'Put the uh banana in the',
            'Put the the banana in the',
        ),
        *('The banana in the big bowl', 'Never the banana in the bowl', 'The banana goes to the bowl'),
    ],
)
def test_a_statement_or_half_a_command_of_as_many_words_is_none(free):
    told = 'put the banana in the bowl'
    heard = ToldWhisper(free, {told: -5.0, free: -6.1}, told=told).transcribe(SECOND)
    assert heard.intent is None or heard.confidence < 0.9


@pytest.mark.parametrize('free', ['Thank you.', 'Thanks for watching!'])
def test_a_command_that_the_model_was_told_supports_none_if_nothing_like_it_was_said(free):
    told = 'put the banana in the bowl'
    heard = ToldWhisper(free, {told: -4.0, free: -4.0}, told=told).transcribe(SECOND)
    assert heard.intent is None or heard.confidence < 0.8


@pytest.mark.parametrize('free', ['No, put the pear in the bowl.', 'No, give me the red one.'])
def test_a_correction_that_begins_with_no_is_more_than_a_no(free):
    heard = ToldWhisper(free, {'no': -4.0, free: -4.0}).transcribe(SECOND)
    assert heard.intent is None
    assert heard.text == free


@pytest.mark.parametrize(
    'second', ['He told me to build a tower.', 'Build a tower he said.', 'Stop. Build tower.', 'Never build a tower.']
)
def test_a_command_that_the_second_model_hears_as_a_part_of_more_or_beside_a_stop_is_none(second):
    scores = {'build a tower': 0.0, second: -20.0}
    heard = ToldWhisper('Build a tower.', scores, second=second).transcribe(SECOND)
    assert heard.intent is None
    assert heard.confidence < 0.9


@pytest.mark.parametrize(('told', 'second'), [('Stop the tower.', ''), ('', 'Stop the tower.')])
def test_start_the_tower_is_no_command_if_another_hearing_has_stop(told, second):
    scores = {'start the tower': 0.0, 'Stop the tower.': -60.0}
    heard = ToldWhisper('Start the tower.', scores, told=told or 'Start the tower.', second=second).transcribe(SECOND)
    assert heard.intent is None
    assert heard.confidence < 0.9, 'nor is it passed on as talk that was surely heard'


@pytest.mark.parametrize('second', ['', 'Stop the banana in the bowl.'])
def test_talk_is_not_surely_heard_if_another_hearing_has_stop(second):
    said = 'Take the banana out again.'
    scores = {'build a tower': -60.0, said: 0.0, second: -60.0}
    heard = ToldWhisper(said, scores, told=said, second=second)
    assert (heard.transcribe(SECOND).confidence > 0.9) is (not second)


@pytest.mark.parametrize('where', ['told', 'second'])
@pytest.mark.parametrize('said', ["Don't build a tower.", 'They did not build a tower.', 'Rebuilt.'])
def test_a_command_that_the_sound_makes_unlikely_is_not_passed_on_as_talk_either(said, where):
    """Its text would be carried out, too."""
    heard = ToldWhisper('Build a tower.', {'build a tower': -20.0, said: 0.0}, **{where: said}).transcribe(SECOND)
    assert heard.confidence < 0.9


@pytest.mark.parametrize('where', ['told', 'second'])
@pytest.mark.parametrize('said', ["Don't put both in the bowl.", 'Nobody put both in.', 'Put both in without it.'])
def test_talk_that_another_hearing_denies_or_restricts_is_not_surely_heard(said, where):
    scores = {'build a tower': -60.0, 'Put both in the bowl.': 0.0, said: -9.0}
    heard = ToldWhisper('Put both in the bowl.', scores, **{where: said}).transcribe(SECOND)
    assert heard.confidence < 0.9


def test_talk_with_a_denial_of_its_own_is_surely_heard_beside_another():
    said, also = 'Never put both in the bowl.', "Don't put both in the bowl."
    assert ToldWhisper(said, {'build a tower': -60.0, said: 0.0}, second=also).transcribe(SECOND).confidence > 0.9


@pytest.mark.parametrize(('likely', 'is_sure'), [(2.0, False), (-20.0, True)])
@pytest.mark.parametrize('second', ['Not a tour.', "Don't win the tower.", 'Bill, the power.'])
def test_what_the_second_model_misheard_is_a_rival_reading_even_if_it_denies(second, likely, is_sure):
    scores = {'build a tower': 0.0, second: likely}
    heard = ToldWhisper('Build a tower.', scores, second=second).transcribe(SECOND)
    assert (heard.intent == BOOK.spoken['build a tower'] and heard.confidence > 0.9) is is_sure


def test_a_command_that_only_the_second_model_writes_is_scored():
    scores = {'build a tower': -60.0, 'begin the pointing': 0.0}
    free = 'Within our body and feel.'
    assert ToldWhisper(free, scores).transcribe(SECOND).intent is None
    heard = ToldWhisper(free, scores, second='Begin the point in.').transcribe(SECOND)
    assert heard.intent == BOOK.spoken['begin the pointing']


GARBLED = 'Watch, have you done it?'


@pytest.mark.parametrize(
    ('second', 'garbled', 'is_sure'),
    [
        ('What have you done?', -20.0, True),
        ('What have you done?', 2.0, False),
        ('What have you begun?', -20.0, False),
        ('Build a tower.', -20.0, False),
        ('', -20.0, False),
    ],
)
def test_a_first_transcript_gives_way_only_to_a_likelier_command_that_the_second_model_wrote(second, garbled, is_sure):
    scores = {'what have you done': 0.0, GARBLED: garbled, second: -1.0}
    heard = ToldWhisper(GARBLED, scores, told='White hammyo dog.', second=second).transcribe(SECOND)
    assert (heard.intent == BOOK.spoken['what have you done'] and heard.confidence > 0.9) is is_sure


@pytest.mark.parametrize(
    'free', ["Don't build a tower.", 'He told me to build a tower.', 'Why should anybody build a tower?', 'Stop it.']
)
def test_a_first_transcript_that_denies_stops_or_says_more_never_gives_way(free):
    scores = {'build a tower': 0.0, free: -60.0}
    assert ToldWhisper(free, scores, second='Build a tower.').transcribe(SECOND).intent is None


def test_a_command_without_its_wake_word_is_none():
    book = load_commands(wake_word='lucca')
    assert command_of('Lucca, build a tower.', book) == book.spoken['lucca build a tower']
    assert command_of('Build a tower.', book) is None
    assert command_of('Robot, build a tower please.', BOOK) == BOOK.spoken['build a tower']
    assert command_of('They build a tower.', BOOK) is None
    assert command_of('', book) is None
