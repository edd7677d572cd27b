"""The information of a text for its size, by which texts compete for a budget in bytes.

Such a budget is a knapsack problem, so the value of a text per byte counts. Content words, names, numbers and mentions
of a time are what people ask for later; questions and politeness are not.
"""

import re

from lucca_memory.retrieval.analysis import STOP_WORDS, speaks_of_time, stem_of, told_share, words_of

_NAME = 3
"""Weight of a number, or of a name within a sentence, compared with a content word."""
_TIME = 1.5
_ASKED = 0.2
"""Weight of a question compared with a statement."""
_HALF = 0.15
"""Content words per byte at which the result is one half."""

_NAMED = re.compile(r'(?<=[a-z,] )[A-Z][a-z]+|\d+')


def telling(text: str) -> float:
    """The information of a text per UTF-8 byte: 0 for an empty text, and always below 1."""
    content = {stem_of(word) for word in words_of(text) if word not in STOP_WORDS}
    told = len(content) + _NAME * len(set(_NAMED.findall(text)))
    density = told * (_ASKED + (1 - _ASKED) * told_share(text)) / max(1, len(text.encode('utf-8', 'surrogatepass')))
    if speaks_of_time(text):
        density *= _TIME
    return density / (density + _HALF)
