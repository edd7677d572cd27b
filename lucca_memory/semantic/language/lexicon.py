"""English words by their role in deciding whether two sentences state the same attribute; see words.yaml.

They tell which words name one attribute, which relations allow several values, which words distinguish subjects, and
which are uninformative. Words that are missing there are still compared by stem and by meaning.
"""

from collections.abc import Iterable
from functools import lru_cache

from lucca_memory.retrieval.analysis import STOP_WORDS, key_of, key_of_stem, stem_of
from lucca_memory.words import attribute_words, word_list, word_pairs, word_set

MOST_READ = 4_000
"""Number of texts whose readings stay in memory, about 3 kB each: enough for all texts of one comparison."""

_ENDINGS = tuple(word_list('endings'))
_LEAST_ROOT = 5
_SPELLINGS = word_pairs('spellings')


@lru_cache(maxsize=50_000)
def root_of(word: str) -> int:
    """The key of a lower-case word without its endings, equal for `delivers` and `delivery`; 0 for a function word."""
    if word in STOP_WORDS:
        return 0
    root, before = stem_of(word), ''
    root = _SPELLINGS.get(root, root)
    while root != before:
        before = root
        ending = next((end for end in _ENDINGS if root.endswith(end) and len(root) - len(end) >= _LEAST_ROOT), '')
        root = root[: len(root) - len(ending)]
    return key_of_stem(root)


def _stems(words: Iterable[str]) -> frozenset[int]:
    return frozenset(map(key_of, words))


ONE_AT_A_TIME = word_set('one_at_a_time')
"""Attributes with one value at a time."""

CLASS_OF = {key_of(word): name for name, words in attribute_words().items() for word in words if key_of(word)}
"""The attribute named by a stem."""

MANY = word_set('adjectives_of_many').union(
    form for verb in word_list('verbs_of_many') for form in (verb, f'{verb}s', f'{verb}d', f'{verb}ed')
)
"""Relations that allow several values, and events; another value does not supersede the old one."""

ONE_OF_MANY = word_set('one_of_many')
"""Relations to several people: another name is another person."""

ROLES = _stems(word_list('roles'))
"""Roles that one person at a time has, so that a new name supersedes the old one."""

FOR_LIFE = _stems(word_list('for_life'))
"""Events that happen once, so that a different account corrects the old one."""

COUNTED = word_set('counted')
"""Relations that allow several values, but only one count at a time: "needs 40 chairs"."""

INSCRIBED = word_set('inscribed')
"""Verbs for things that display their value."""

LIGHT = _stems(word_list('light'))
"""Verbs that only link an attribute to its value: a delivery comes on Friday, a grant amounts to a sum."""

CHANGES = _stems(word_list('changes'))
"""Words which say that something has another value than before."""

FACTIVE = word_set('factive')
"""Words before a clause that leave it a fact: "we decided that"."""

SUPPOSED = word_set('supposed')
"""Words of what is supposed, proposed, denied, only reported, or long past."""

RELATIVE = word_set('relative')
"""Words after a value that is the difference to another one."""

SIBLINGS = word_set('siblings')
"""Words that distinguish subjects, however similar their meanings."""

PREPOSITIONS = word_set('prepositions')
ARTICLES = word_set('articles')

TRANSPARENT = word_set('transparent')
"""Words that say nothing about an attribute or its value."""

UNITS_OF_TIME = word_set('units_of_time')

MEASURES = UNITS_OF_TIME | word_set('measures')
"""Units, which say nothing of what is measured."""

IDLE = _stems(word_list('idle'))
"""Words of small talk and moods, which state no attribute."""

NOT_HELD = word_set('not_held')
"""Words that exclude a sentence from stating an attribute by its form alone, without a name or number."""

DOUBTFUL = word_set('doubtful')
"""Words of plans, doubts and denials: a sentence with one of them does not state the value that it names."""

DENIALS = word_set('denials')
"""Words that deny what a sentence says."""

DECISIVE = DENIALS | word_set('restricting') | word_set('governing') | NOT_HELD | DOUBTFUL | SUPPOSED
"""Words that decide whether a sentence holds: without one of them it says something else."""

NUMBERS = word_pairs('numbers')
"""Number words."""
