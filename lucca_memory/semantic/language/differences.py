"""The difference between two sentences: the value that only one has, and the rest."""

from dataclasses import dataclass

from lucca_memory.semantic.language.lexicon import ARTICLES, PREPOSITIONS
from lucca_memory.semantic.language.reading import COPULAS, Reading, Word, is_verb

_AFTER_VERBS = (PREPOSITIONS | ARTICLES) - {'of', 'for'}
"""Words that follow a verb, not a noun that distinguishes a subject."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What only one of two sentences has: its value (a run of words) and the rest."""

    value: tuple[Word, ...]
    rest: tuple[Word, ...]
    types: frozenset[str]
    first: int
    several: bool
    """True if names or numbers differ in more than one place."""


def difference_of(one: Reading, other: Reading) -> Difference | None:
    """What only `one` has; None if it has nothing of its own."""
    fresh = [place for place, word in enumerate(one.words) if word.key and word.key not in other.keys]
    if not fresh:
        return None
    named = [place for place in fresh if one.words[place].type]
    if not named:
        # The value is the last run of words: "is green", "in the kitchen drawer".
        begin = end = fresh[-1]
        while begin - 1 in fresh or (begin - 2 in fresh and one.words[begin - 1].lower in PREPOSITIONS):
            begin -= 1 if begin - 1 in fresh else 2
        places = [place for place in fresh if begin <= place <= end]
        rest = [place for place in fresh if place < begin]
        types = frozenset(['thing' if begin and one.words[begin - 1].lower in ('a', 'an') else 'words'])
        return Difference(
            tuple(one.words[place] for place in places),
            tuple(one.words[place] for place in rest),
            types,
            begin,
            False,
        )
    begin, end = named[0], named[-1]
    between = [word for place, word in enumerate(one.words[begin:end], begin) if place not in named]
    several = any(word.key or word.lower in COPULAS for word in between)
    # Function words such as "rings at" between a name and a time separate two values, "on Tuesday at" does not.
    kinds = [one.words[place].type for place in named]
    several = several or kinds.count('name') > 1 or ('name' in kinds and len({*kinds} - {'date'}) > 1)
    rest = [place for place in fresh if place not in named]
    return Difference(
        tuple(one.words[place] for place in named),
        tuple(one.words[place] for place in rest),
        frozenset(kinds),
        begin,
        several,
    )


def places_of(reading: Reading, difference: Difference) -> set[tuple[str, int]]:
    """Positions of the rest: before or after which word, or after an article.

    Words in the same position distinguish subjects: the kelp probe, the glacier probe.
    """
    found: set[tuple[str, int]] = set()
    for place, word in enumerate(reading.words):
        if word not in difference.rest:
            continue
        if place + 1 < len(reading.words) and reading.words[place + 1] in difference.value and is_verb(word):
            # A word right before a value attaches it: "the badge of Ada reads 12".
            continue
        if place + 1 < len(reading.words) and (after := reading.words[place + 1]).key:
            found.add(('before', after.key))
        following = reading.words[place + 1].lower if place + 1 < len(reading.words) else ''
        if following in _AFTER_VERBS:
            continue
        if place and (before := reading.words[place - 1]).key:
            found.add(('after', before.key))
        elif place and before.lower in ARTICLES:
            found.add(('article', 0))
    return found


def runs_of(reading: Reading) -> set[tuple[int, int]]:
    """Pairs of adjacent content words."""
    pairs = zip(reading.words, reading.words[1:], strict=False)
    return {(one.key, two.key) for one, two in pairs if one.key and two.key and not one.type and not two.type}


def has_strange_unit(reading: Reading, difference: Difference, other: Reading) -> bool:
    """True if a value counts something that the other sentence does not mention."""
    for place, word in enumerate(reading.words[:-1]):
        if word in difference.value and word.type == 'number':
            unit = reading.words[place + 1]
            if unit.key and not unit.type and unit.key not in other.keys:
                return True
    return False
