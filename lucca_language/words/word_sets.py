"""Sets of words, written as one text."""

import functools


@functools.cache
def any_of(text: str) -> frozenset[str]:
    """The words of a text as a set. `$` stands for the end of a sentence, where there is no word."""
    return frozenset('' if word == '$' else word for word in text.split())
