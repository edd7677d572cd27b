"""Stop commands: the words that stop the robot, and tests for texts that contain them."""

import re
import unicodedata

STOP_WORDS = ('stop', 'halt', 'freeze')

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_BESIDE = frozenset(
    _WORD.findall(
        'please now it that this lucca robot you the arm arms everything all moving at once right immediately '
        'oh no yes yeah hey wait ok okay whoa wow just there your i said'
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


def begins_with_stop(text: str, name: str = '') -> bool:
    """Whether a text asks for a stop before anything else: true for `please stop the tower`, false for `don't stop`."""
    # A stop word in the name, as in `Don Stop`, asks for a stop all the same.
    beside = {*_BESIDE, *_words(name)} - {*STOP_WORDS}
    return next((word for word in _words(text) if word not in beside), '') in STOP_WORDS


def without_words(text: str, other: str) -> str:
    """A text without the words of another: `stop now` for `stop the tower now` without `the tower`."""
    return ' '.join(word for word in _words(text) if word not in _words(other))


def _words(text: str) -> list[str]:
    # Some keyboards type full-width letters.
    return _WORD.findall(unicodedata.normalize('NFKC', text).casefold())
