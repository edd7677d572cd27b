"""Idle words, which change nothing in a request: only they need no part in a reading."""

import functools
import re
from pathlib import Path

from lucca_core.yaml_file import load_yaml
from lucca_language.words.morphology import NUMBER_WORDS

IDLE_WORDS_FILE = Path(__file__).with_name('idle_words.yaml')
NUMBERED = (
    r'(?:\d| *(?:#|(?:no|nr|number)\b)'
    rf'| +(?:\d+|[a-z]|{"|".join(NUMBER_WORDS)})'
    r'(?= *(?:[.,;:!?]|$)| (?:and|then|to|in|into|inside|on|onto|for|with|if)\b))'
)
"""A number or a letter behind `table`, as in `from table 2` or `from table two and`: no object here stands there.

`From the table two cups` and `from the table 2 cups` are about two cups.
"""


@functools.lru_cache(maxsize=1)
def idle_words() -> frozenset[str]:
    """The words that are idle by themselves."""
    return frozenset(load_yaml(IDLE_WORDS_FILE)['words'])


@functools.lru_cache(maxsize=1)
def idle_phrase() -> re.Pattern[str]:
    """A pattern for the phrases that change nothing, in lower case, longest first."""
    phrases = sorted(load_yaml(IDLE_WORDS_FILE)['phrases'], key=len, reverse=True)
    any_phrase = '|'.join(map(re.escape, phrases))
    return re.compile(rf'(?<![\w-])(?:{any_phrase})(?![\w-])(?!(?<= table){NUMBERED})')
