"""How much a text tells for its size: what a byte budget has to spend its bytes on.

A budget in bytes is a knapsack, so texts compete by what they are worth per byte. Content words, names, numbers and
mentions of a time are what people ask for later; questions and politeness are not.
"""

import re

from lucca_memory.retrieval.analysis import STOP_WORDS, speaks_of_time, stem_of, told_share, words_of

_NAME = 3
"""A name within a sentence, or a number, beside a content word."""
_TIME = 1.5
_ASKED = 0.2
"""What a question tells, beside a statement."""
_HALF = 0.15
"""Content words per byte at which a text tells half of what it can."""

_NAMED = re.compile(r'(?<=[a-z,] )[A-Z][a-z]+|\d+')


def telling(text: str) -> float:
    """How much a text tells per UTF-8 byte: 0 for an empty text, below 1 for any."""
    content = {stem_of(word) for word in words_of(text) if word not in STOP_WORDS}
    told = len(content) + _NAME * len(set(_NAMED.findall(text)))
    density = told * (_ASKED + (1 - _ASKED) * told_share(text)) / max(1, len(text.encode('utf-8', 'surrogatepass')))
    if speaks_of_time(text):
        density *= _TIME
    return density / (density + _HALF)
