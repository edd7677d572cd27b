"""Sets of words, written as one string."""

import functools


@functools.cache
def any_of(text: str) -> frozenset[str]:
    """The words of a text as a set. `$` stands for the empty word after the end of a sentence."""
    return frozenset('' if word == '$' else word for word in text.split())
