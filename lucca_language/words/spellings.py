"""Informal spellings of words, and the words that they stand for."""

import re

_SPELLINGS = {
    'gimme': 'give me',
    'lemme': 'let me',
    'wanna': 'want to',
    'gotta': 'have to',
    'ya': 'you',
    'u': 'you',
    'plz': 'please',
    'pls': 'please',
    'thx': 'thanks',
    "'em": 'them',
}
_SPELLED = re.compile(r"(?<![\w'-])(?:" + '|'.join(map(re.escape, _SPELLINGS)) + r")(?![\w'-])", re.IGNORECASE)


def spelled_out(text: str) -> str:
    """The text with informal spellings written out: `gimme the cup` becomes `give me the cup`."""
    return _SPELLED.sub(lambda match: _SPELLINGS[match.group().lower()], text)
