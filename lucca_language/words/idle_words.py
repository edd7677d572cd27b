"""Idle words, which change nothing in a request: only they need no part in a reading."""

import functools
import re
from pathlib import Path

from lucca_core.yaml_file import load_yaml

IDLE_WORDS_FILE = Path(__file__).with_name('idle_words.yaml')
MOST_IDLE_WORDS = 120


@functools.lru_cache(maxsize=1)
def idle_words() -> frozenset[str]:
    """The words that are idle by themselves."""
    return frozenset(load_yaml(IDLE_WORDS_FILE)['words'])


@functools.lru_cache(maxsize=1)
def idle_phrase() -> re.Pattern[str]:
    """A pattern for the phrases that change nothing, in lower case, longest first."""
    phrases = sorted(load_yaml(IDLE_WORDS_FILE)['phrases'], key=len, reverse=True)
    return re.compile(r'(?<![\w-])(?:' + '|'.join(map(re.escape, phrases)) + r')(?![\w-])')


def all_idle_words() -> frozenset[str]:
    """Every word of both lists."""
    return idle_words() | {word for phrase in load_yaml(IDLE_WORDS_FILE)['phrases'] for word in phrase.split()}
