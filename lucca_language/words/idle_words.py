"""The words that change nothing in what a sentence asks for: the only ones without a part in a reading."""

import functools
import re
from pathlib import Path

from lucca_core.yaml_file import load_yaml

IDLE_WORDS_FILE = Path(__file__).with_name('idle_words.yaml')
MOST_IDLE_WORDS = 120


@functools.lru_cache(maxsize=1)
def idle_words() -> frozenset[str]:
    """The words that may stay without a part each alone."""
    return frozenset(load_yaml(IDLE_WORDS_FILE)['words'])


@functools.lru_cache(maxsize=1)
def idle_phrase() -> re.Pattern[str]:
    """Matches the phrases that change nothing, in lower case, the longest first."""
    phrases = sorted(load_yaml(IDLE_WORDS_FILE)['phrases'], key=len, reverse=True)
    return re.compile(r'(?<![\w-])(?:' + '|'.join(map(re.escape, phrases)) + r')(?![\w-])')


def all_idle_words() -> frozenset[str]:
    """Every word of both lists."""
    return idle_words() | {word for phrase in load_yaml(IDLE_WORDS_FILE)['phrases'] for word in phrase.split()}
