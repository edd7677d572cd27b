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


def is_stop(text: str) -> bool:
    """Whether a text asks only for a stop: true for `STOP!!` and `please stop now`, false for `stop the tower`."""
    words = _words(text)
    return has_stop_word(text) and set(words) <= _BESIDE | set(STOP_WORDS)


def _words(text: str) -> list[str]:
    # Some keyboards type full-width letters.
    return _WORD.findall(unicodedata.normalize('NFKC', text).casefold())
