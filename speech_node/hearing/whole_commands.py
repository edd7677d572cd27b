"""The test whether a command is all that was said, or a part of a longer sentence.

A command is given when somebody begins with it. In "he told me to put the banana in the bowl", it is reported. The ways
to report, deny or suppose a command are countless; the words that may stand beside one are few, and listed here.
"""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from speech_node.hearing.command_book import CommandBook
from speech_node.hearing.command_matching import CommandChoice, spoken_form
from speech_node.interfaces import Intent

MOST_LONGER, MORE_LETTERS = 1.5, 4
"""Longest transcript of a command, in letters: the first value times the command's, plus the second one.

In the voices used to choose it, the longest was "Let's talk to the tower" for "start the tower".
"""
_ANYWHERE = ('please', 'kindly', 'now', 'then', 'next', 'just', 'robot', 'lucca', 'ok', 'okay', 'oh', 'um', 'uh')
_BEFORE = '|'.join(
    (
        *_ANYWHERE,
        *('and', 'so', 'well', 'hey', 'hi', 'hello', 'all right', 'alright'),
        *('can you', 'could you', 'will you', 'would you', 'i want you to', "i'd like you to", 'i would like you to'),
        "let's",
    )
)
_AFTER = '|'.join(
    (
        *_ANYWHERE,
        *('again', 'for me', 'right now', 'thanks', 'thank you'),
        *('can you', 'could you', 'will you', 'would you'),
    )
)
_BESIDE = re.compile(rf'^(?:(?:{_BEFORE}) )+|(?: (?:{_AFTER}))+$')
_DENIALS = frozenset(
    (
        'not',
        'dont',
        'cannot',
        'never',
        'no',
        'nobody',
        'nothing',
        'none',
        'neither',
        'nor',
        'but',
        'instead',
        'without',
        'except',
    )
)

_MISHEARD = frozenset(('but', 'no', 'not'))
"""Of these, what may stand for something else at an end of a command: "but" for "put", "not able" for "the table"."""
_NEGATED_VERB = re.compile(r"\b(?:do|does|did|will|would|can|could|shall|should|may|might|must) not\b|n't\b")


def as_written(chosen: CommandChoice, transcript: str, book: CommandBook) -> str:
    """The sentence with this meaning that resembles a transcript most: of "hand me the pear" and "give me the pear".

    If they have no word in common, the transcript says nothing about the wording, and the likeliest one is taken.
    """
    said = _without_politeness(transcript, book)
    meant = [sentence for sentence, meaning in book.spoken.items() if meaning == chosen.intent]
    nearest = max(meant, key=lambda sentence: SequenceMatcher(None, said, sentence, autojunk=False).ratio())
    return nearest if set(said.split()) & set(nearest.split()) else chosen.sentence


def is_all(sentence: str, transcript: str, book: CommandBook) -> bool:
    """Whether a command can be all that was said, according to a transcript, which may have some of its words wrong.

    Polite words and names of the robot may stand beside it. It cannot be all if its first word has another word before
    it, if its last word has one after it, if either is missing with nothing in its place, if it is denied, or if
    much more was said. A wake word must have been said.
    """
    wake, command = _wake_and_command(sentence, book)
    heard = spoken_form(transcript, book)
    if re.fullmatch(rf'{wake} ?(?:(?:{_BEFORE}) )*{re.escape(command)}(?: (?:{_AFTER}))*', heard):
        return True  # "that is right now" is more than "that is"
    said = _without_politeness(transcript, book)
    if not heard.startswith(wake) or len(said) > MOST_LONGER * len(command) + MORE_LETTERS:
        return False
    gaps = _gaps(said.split(), command.split())
    for gap in (gaps[0], gaps[-1]):
        if bool(gap.said) != bool(gap.missing):
            return False
    return not is_denied(said, command)


def longer_sentences(sentence: str, transcript: str, book: CommandBook) -> tuple[str, ...]:
    """What was said if words of a transcript stand before or after a command, and are not how it was written down.

    "Did he get me at white cube" may be "give me the white cube", but also "did he give me the white cube".
    """
    wake, command = _wake_and_command(sentence, book)
    gaps = _gaps(_without_politeness(transcript, book).split(), command.split())
    before, after = gaps[0], gaps[-1]
    found = []
    for replaced in (0, before.missing):
        if begun := before.said[: max(0, len(before.said) - replaced)]:
            found.append(' '.join([*wake.split(), *begun, command]))
    for replaced in (0, after.missing):
        if ended := after.said[replaced:]:
            found.append(' '.join([*wake.split(), command, *ended]))
    return tuple(dict.fromkeys(found))


def is_denied(said: str, command: str) -> bool:
    """Whether a command is denied, both in spoken form: by a word that can only deny, or by any between its words."""
    words = said.split()
    inside = [word for gap in _gaps(words, command.split())[1:-1] for word in gap.said]
    sure = {*words} - _MISHEARD - {*command.split()}
    return not _DENIALS.isdisjoint({*sure, *inside}) or _NEGATED_VERB.search(said) is not None


def surely_denies(transcript: str, book: CommandBook) -> bool:
    """Whether a transcript has a word that can only deny or except something: "don't" or "never", but not "no"."""
    said = spoken_form(transcript, book)
    return not (_DENIALS - _MISHEARD).isdisjoint(said.split()) or _NEGATED_VERB.search(said) is not None


def contains(transcript: str, sentence: str, book: CommandBook) -> bool:
    """Whether all words of a command stand in a transcript, one after another."""
    _, command = _wake_and_command(sentence, book)
    return f' {command} ' in f' {spoken_form(transcript, book)} '


def is_a_command(transcript: str, book: CommandBook) -> bool:
    """Whether a transcript is a command word for word, but for polite words beside it."""
    return _without_politeness(transcript, book) in book.sentences


def command_of(transcript: str, book: CommandBook) -> Intent | None:
    """The intent of a transcript that is a command word for word, but for polite words beside it; otherwise None.

    A wake word must have been said where the command needs one.
    """
    command = _without_politeness(transcript, book)
    wake = book.wake_word
    is_called = bool(wake) and spoken_form(transcript, book).startswith(f'{wake} ')
    return book.spoken.get(f'{wake} {command}' if is_called else command)


class _Gap(NamedTuple):
    """Words that were said, in place of so many words of a command that are missing.

    Where some are missing, the others may be how they were written down, as in "but in the right cube on the tower" for
    "put the white cube on the tower". Where none are missing, they were added.
    """

    said: Sequence[str]
    missing: int


def _gaps(said: Sequence[str], sentence: Sequence[str]) -> list[_Gap]:
    """Before, between and after the runs of words that are in both."""
    gaps, begin, told = [], 0, 0
    for run in SequenceMatcher(None, said, sentence, autojunk=False).get_matching_blocks():
        gaps.append(_Gap(said[begin : run.a], run.b - told))
        begin, told = run.a + run.size, run.b + run.size
    return gaps


def _wake_and_command(sentence: str, book: CommandBook) -> tuple[str, str]:
    """A sentence in two: its wake word, empty if it needs none, and the rest without polite words ("no thanks")."""
    wake = book.wake_word if book.wake_word and sentence.startswith(f'{book.wake_word} ') else ''
    return wake, _plain(sentence.removeprefix(wake).strip())


def _without_politeness(transcript: str, book: CommandBook) -> str:
    """The words of a transcript without the wake word and polite words."""
    return _plain(spoken_form(transcript, book).removeprefix(book.wake_word).strip())


def _plain(words: str) -> str:
    return _BESIDE.sub('', words) or words
