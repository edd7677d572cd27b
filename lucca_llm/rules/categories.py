"""Sorting by the meaning of names: places for objects that the lexicon cannot sort, or doubts to ask about."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from lucca_language.reading.noun_parser import GENERIC
from lucca_language.reading.noun_phrase import NounPhrase
from lucca_language.reading.selectors import (
    And,
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
from lucca_language.words.glosses import IsA, broadest_categories, is_a, is_dangerous
from lucca_language.words.lexicon import lexicon
from lucca_language.words.word_sets import any_of
from lucca_llm.rules.meaning import (
    LEAST_CONFIRMATION,
    LEAST_LIKENESS,
    LEAST_SHARE,
    LEAST_SHARE_IF_CONFIRMED,
    Belonging,
    Kind,
    among_examples,
    among_kinds,
    has_meanings,
    is_word,
    prepare,
    together,
    weights,
)
from lucca_llm.rules.qualities import QualifiedKind, rules_out, words_shown

_NEAR = 0.35
"""If the text says where everything else goes, an object without a kind this near goes there."""
_NEAR_UNKNOWN = 0.45
_AMOUNTS = any_of('half third quarter part pair couple dozen number lot')
"""Nouns for amounts, which do not name a kind."""
_SIZES = any_of('big bigger large larger huge small smaller little tiny heavy light tall short long')
"""Sizes, which cannot be told from the name of an object."""
_PACKED = 'container'
"""A category that rules nothing out: containers are named for what is in them, as in `jars`."""
_NO_PART = any_of('the a an all any every each of my our your other another remaining rest')


@dataclass(frozen=True)
class Category:
    """A noun phrase for objects of one kind, and the action that puts them into their place."""

    item: NounPhrase
    action: str

    @property
    def kind(self) -> Kind:
        """The words that name the kind."""
        said = [word for word in self.item.text.split() if word not in _NO_PART]
        return Kind(' '.join(said), self.item.is_rest)

    @property
    def is_by_size(self) -> bool:
        """Whether only a size distinguishes these objects."""
        words = self.kind.words.split()
        telling = [word for word in words if lexicon().singular(word) not in GENERIC]
        return bool(telling) and _SIZES.issuperset(telling)


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


def is_category(item: NounPhrase) -> bool:
    """Whether a noun phrase names a kind of objects rather than particular ones."""
    if item.count is not None or item.half or item.left_out or item.pronoun or item.abstract or item.vague:
        return False
    if isinstance(item.head, Noun) and item.head.word in _AMOUNTS:
        return False
    if item.definite and isinstance(item.head, Noun) and not lexicon().knows(item.head.word):
        return False  # `the rice chips` are particular objects, too
    # `red objects` and `whatever is edible` are decided by the lexicon's knowledge of the objects, not by their names.
    qualities = [part.word for part in walk(item.selector) if isinstance(part, Quality)]
    return isinstance(item.head, Noun) or any(not _knows_quality(word) for word in qualities)


def _knows_quality(word: str) -> bool:
    return lexicon().colour(word) is not None or bool(lexicon().adjectives.get(word))


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
            and not _lacks_quality(thing, item, knowledge)
        ]
        for thing in things
    ]
    undecided = {
        thing.name
        for thing, open_ones in zip(things, open_to, strict=True)
        if not _is_settled(thing, open_ones, knowledge)
    }
    if not undecided:
        return found
    if not has_meanings():
        found.unsure += [] if others_placed else sorted(undecided)
        return found
    are_examples = _are_examples(categories)
    said = [category.item.text if are_examples else category.kind.words for category in categories]
    # What the lexicon decides is weighed for the opinion of all objects together only, which needs no scores.
    scored = [] if are_examples else [thing.label for thing in things if thing.name in undecided]
    prepare([thing.label for thing in things], said, scored)
    weighed = [
        _weighed(thing, open_ones, things, knowledge, is_scored=thing.name in undecided)
        for thing, open_ones in zip(things, open_to, strict=True)
    ]
    actions = list(dict.fromkeys(category.action for category in categories))
    confirmed = together([[item.shares.get(action, 0.0) for action in actions] for item in weighed if item.shares])
    opinions = iter(confirmed)
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
        sure = item.near >= least and _is_sure(item.shares[action], opinion[action])
        if sure and best in item.eligible and not best.is_by_size:
            found.chosen[thing.name] = best
        else:
            found.unsure.append(thing.name)
    return found


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
    known = _is_known(thing, knowledge)
    least = 0.0 if chosen is None else chosen.least_closeness_if_known if known else chosen.least_closeness
    ruled_out = [
        category
        for category in categories
        if _is_ruled_out(thing, category, knowledge)
        or _is_told_apart(thing, category, things, knowledge)
        or _shows_opposite(thing, category.item)
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


def _is_sure(share: float, confirmed: float) -> bool:
    """Whether this share of the evidence is enough for a place; `confirmed` is the share that `together` gives it."""
    return share >= LEAST_SHARE or (share >= LEAST_SHARE_IF_CONFIRMED and confirmed >= LEAST_CONFIRMATION)


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
    actions = list(dict.fromkeys(category.action for category in categories))
    groups = [[item.item.text for item in categories if item.action == action] for action in actions]
    found = dict(zip(actions, among_examples(thing.label, groups), strict=True))
    sizes = {action: len(group) for action, group in zip(actions, groups, strict=True)}
    return [replace(found[item.action], share=found[item.action].share / sizes[item.action]) for item in categories]


def _is_settled(thing: ListedObject, categories: Sequence[Category], knowledge: Knowledge) -> bool:
    """Whether the lexicon decides where an object belongs: to one place, or to none if WordNet agrees."""
    if not all(_is_decided(thing, category, knowledge) for category in categories):
        return False
    fitting = [category for category in categories if knowledge.matches(category.item.selector, thing)]
    if not fitting:
        # The lexicon lists the members of categories such as tools, but not the kinds of, for example, pans.
        nouns = [category.kind.words for category in categories if not _is_listed(category)]
        return all(is_a(thing.label, words) is IsA.NOT for words in nouns)
    return len({category.action for category in fitting if not category.item.is_rest}) < 2


def _is_ruled_out(thing: ListedObject, category: Category, knowledge: Knowledge) -> bool:
    """Whether an object may not go to a category on the strength of its likeness alone.

    Weapons, knives, explosives, poisons and medicines may not. Others may not if the lexicon knows that they are
    something else.

    Where it lists the members of the category, the object is none of them. Kinds below a common one may overlap, such
    as snacks and nuts: there, WordNet's yes counts. Other categories are ruled out if WordNet has them below some of
    the lexicon's and the object is below others, as with cubes and crackers.
    """
    if category.item.is_rest or knowledge.matches(category.item.selector, thing):
        return False
    found = is_a(thing.label, category.kind.words)
    if is_dangerous(thing.label) and found is IsA.NOT and not is_dangerous(category.kind.words):
        return True
    if category.item.example:
        return False
    if _is_listed(category):
        return _is_decided(thing, category, knowledge) and not (found is IsA.WHOLE and _are_related(thing, category))
    if _last(thing.label) == _last(category.kind.words):
        return False  # dish soap is soap, even if the lexicon has them below different categories
    own, others = lexicon().broadest(_noun(thing)), broadest_categories(category.kind.words)
    return bool(own and others) and own.isdisjoint(others) and _PACKED not in others


def _lacks_quality(thing: ListedObject, category: Category, knowledge: Knowledge) -> bool:
    """Whether an object is of the kind, but without its qualities: a blue cup is none of `the red cups`."""
    if category.item.is_rest or category.item.example or knowledge.matches(category.item.selector, thing):
        return False
    if QualifiedKind(category.kind.words, knowledge).rules_out(thing):
        return True
    return knowledge.matches(category.item.head, thing) and (
        _shows_opposite(thing, category.item) or _is_decided(thing, category, knowledge)
    )


def _shows_opposite(thing: ListedObject, item: NounPhrase) -> bool:
    """Whether an object shows the opposite of a quality that a noun phrase asks for, as in `clothes that are wet`."""
    if item.example:
        return False
    parts = item.selector.parts if isinstance(item.selector, And) else (item.selector,)
    nouns = {part for part in walk(item.head) if isinstance(part, Noun)}
    wanted = [part.word for part in parts if isinstance(part, Noun | Quality) and part not in nouns]
    return any(rules_out(words_shown(thing), word) for word in wanted)


def _is_told_apart(
    thing: ListedObject, category: Category, things: Sequence[ListedObject], knowledge: Knowledge
) -> bool:
    """Whether the qualities of a kind seem to tell this object of it from others; then no likeness is enough."""
    if category.item.is_rest or category.item.example or knowledge.matches(category.item.selector, thing):
        return False
    if is_a(thing.label, category.kind.words) is IsA.WHOLE:
        return False
    return QualifiedKind(category.kind.words, knowledge).is_told_apart(thing, things)


def _last(words: str) -> str:
    """The last word in the singular, which is the noun."""
    return lexicon().singular(words.rpartition(' ')[2])


def _are_related(thing: ListedObject, category: Category) -> bool:
    """Whether an object and a category are below a common category of the lexicon."""
    nouns = (part.word for part in walk(category.item.selector) if isinstance(part, Noun))
    return any(not lexicon().above(_noun(thing)).isdisjoint(lexicon().above(noun)) for noun in nouns)


def _noun(thing: ListedObject) -> str:
    """What an object is called, in the singular and without its colour."""
    label = lexicon().singular(thing.label)
    first, _, rest = label.partition(' ')
    return rest if rest and lexicon().colour(first) and not lexicon().knows(label) else label


def _is_listed(category: Category) -> bool:
    parts = (part for part in walk(category.item.selector) if isinstance(part, Noun))
    return all(lexicon().is_category(part.word) for part in parts)


def _is_decided(thing: ListedObject, category: Category, knowledge: Knowledge) -> bool:
    """Whether the lexicon, the text or the listed attributes show if an object belongs to a category."""
    if category.item.example:
        return False
    parts = [part for part in walk(category.item.selector) if isinstance(part, Noun | Quality)]
    known = all(
        part.word in knowledge.meanings
        or (lexicon().knows(part.word) if isinstance(part, Noun) else _knows_quality(part.word))
        for part in parts
    )
    return known and _is_known(thing, knowledge)


def _is_known(thing: ListedObject, knowledge: Knowledge) -> bool:
    """Whether the lexicon or the text knows an object by its name: `cup`, `old cup`, `red zorb`."""
    label = lexicon().singular(thing.label)
    *qualities, noun = label.split()
    return (
        lexicon().knows(label)
        or label in knowledge.meanings
        or (bool(qualities) and lexicon().colour(qualities[0]) is not None)
        or 'toy' in qualities
        or (lexicon().knows(noun) and all(word in lexicon().adjectives or lexicon().colour(word) for word in qualities))
    )
