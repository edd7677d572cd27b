"""What the lexicon, the text and the looks of an object decide about a category, whatever its name is like."""

from collections.abc import Sequence

from lucca_language.reading.noun_parser import GENERIC
from lucca_language.reading.noun_phrase import NounPhrase
from lucca_language.reading.selectors import And, Knowledge, ListedObject, Noun, Quality, walk
from lucca_language.words.glosses import IsA, broadest_categories, is_a, is_dangerous
from lucca_language.words.lexicon import lexicon
from lucca_language.words.word_sets import any_of
from lucca_llm.rules.kinds.category import Category, knows_quality
from lucca_llm.rules.kinds.kind_scores import is_listed
from lucca_llm.rules.kinds.qualities import QualifiedKind, rules_out, words_shown

_PACKED = 'container'
"""A category that rules nothing out: containers are named for what is in them, as in `jars`."""
_HOLDERS = any_of('jar box bin basket rack chest crate canister hamper tray holder organizer organiser stand shelf')
"""Last words of the names of containers that outlast what is in them, as in `cookie jar`."""
_BAGS = any_of('bag case')
"""Last words of names that may be of containers: a phone case is no phone, but a pillow case is bedding."""
_PACKAGES = any_of('bottle can carton pack packet tin tube sachet jug')
"""Last words of the names of packages, which many people count among what is in them: a milk carton among drinks."""
_LIKE_HOLDERS = any_of('container kitchenware decoration')
"""The categories that such containers may belong to themselves."""
_OF_ANY_USE = GENERIC | any_of('supply product equipment gear accessory necessity essential')
"""Nouns for whatever is used somewhere: a pen holder is among the office supplies."""


def is_settled(thing: ListedObject, categories: Sequence[Category], knowledge: Knowledge) -> bool:
    """Whether the lexicon decides where an object belongs: to one place, or to none if WordNet agrees."""
    if not all(_is_decided(thing, category, knowledge) for category in categories):
        return False
    fitting = [category for category in categories if knowledge.matches(category.item.selector, thing)]
    if not fitting:
        # The lexicon lists the members of categories such as tools, but not the kinds of, for example, pans.
        nouns = [category.kind.words for category in categories if not _is_listed(category)]
        if any(is_listed(thing.label, category.kind.words) for category in categories):
            return False
        return all(is_a(thing.label, words) is IsA.NOT for words in nouns)
    return len({category.action for category in fitting if not category.item.is_rest}) < 2


def is_ruled_out(thing: ListedObject, category: Category, knowledge: Knowledge) -> bool:
    """Whether an object may not go to a category on the strength of its likeness alone.

    Weapons, knives, explosives, poisons and medicines may not. Others may not if the lexicon knows that they are
    something else.

    Where it lists the members of the category, the object is none of them. Kinds below a common one may overlap, such
    as snacks and nuts: there, WordNet's yes counts; that of the lists of members counts everywhere. Other categories
    are ruled out if WordNet has them below some of the lexicon's and the object is below others, as with cubes and
    crackers.
    """
    if category.item.is_rest or knowledge.matches(category.item.selector, thing):
        return False
    found = is_a(thing.label, category.kind.words)
    if is_dangerous(thing.label) and found is IsA.NOT and not is_dangerous(category.kind.words):
        return True
    if category.item.example or is_listed(thing.label, category.kind.words):
        return False
    if found is not IsA.WHOLE and _only_holds(thing, category):
        return True
    if _is_listed(category):
        return _is_decided(thing, category, knowledge) and not (found is IsA.WHOLE and _are_related(thing, category))
    if _last(thing.label) == _last(category.kind.words):
        return False  # dish soap is soap, even if the lexicon has them below different categories
    own, others = lexicon().broadest(_noun(thing)), broadest_categories(category.kind.words)
    return bool(own and others) and own.isdisjoint(others) and _PACKED not in others


def _only_holds(thing: ListedObject, category: Category) -> bool:
    """Whether an object is a container for what the category names, or for something like it: cookie jars, cookies.

    The lexicon may know better: see `is_settled`.
    """
    *before, last = map(lexicon().singular, thing.label.split())
    if not before or lexicon().knows(lexicon().singular(thing.label)):
        return False
    contents, kind = ' '.join(before), category.kind.words
    if last in _PACKAGES:
        return lexicon().singular(kind) in {contents, *lexicon().same.get(contents, ())}
    is_for_it = lexicon().is_a(contents, lexicon().singular(kind)) or is_a(contents, kind) is IsA.WHOLE
    if _last(kind) in _OF_ANY_USE and is_for_it:
        return False
    kinds = lexicon().broadest(lexicon().singular(kind)) or broadest_categories(kind)
    is_unlike = bool(kinds) and kinds.isdisjoint(_LIKE_HOLDERS)
    return (last in _HOLDERS and is_unlike) or (last in _HOLDERS | _BAGS and is_for_it)


def lacks_quality(thing: ListedObject, category: Category, knowledge: Knowledge) -> bool:
    """Whether an object is of the kind, but without its qualities: a blue cup is none of `the red cups`."""
    if category.item.is_rest or category.item.example or knowledge.matches(category.item.selector, thing):
        return False
    if QualifiedKind(category.kind.words, knowledge).rules_out(thing):
        return True
    return knowledge.matches(category.item.head, thing) and (
        shows_opposite(thing, category.item) or _is_decided(thing, category, knowledge)
    )


def shows_opposite(thing: ListedObject, item: NounPhrase) -> bool:
    """Whether an object shows the opposite of a quality that a noun phrase asks for, as in `clothes that are wet`."""
    if item.example:
        return False
    parts = item.selector.parts if isinstance(item.selector, And) else (item.selector,)
    nouns = {part for part in walk(item.head) if isinstance(part, Noun)}
    wanted = [part.word for part in parts if isinstance(part, Noun | Quality) and part not in nouns]
    return any(rules_out(words_shown(thing), word) for word in wanted)


def is_told_apart(
    thing: ListedObject, category: Category, things: Sequence[ListedObject], knowledge: Knowledge
) -> bool:
    """Whether the qualities of a kind seem to tell this object of it from others; then no likeness is enough."""
    if category.item.is_rest or category.item.example or knowledge.matches(category.item.selector, thing):
        return False
    if is_a(thing.label, category.kind.words) is IsA.WHOLE or is_listed(thing.label, category.kind.words):
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
        or (lexicon().knows(part.word) if isinstance(part, Noun) else knows_quality(part.word))
        for part in parts
    )
    return known and is_known(thing, knowledge)


def is_known(thing: ListedObject, knowledge: Knowledge) -> bool:
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
