"""Signs that two sentences that are nearly alike do not give one attribute two values.

The newer one may only suppose, deny or report a value, or tell of the past; or a word that only one of them has makes
it another thing: "the tax on the rent", "the rent tax", "in the novel the rent", "her rent" beside "my rent".
"""

import itertools
from collections.abc import Sequence

from lucca_memory.semantic.language.differences import Difference
from lucca_memory.semantic.language.lexicon import ARTICLES, CHANGES, FACTIVE, PREPOSITIONS, RELATIVE, SUPPOSED
from lucca_memory.semantic.language.reading import COPULAS, NO_WORD, Reading, Word
from lucca_memory.semantic.language.tenses import is_past

_MINE = frozenset(['my', 'our'])
_OTHERS = frozenset(['his', 'her', 'their', 'your'])
_AFTER_SUBJECTS = COPULAS | {'has', 'have', 'had', 'went', ''}


def is_unsure(reading: Reading) -> bool:
    """True if a clause supposes, denies, asks for or reports what it says, or tells it of the past."""
    pairs = itertools.pairwise((*reading.words, NO_WORD))
    return reading.words[0].lower == 'please' or any(
        (word.lower in SUPPOSED and not word.type) or (word.lower, after.lower) in (('had', 'been'), ('plan', 'to'))
        for word, after in pairs
    )


def is_relative(reading: Reading, difference: Difference) -> bool:
    """True if a sentence gives a value only in relation to another one: "20 euros higher", "20 minutes too late"."""
    last = max((at for at, word in enumerate(reading.words) if word in difference.value), default=0)
    return any(word.lower in RELATIVE for word in reading.words[last + 1 : last + 3])


def owners_differ(new: Reading, old: Reading) -> bool:
    """True for "my" beside "her"."""
    one, two = ({word.lower for word in reading.words} for reading in (new, old))
    if one & _OTHERS == two & _OTHERS:
        return False
    return bool(one & _OTHERS and two & (_MINE | _OTHERS)) or bool(two & _OTHERS and one & _MINE)


def is_set_apart(reading: Reading, other: Reading, difference: Difference) -> bool:
    """True if a word that only one sentence has makes its subject another thing."""
    return any(
        _heads(reading.words, at, other) or _frames(reading.words, at, other)
        for at, word in enumerate(reading.words)
        if word in difference.rest and not word.attribute and not word.type and word.lower not in ('here', 'there')
    )


def _heads(words: Sequence[Word], at: int, other: Reading) -> bool:
    """True for "tax" in "the tax of the rent is" and "the rent tax is", and for "aunt" in "my aunt's rent"."""
    word, before, after = words[at], (NO_WORD, *words)[at], (*words[at + 1 :], NO_WORD)[0]
    if word.text.endswith("'s") and before.lower in _MINE:
        return True
    follows = bool(before.key) and not before.type and before.key in other.telling
    behind = words[at + 2 : at + 5]
    on_a_thing = after.lower == 'on' and bool(behind) and behind[0].lower in ARTICLES
    if (after.lower == 'of' or on_a_thing) and any(word.key in other.telling for word in behind):
        # "The radio show of the choir is at 9", "the choir is on the radio at 9".
        return not follows
    if not follows or word.stem in CHANGES or _is_measured(other.words, before.key):
        return False
    may_be_verb = word.lower.endswith(('s', 'ed')) or before.lower.endswith('s') or is_past(words, at)
    return after.lower in _AFTER_SUBJECTS or after.stem in CHANGES or not may_be_verb


def _is_measured(words: Sequence[Word], key: int) -> bool:
    """True for the tea of "30 grams of tea": "the tea portion is 30 grams" says the same."""
    return any(
        word.key == key
        and before.lower == 'of'
        and any(earlier.type == 'number' for earlier in words[max(0, at - 2) : at])
        for at, (before, word) in enumerate(itertools.pairwise(words))
    )


def _frames(words: Sequence[Word], at: int, other: Reading) -> bool:
    """True for "novel" in "in the novel the rent is", and "lied" in "he lied that the rent is"."""
    shared = next((place for place, word in enumerate(words) if word.key in other.telling), len(words))
    if at >= shared or words[at].lower in FACTIVE:
        return False
    # "The debt that the club owes is" says nothing about the debt but which one it is.
    relative = at and words[at - 1].lower in ARTICLES
    if not relative and any(word.lower in ('that', 'to', 'me') for word in words[at + 1 : shared]):
        return True
    noun = 2 if len(words) > 1 and words[1].lower in ARTICLES else 1
    return words[0].lower in PREPOSITIONS and at >= noun
