"""Stop commands: the words that stop the robot, and tests for texts that contain them."""

import re
import unicodedata
from collections.abc import Callable

STOP_WORDS = ('stop', 'halt', 'freeze')

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_ONE_WORD = re.compile(r'\be[- ]?stop\b')
_CALLED = re.compile(r'^\W*\w+(?: \w+)?\s*[,:!.]')
_ALIKE = ('cancel', 'abort', 'pause', 'quit', 'interrupt', 'enough')
"""Words that may end a task as well, but hold no arms."""
_END_OF_SENTENCE = re.compile(r'(?<=[.!?;…])\s+')
_END_OF_CLAUSE = re.compile(r'[.,;:!?…–—\n]+|(?= (?:and|then|but)\b)', re.IGNORECASE)
_BESIDE = frozenset(
    _WORD.findall(
        'emergency please now it that this lucca robot you the arm arms everything all moving at once right '
        'immediately oh no yes yeah hey wait ok okay whoa wow just there your i said'
    )
)
"""Words that may accompany a stop word without asking for something else."""


def has_stop_word(text: str) -> bool:
    """Whether a text contains a stop word, as in `Stop!`, `stop the tower` or `don't stop`."""
    return count_stop_words(text) > 0


def count_stop_words(text: str) -> int:
    """The number of stop words in a text: 2 in `stop, stop the arm`."""
    return sum(word in STOP_WORDS for word in _words(text))


def is_stop(text: str, name: str = '') -> bool:
    """Whether a text asks only for a stop: true for `STOP!!` and `please stop now`, false for `stop the tower`.

    `name`: what the robot is called, if not Lucca; it may be said beside a stop word.
    """
    return has_stop_word(text) and {*_words(text)} <= _BESIDE | {*STOP_WORDS, *_words(name)}


def is_typed_stop(text: str) -> bool:
    """As `is_stop`, also for a text that calls anybody first: `Rosie, stop!`. What the robot is called is not known."""
    return is_stop(text) or is_stop(_CALLED.sub('', _plain(text)))


def stop_and_rest(text: str, is_stop: Callable[[str], bool]) -> tuple[str, str]:
    """The longest beginning of a text, up to the end of a clause, that is a stop, and what is said behind it.

    Args:
        text: what was said.
        is_stop: tells whether a text asks only for a stop.

    Returns:
        `Stop!` and `Give me the pear.` for `Stop! Give me the pear.`; an empty stop if the text begins otherwise.
    """
    ends = [len(text), *(match.end() for match in reversed(list(_END_OF_CLAUSE.finditer(text))))]
    end = next((end for end in ends if is_stop(text[:end])), 0)
    return text[:end], text[end:].strip() if _WORD.search(text[end:]) else ''


def after_stop(text: str) -> str:
    """The sentences behind the last one that asks for a stop in any words: `Thanks.` for `Cancel that. Thanks.`"""
    sentences = _END_OF_SENTENCE.split(text.strip())
    stops = [number for number, sentence in enumerate(sentences) if {*_words(sentence)} & {*STOP_WORDS, *_ALIKE}]
    return ' '.join(sentences[stops[-1] + 1 :]) if stops else ''


def begins_with_stop(text: str, name: str = '') -> bool:
    """Whether a text asks for a stop before anything else: true for `please stop the tower`, false for `don't stop`."""
    # A stop word in the name, as in `Don Stop`, asks for a stop all the same.
    beside = {*_BESIDE, *_words(name)} - {*STOP_WORDS}
    return next((word for word in _words(text) if word not in beside), '') in STOP_WORDS


def says_all(text: str) -> bool:
    """Whether a text speaks of everything, as `and all the others` does."""
    return bool({*_words(text)} & {'everything', 'all', 'rest', 'others', 'both'})


def plain_words(text: str) -> str:
    """The words of a text in lower case, without anything between them."""
    return ' '.join(_words(text))


def without_words(text: str, other: str) -> str:
    """A text without the words of another: `stop now` for `stop the tower now` without `the tower`."""
    return ' '.join(word for word in _words(text) if word not in _words(other))


def _words(text: str) -> list[str]:
    return _WORD.findall(_plain(text))


def _plain(text: str) -> str:
    # Some keyboards type full-width letters.
    return _ONE_WORD.sub('stop', unicodedata.normalize('NFKC', text).casefold())
