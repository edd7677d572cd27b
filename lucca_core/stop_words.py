"""The words that stop the robot, spoken or typed, whatever else it is doing."""

import re
import unicodedata

STOP_WORDS = ('stop', 'halt', 'freeze')

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_BESIDE = frozenset(
    _WORD.findall(
        'please now it that this lucca robot you the arm arms everything all moving at once right immediately oh no hey wait'
    )
)
"""What is said beside a stop word without asking for anything else."""


def has_stop_word(text: str) -> bool:
    """True when one of the words is a stop word: `Stop!`, also `stop the tower` and `don't stop`."""
    return not set(STOP_WORDS).isdisjoint(_words(text))


def is_stop(text: str) -> bool:
    """True when nothing but a stop is asked for: `STOP!!`, `please stop now`; not `stop the tower`."""
    words = _words(text)
    return has_stop_word(text) and set(words) <= _BESIDE | set(STOP_WORDS)


def _words(text: str) -> list[str]:
    # Keyboards of some languages type letters of another width.
    return _WORD.findall(unicodedata.normalize('NFKC', text).casefold())
