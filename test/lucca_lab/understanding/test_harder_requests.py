"""`lucca eval requests --harder` and `lucca eval words`: what they draw, and how it is judged."""

import json

import pytest
from typer.testing import CliRunner

from lucca_lab.commands.groups import eval_app
from lucca_lab.understanding.drawn_request import DrawnRequest
from lucca_lab.understanding.foreign_words import WordEffect, load_foreign_words, try_foreign_words
from lucca_lab.understanding.requests import Verdict, judge_requests
from lucca_lab.understanding.requests_harder import draw_harder_requests

NOUNS = tuple(
    'apple pear cup can plum lemon book doll fork hammer '  # noqa: SIM905
    'sponge kettle spoon candle brush bottle'.split()
)
OBJECTS = ('pear (red)', 'cup (red)', 'can (red)', 'plum (red)', 'book (blue)', 'doll (green)')


def verdict_on(text, *wanted, order=()):
    request = DrawnRequest(
        text=text, kind='test', mood='test', objects=OBJECTS, wanted=tuple(map(frozenset, wanted)), order=order
    )
    return judge_requests([request], llm='embedded').judged[0].verdict


RED = ('pear', 'cup', 'can', 'plum')


@pytest.mark.parametrize(
    ('text', 'wanted', 'order'),
    [
        ('Give me half of the red things.', [{('user', 'pear'), ('user', 'cup')}], ()),
        (
            'Put all but one of the red objects in box 1.',
            [{('box 1', name) for name in RED if name != left} for left in RED],
            (),
        ),
        (
            'Put the red objects in box 2 in alphabetical order.',
            [{('box 2', name) for name in RED}],
            tuple(('box 2', name) for name in sorted(RED)),
        ),
        (
            'Put the book in box 1, but first give me the doll.',
            [{('box 1', 'book'), ('user', 'doll')}],
            (('user', 'doll'), ('box 1', 'book')),
        ),
        ('Give me either the book or the doll.', [{('user', 'book')}, {('user', 'doll')}], ()),
        (
            'Never touch the book. Put everything else in box 1.',
            [{('box 1', name) for name in (*RED, 'doll')}],
            (),
        ),
    ],
)
def test_harder_requests_are_done(text, wanted, order):
    assert verdict_on(text, *wanted, order=order) is Verdict.RIGHT


@pytest.mark.parametrize(
    'text',
    [
        'Give me the book, no, the doll.',
        'Give me the book. No, the doll.',
        'Put the object behind the book in box 1.',
        'Give me what is left of the book.',
        'Give me the book after the doll is happy.',
        'Swap the book and the doll.',
        'Give me half of the blue things.',
        'Put everything but one in box 1.',
    ],
)
def test_what_cannot_be_decided_moves_nothing(text):
    assert verdict_on(text) in (Verdict.ASKED, Verdict.REFUSED)


def test_everybody_who_was_handed_many_things_is_told_that_it_is_done():
    wanted = {('user', name) for name in ('pear', 'cup', 'can', 'plum', 'book', 'doll')}
    assert verdict_on('Give me the pear, the cup, the can, the plum, the book and the doll.', wanted) is Verdict.RIGHT
    some = [{('user', name) for name in RED if name != left} for left in RED]
    assert verdict_on('Give me three of the red things.', *some) is Verdict.RIGHT


def test_the_same_seed_draws_the_same_of_every_kind():
    drawn = draw_harder_requests(48, 5, NOUNS)
    assert drawn == draw_harder_requests(48, 5, NOUNS)
    assert len({item.kind for item in drawn}) == 24


def test_a_foreign_word_in_an_understood_sentence_moves_nothing():
    report = try_foreign_words(6, 2, NOUNS, {'word': ('gizmoid', 'frobnicate')}, llm='embedded')
    assert [item.effect for item in report.found] == [WordEffect.STILL] * 6
    assert all(item.word in item.after.request.text for item in report.found)


def test_the_command_counts_by_kind_of_word(tmp_path):
    for name, words in (('nouns', NOUNS), ('words', ['gizmoid', 'frobnicate'])):
        (tmp_path / name).write_text('\n'.join(words))
    out = tmp_path / 'out.jsonl'
    options = ['--nouns', str(tmp_path / 'nouns'), '--words', str(tmp_path / 'words'), '--out', str(out)]
    result = CliRunner().invoke(eval_app, ['words', '--sentences', '3', '--json', *options])
    assert result.exit_code == 0, result.output
    figures = json.loads(result.stdout)
    assert figures['still'] + figures['same'] + figures['other'] == figures['sentences'] == 3
    assert len(out.read_text().splitlines()) == 3


def test_a_file_without_words_is_refused(tmp_path):
    (tmp_path / 'words').write_text('a\nB\n')
    with pytest.raises(Exception, match='there are no words'):
        load_foreign_words(tmp_path / 'words')
