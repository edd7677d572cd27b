"""Informal spellings: the words that they stand for, and commas that speech leaves out."""

import re

from lucca_language.words.rewording import reworded

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
    "that's": 'that is',
    'pickup': 'pick up',
}
_SPELLED = re.compile(r"(?<![\w'-])(?:" + '|'.join(map(re.escape, _SPELLINGS)) + r")(?![\w'-])", re.IGNORECASE)
_CONDITION = re.compile(
    r"\b(if (?:you (?:can )?(?:see|find|spot|notice)|there (?:is|are)|there's) (?:an?|any|the|some|one|no) "
    r"[\w' -]{1,40}?) (?=(?:please )?(?:put|place|give|hand|bring|move|stack|point|pass|take) (?:at )?"
    r'(?:it|them|that|one|me|the|all)\b)',
    re.IGNORECASE,
)


def spelled_out(text: str) -> str:
    """The text with informal spellings written out, and a comma behind a condition.

    `Gimme the cup` becomes `give me the cup`, and `if you see a cup put it …` becomes `if you see a cup, put it …`.
    """
    text = _CONDITION.sub(r'\1, ', text)
    return reworded(_SPELLED.sub(lambda match: _SPELLINGS[match.group().lower()], text))
