"""Objects that the lexicon cannot sort go to the place whose category is nearest in meaning, or are asked about."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from lucca_language.reading.noun_phrase import NounPhrase
from lucca_language.reading.selectors import Knowledge, ListedObject, Noun, Quality, walk
from lucca_language.words.lexicon import lexicon
from lucca_llm.rules.meaning import KNOWN, KNOWN_BY_ENDING, LEAST_LEAD, LEAST_SCORE, likeness

_NEAR = 0.5
"""A category of its own that is this near takes an object from `the other` ones of a broader category."""
_NO_PART = frozenset(
    [
        'the',
        'a',
        'an',
        'all',
        'any',
        'every',
        'each',
        'of',
        'my',
        'our',
        'your',
        'other',
        'another',
        'remaining',
        'rest',
    ]
)


@dataclass(frozen=True)
class Category:
    """A noun phrase for objects of one kind, and the action that puts them into their place."""

    item: NounPhrase
    action: str

    @property
    def words(self) -> str:
        """The words that say which objects."""
        return ' '.join(word for word in self.item.text.split() if word not in _NO_PART)


@dataclass
class Sorted:
    """Where objects go by the meaning of the words. `unsure`: they are near to the categories of several places."""

    chosen: dict[str, Category] = field(default_factory=dict)
    unsure: list[str] = field(default_factory=list)

    def words(self) -> frozenset[str]:
        """The nouns and qualities that were understood by their meaning."""
        parts = (part for category in self.chosen.values() for part in walk(category.item.selector))
        return frozenset(part.word for part in parts if isinstance(part, Noun | Quality))


def is_category(item: NounPhrase) -> bool:
    """Whether a noun phrase names a kind of objects and not certain ones."""
    if item.count is not None or item.pronoun or item.abstract or item.vague:
        return False
    # `red objects` and `whatever is edible` are told by what the lexicon knows of them, not by their name.
    qualities = [part.word for part in walk(item.selector) if isinstance(part, Quality)]
    return isinstance(item.head, Noun) or any(not _knows_quality(word) for word in qualities)


def _knows_quality(word: str) -> bool:
    return lexicon().colour(word) is not None or bool(lexicon().adjectives.get(word))


def sort_by_meaning(
    things: Iterable[ListedObject],
    categories: Sequence[Category],
    knowledge: Knowledge,
    may_take: Callable[[Category, ListedObject], bool],
) -> Sorted:
    """Decides for the objects for which the lexicon alone cannot. Between fewer than two places nothing is decided."""
    found = Sorted()
    if len({category.action for category in categories}) < 2:
        return found
    for thing in things:
        open_ones = [category for category in categories if may_take(category, thing)]
        if all(_is_decided(thing, category, knowledge) for category in open_ones):
            continue
        near = likeness(thing.label, [category.words for category in open_ones])
        if near is None:
            return found
        _choose(thing, open_ones, near, knowledge, found)
    return found


def _choose(
    thing: ListedObject, categories: Sequence[Category], near: Sequence[float], knowledge: Knowledge, found: Sorted
) -> None:
    own = max((value for category, value in zip(categories, near, strict=True) if not category.item.is_rest), default=0)
    scores: dict[str, tuple[float, Category]] = {}
    label = knowledge.lexicon.singular(thing.label)
    for category, value in zip(categories, near, strict=True):
        known = isinstance(category.item.head, Noun) and knowledge.matches(category.item.head, thing)
        score = value + (KNOWN if knowledge.lexicon.knows(label) else KNOWN_BY_ENDING) * known
        if category.item.is_rest and own >= max(_NEAR, value):
            continue
        if category.action not in scores or score > scores[category.action][0]:
            scores[category.action] = score, category
    ranked = sorted(scores.values(), key=lambda scored: -scored[0])
    best = ranked[0][0]
    lead = best - ranked[1][0] if len(ranked) > 1 else best
    if best >= LEAST_SCORE and lead >= LEAST_LEAD:
        found.chosen[thing.name] = ranked[0][1]
    else:
        found.unsure.append(thing.name)


def _is_decided(thing: ListedObject, category: Category, knowledge: Knowledge) -> bool:
    """Whether the lexicon, the text or the listed attributes tell if an object is of a category."""
    parts = [part for part in walk(category.item.selector) if isinstance(part, Noun | Quality)]
    known = all(
        part.word in knowledge.meanings
        or (lexicon().knows(part.word) if isinstance(part, Noun) else _knows_quality(part.word))
        for part in parts
    )
    label = lexicon().singular(thing.label)
    return known and (lexicon().knows(label) or label in knowledge.meanings or bool(lexicon().colour(label.split()[0])))
