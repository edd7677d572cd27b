"""The words that change nothing in what a sentence asks for: the only ones without a part in a reading."""

import functools
from pathlib import Path

IDLE_WORDS_FILE = Path(__file__).with_name('idle_words.txt')
MOST_IDLE_WORDS = 120


@functools.lru_cache(maxsize=1)
def idle_words() -> frozenset[str]:
    """The words of idle_words.txt, one per line, in lower case."""
    return frozenset(IDLE_WORDS_FILE.read_text(encoding='utf-8').split())
