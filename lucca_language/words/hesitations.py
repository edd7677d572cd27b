"""Hesitations: `um`, and what somebody says while looking for a word."""

import re
from collections.abc import Collection

from lucca_language.words.mistypings import may_deny, slips

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
HESITATION = re.compile(r'u+h+m*|u+m+|erm*|ehm+|hm+|mm+|ahm+|äh+m*|öh+m*', re.IGNORECASE)
SEARCH = re.compile(
    r'(?:\b(?:the|a|an|my) )?(?:(?:uh+|uh*m+|erm*),? )?'
    r'(?<=[a-z] )(?<!say )(?<!tell )(?<!me )(?<!ask )(?<!know )(?<!forgot )(?<!guess )'
    r"what(?:['’]?s| is) (?:it|that|the (?:name|word))"
    r'(?: called)?,?(?: (?:uh+|uh*m+|erm*),?)? '
    r'(?:(?:the|that) (?:[a-z]+ )?(?:thing|thingy),? (?:(?:uh+|uh*m+|erm*),? )?)?(?=(?:the|my|your) [a-z])',
    re.IGNORECASE,
)
"""Somebody looks for a word, says something about it, and finds it: `the what's it called the round thing the bowl`."""


def hesitations(text: str, names: Collection[str] = ()) -> list[str]:
    """The hesitations in a text. `names`: words of names here, in lower case."""
    found = (match for match in _WORD.finditer(text) if HESITATION.fullmatch(match.group()))
    return [
        match.group()
        for match in found
        if match.group().lower() not in names and not re.search(r'\d\s*$', text[: match.start()])
    ]


def doubtful(text: str, names: Collection[str] = ()) -> list[str]:
    """The hesitations in a text, and the words that may be mistyped denials, restrictions or stops: `unlss`."""
    return [*hesitations(text, names), *filter(may_deny, slips(text, names))]
