"""What one sentence says that another does not: its value, and what is left over."""

from dataclasses import dataclass

from lucca_memory.semantic.language.lexicon import ARTICLES, PREPOSITIONS
from lucca_memory.semantic.language.reading import COPULAS, Reading, Word, is_verb

_AFTER_VERBS = (PREPOSITIONS | ARTICLES) - {'of', 'for'}
"""What follows a verb rather than a noun that tells a subject from its sibling."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What a sentence has that another has not: its value (a run of words) and what is left over."""

    value: tuple[Word, ...]
    rest: tuple[Word, ...]
    types: frozenset[str]
    first: int
    several: bool
    """Names or numbers differ in more than one place."""


def difference_of(one: Reading, other: Reading) -> Difference | None:
    """What only `one` says; None if it says nothing of its own."""
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
    # Function words such as "rings at" between a name and a time part two things, "on Tuesday at" does not.
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
    """Where the left-over words stand: before or after which word, or after an article.

    Words in one and the same place tell one subject from its sibling: the kelp probe, the glacier probe.
    """
    found: set[tuple[str, int]] = set()
    for place, word in enumerate(reading.words):
        if word not in difference.rest:
            continue
        if place + 1 < len(reading.words) and reading.words[place + 1] in difference.value and is_verb(word):
            # What stands right before a value ties it: "the badge of Ada reads 12".
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
    """Pairs of content words that stand beside each other."""
    pairs = zip(reading.words, reading.words[1:], strict=False)
    return {(one.key, two.key) for one, two in pairs if one.key and two.key and not one.type and not two.type}


def has_strange_unit(reading: Reading, difference: Difference, other: Reading) -> bool:
    """True if a value counts something that the other sentence has no word for."""
    for place, word in enumerate(reading.words[:-1]):
        if word in difference.value and word.type == 'number':
            unit = reading.words[place + 1]
            if unit.key and not unit.type and unit.key not in other.keys:
                return True
    return False
