"""Sorting by the meaning of names: places for objects that the lexicon cannot sort, or doubts to ask about."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from lucca_language.reading.noun_phrase import NounPhrase
from lucca_language.reading.selectors import (
    Knowledge,
    ListedObject,
    Named,
    Not,
    Noun,
    Quality,
    Selector,
    walk,
    without_exceptions,
)
from lucca_language.words.lexicon import lexicon
from lucca_llm.rules.kinds.category import Category
from lucca_llm.rules.kinds.meaning import (
    LEAST_LIKENESS,
    Belonging,
    among_examples,
    among_kinds,
    has_meanings,
    is_word,
    prepare,
    read_with,
    weights,
)
from lucca_llm.rules.kinds.ruled_out import (
    is_known,
    is_ruled_out,
    is_settled,
    is_told_apart,
    lacks_quality,
    shows_opposite,
)
from lucca_llm.rules.kinds.sureness import SURE_OF_EXAMPLES, SURE_OF_KINDS, together

_NEAR = 0.35
"""If the text says where everything else goes, an object without a kind this near goes there."""
_NEAR_UNKNOWN = 0.45


@dataclass
class Sorted:
    """Places for objects, found by the meaning of the words.

    Attributes:
        chosen: object -> its category.
        unsure: the objects that no category takes with enough certainty.
        heard: the categories that some object is near to, which shows that their words mean something.
    """

    chosen: dict[str, Category] = field(default_factory=dict)
    unsure: list[str] = field(default_factory=list)
    heard: list[Category] = field(default_factory=list)

    def words(self) -> frozenset[str]:
        """The nouns and qualities that were understood by their meaning; exceptions have to be known exactly."""
        parts = (part for category in self.heard for part in walk(without_exceptions(category.item.selector)))
        return frozenset(part.word for part in parts if isinstance(part, Noun | Quality))


def sort_by_meaning(
    things: Iterable[ListedObject],
    categories: Sequence[Category],
    knowledge: Knowledge,
    may_take: Callable[[Category, ListedObject], bool],
    *,
    others_placed: bool = False,
) -> Sorted:
    """Decides about objects that the lexicon alone cannot sort. With fewer than two places, nothing is decided.

    Args:
        things: the objects.
        categories: the kinds that the text names.
        knowledge: tells whether the lexicon knows that an object is of a kind.
        may_take: whether an object may go to the place of a category.
        others_placed: whether the text says where everything else goes.
    """
    found = Sorted()
    if len({category.action for category in categories}) < 2:
        return found
    things = [thing for thing in things if not _is_left_out(thing, categories, knowledge)]
    open_to = [
        [
            item
            for item in categories
            if may_take(item, thing)
            and not is_excepted(thing, item.item, knowledge)
            and not lacks_quality(thing, item, knowledge)
        ]
        for thing in things
    ]
    undecided = {
        thing.name
        for thing, open_ones in zip(things, open_to, strict=True)
        if not is_settled(thing, open_ones, knowledge)
    }
    if not undecided:
        return found
    if not has_meanings():
        found.unsure += [] if others_placed else sorted(undecided)
        return found
    # What the lexicon decides is weighed for the opinion of all objects together only, which needs no scores.
    scored = [thing for thing in things if thing.name in undecided]
    _prepare(things, scored, categories)
    weighed = [
        _weighed(thing, open_ones, things, knowledge, is_scored=thing.name in undecided)
        for thing, open_ones in zip(things, open_to, strict=True)
    ]
    actions = list(dict.fromkeys(category.action for category in categories))
    confirmed = together([[item.shares.get(action, 0.0) for action in actions] for item in weighed if item.shares])
    opinions = iter(confirmed)
    sureness = SURE_OF_EXAMPLES if _are_examples(categories) else SURE_OF_KINDS
    for thing, item in zip(things, weighed, strict=True):
        opinion = dict(zip(actions, next(opinions), strict=True)) if item.shares else {}
        if thing.name not in undecided:
            continue
        found.heard += [category for category in item.heard if category not in found.heard]
        if not item.shares or item.near < (_NEAR if others_placed else 0.0):
            continue
        action = max(item.shares, key=lambda name: item.shares[name])
        least = LEAST_LIKENESS if len(item.shares) > 1 else max(LEAST_LIKENESS, _NEAR_UNKNOWN)
        best = item.best[action]
        sure = item.near >= least and sureness.is_sure(item.shares[action], opinion[action])
        shown = not _is_by_size(best, categories) or knowledge.matches(best.item.selector, thing)
        if sure and best in item.eligible and shown:
            found.chosen[thing.name] = best
        else:
            found.unsure.append(thing.name)
    return found


def _is_by_size(category: Category, categories: Sequence[Category]) -> bool:
    return category.is_by_size or any(category.differs_by_size(other) for other in categories)


def is_excepted(thing: ListedObject, item: NounPhrase, knowledge: Knowledge) -> bool:
    """Whether a kind is named with the exception of this object: `tools other than the corkscrew`, `no red tools`."""
    return any(isinstance(part, Not) and knowledge.matches(part.part, thing) for part in walk(item.selector))


def is_excepted_by_name(thing: ListedObject, item: NounPhrase, knowledge: Knowledge) -> bool:
    """The same if the exception names the object, as `the corkscrew` does, but not `anything red` or `food`."""
    return any(
        isinstance(part, Not) and knowledge.matches(part.part, thing) and names(part, thing)
        for part in walk(item.selector)
    )


def names(selector: Selector, thing: ListedObject) -> bool:
    """Whether a noun of a selector is the name of an object, the end of it, or a word of it."""
    parts = thing.label.split()
    said = (*parts, *(' '.join(parts[start:]) for start in range(len(parts))))
    words = {form for word in said for form in (word, lexicon().singular(word))}
    return any(isinstance(part, Named) or (isinstance(part, Noun) and part.word in words) for part in walk(selector))


def _is_left_out(thing: ListedObject, categories: Sequence[Category], knowledge: Knowledge) -> bool:
    """Whether an object that some kind excepts by its name has no place: none means it, and none is for the rest."""
    items = [category.item for category in categories]
    return any(is_excepted_by_name(thing, item, knowledge) for item in items) and not any(
        knowledge.matches(item.selector, thing) for item in items
    )


@dataclass(frozen=True)
class _Weighed:
    """The evidence for the places of an object.

    Attributes:
        shares: action -> its share of all evidence.
        best: action -> the category with the most evidence.
        eligible: the categories that are close enough and not ruled out. The others compete, too: what is nearest to
            one of them is not placed elsewhere.
        near: likeness of the nearest words.
        heard: the categories whose words mean something.
    """

    shares: dict[str, float]
    best: dict[str, Category]
    eligible: list[Category]
    near: float
    heard: list[Category]


def _weighed(
    thing: ListedObject,
    categories: Sequence[Category],
    things: Sequence[ListedObject],
    knowledge: Knowledge,
    *,
    is_scored: bool,
) -> _Weighed:
    shares: dict[str, float] = {}
    best: dict[str, tuple[float, Category]] = {}
    belongings = _belongings(thing, categories, is_scored=is_scored) if categories else ()
    for category, belonging in zip(categories, belongings, strict=True):
        shares[category.action] = shares.get(category.action, 0.0) + belonging.share
        if belonging.share > best.get(category.action, (-1.0, category))[0]:
            best[category.action] = belonging.share, category
    pairs = list(zip(categories, belongings, strict=True))
    # The closeness to examples is infinite.
    chosen = weights() if is_scored and not _are_examples(categories) else None
    known = is_known(thing, knowledge)
    least = 0.0 if chosen is None else chosen.least_closeness_if_known if known else chosen.least_closeness
    ruled_out = [
        category
        for category in categories
        if is_ruled_out(thing, category, knowledge)
        or is_told_apart(thing, category, things, knowledge)
        or shows_opposite(thing, category.item)
    ]
    return _Weighed(
        shares=shares,
        best={action: category for action, (_, category) in best.items()},
        eligible=[
            category for category, belonging in pairs if category not in ruled_out and belonging.closeness >= least
        ],
        near=max((belonging.likeness for category, belonging in pairs if category not in ruled_out), default=0.0),
        heard=[category for category, belonging in pairs if _is_heard(category, belonging)],
    )


def _is_heard(category: Category, belonging: Belonging) -> bool:
    """Whether the words of a category mean something: its noun is a word, or an object is very near to them."""
    return (
        category.item.example or belonging.likeness >= _NEAR_UNKNOWN or is_word(category.kind.words.rpartition(' ')[2])
    )


def _are_examples(categories: Sequence[Category]) -> bool:
    return all(category.item.example for category in categories)


def _belongings(thing: ListedObject, categories: Sequence[Category], *, is_scored: bool) -> Sequence[Belonging]:
    if not _are_examples(categories):
        return among_kinds(thing.label, [category.kind for category in categories], is_scored=is_scored)
    groups = _groups(categories)
    found = among_examples(thing.label, list(groups.values()), is_scored=is_scored)
    belonging = dict(zip(groups, found, strict=True))
    return [
        replace(belonging[item.action], share=belonging[item.action].share / len(groups[item.action]))
        for item in categories
    ]


def _groups(examples: Sequence[Category]) -> dict[str, list[str]]:
    """Action -> the examples of it."""
    groups: dict[str, list[str]] = {}
    for item in examples:
        groups.setdefault(item.action, []).append(item.item.text)
    return groups


def _prepare(things: Sequence[ListedObject], scored: Sequence[ListedObject], categories: Sequence[Category]) -> None:
    if _are_examples(categories):
        said = [category.item.text for category in categories]
        read = [text for group in _groups(categories).values() for text in read_with(group)]
    else:
        said = read = [category.kind.words for category in categories]
    prepare([thing.label for thing in things], said, [(thing.label, text) for thing in scored for text in read])
