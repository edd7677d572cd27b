"""Deciding whether a statement supersedes another one: same attribute, same subject, another value.

Words such as "now" or "moved" play no role. Two sentences are compared: what both share is the common ground; what only
one has is its value (one run of words) and a rest. They state one attribute if neither rest contains a name, and the
attribute's words agree by stem, by a list of common attributes, or by meaning. Then, if the values have one type and
differ, the newer statement supersedes the older one.
"""

import itertools
from collections.abc import Callable, Sequence

from lucca_memory.embedding.embedder import Vectors
from lucca_memory.semantic.consolidation.separations import is_relative, is_set_apart, is_unsure, owners_differ
from lucca_memory.semantic.language.differences import Difference, difference_of, has_strange_unit, places_of, runs_of
from lucca_memory.semantic.language.lexicon import (
    ARTICLES,
    CHANGES,
    IDLE,
    LIGHT,
    MEASURES,
    ONE_AT_A_TIME,
    PREPOSITIONS,
    ROLES,
    UNITS_OF_TIME,
)
from lucca_memory.semantic.language.reading import NO_WORD, Reading, Word
from lucca_memory.semantic.language.tenses import tells_the_past

Embed = Callable[[str], Vectors | None]
"""Returns the vector of a short text; None without an embedder."""

_SAME_WORDS = 0.6
"""Cosine above which the rests mean the same."""
_SAME_KIND = 0.25
"""Cosine above which two values of words are of one kind: green and blue, but not nurse and Tuesday."""
_MOST_VALUE_WORDS = 4
_WHERE = frozenset(['in', 'at', 'on', 'near', 'inside', 'under', 'onto', 'around', 'into'])
_WHO = frozenset(['with', 'by'])
_POSSESSIVES = frozenset(['my', 'our', 'your', 'his', 'her', 'their', 'its'])


def takes_the_place(new: Sequence[Reading], old: Sequence[Reading], embed: Embed, same_attribute: float) -> bool:
    """True if a clause of the newer text supersedes the only informative clause of the older text.

    An older text that says something else besides is kept, as closing it would hide that too.
    """
    giving = [reading for reading in old if _gives(reading)] or list(old)
    return len(giving) == 1 and any(supersedes(reading, giving[0], embed, same_attribute) for reading in new)


def _gives(reading: Reading) -> bool:
    """True if a clause may state an attribute: it has a name, a number or an attribute word, or the right form."""
    if reading.doubtful:
        return False
    return bool(reading.classes) or reading.plain or any(word.type for word in reading.words)


def supersedes(new: Reading, old: Reading, embed: Embed, same_attribute: float) -> bool:
    """True if the newer statement gives the attribute of the older one another value.

    Args:
        new, old: the sentences, from one owner's memory.
        embed: embeds the rests.
        same_attribute: minimum cosine of two frames for one attribute.
    """
    if new.doubtful or old.doubtful or tells_the_past(new, old) or is_unsure(new) or owners_differ(new, old):
        return False
    if new.marks != old.marks or not _same_person(new, old) or says_the_same(new, old, embed):
        return False
    common = new.keys & old.keys
    if not common & new.telling and not (new.classes & old.classes and new.owner):
        return False
    mine, its = difference_of(new, old), difference_of(old, new)
    if mine is None or its is None or mine.several or its.several:
        return False
    if is_set_apart(new, old, mine) or is_set_apart(old, new, its) or is_relative(new, mine):
        return False
    if mine.types <= {'number', 'money'} and _before(new, mine) == 'by' != _before(old, its):
        # "Raised by 30 euros" is no value, but a change of it.
        return False
    if not (new.many or old.many) and _same_spot(new, old, mine, its):
        return True
    if not _of_one_type(mine, its, embed):
        return False
    if not _of_one_place(new, mine, old, its):
        return False
    if _of_many(new, old, mine) or _of_many(old, new, its):
        return False
    if (new.owner or old.owner) and not _is_one_of(new, old, mine, its):
        return False
    # "132 guests fit into Maple House", "… into Granite Court": the number is the value, the names are the subjects.
    if mine.types == its.types == {'name'} and any(
        word.key in common and word.type in ('number', 'time', 'money') for word in new.words
    ):
        return False
    # Two people may do the same, but a forum has only one chair.
    leading = _leads(new, mine, common) and _leads(old, its, common)
    if leading and not _is_role(new, common):
        return False
    if 'words' in mine.types & its.types or 'thing' in mine.types & its.types:
        return _same_form(new, old, mine, its, leading)
    return _same_attribute(new, old, mine, its, embed, same_attribute)


def may_compete(new: Reading, old: Reading) -> bool:
    """True if two statements may give one attribute two values: one subject, and values of one type other than words.

    A much weaker condition than `supersedes`; the caller must know otherwise that both are about the same thing.
    """
    if new.marks != old.marks or new.owner != old.owner:
        return False
    mine, its = difference_of(new, old), difference_of(old, new)
    if mine is None or its is None or not mine.types & its.types - {'words', 'thing'}:
        return False
    common = new.telling & old.telling
    named = any(word.type == 'name' and word.key in common for word in new.words)
    return bool(common) and (named or bool(new.owner) or bool(runs_of(new) & runs_of(old)))


def _of_many(reading: Reading, other: Reading, difference: Difference) -> bool:
    """True if a statement's relation allows several values, and the other one does not imply a single value.

    "The survey uses sensor KX-8" allows others, unless the other statement says "the sensor in the survey".
    """
    if not reading.many:
        return False
    alone = other.definite & reading.keys & reading.telling
    return other.many or not alone or bool(difference.types & {'words', 'thing'})


def _is_one_of(new: Reading, old: Reading, mine: Difference, its: Difference) -> bool:
    """True if two first-person statements have one value at a time: a count, or an attribute with a definite form ("my
    gym is", "the gym I go to"). People play, take, follow and belong to several things at once."""
    if not (mine.types | its.types) & {'name', 'words', 'thing'}:
        return True
    alone = (new.definite | old.definite) & new.keys & old.keys & new.telling
    return bool(alone) or bool(new.classes & old.classes & ONE_AT_A_TIME)


def _is_role(reading: Reading, common: frozenset[int]) -> bool:
    """True if only one person at a time has the stated role in a named thing: "chairs the forum"."""
    for place, word in enumerate(reading.words):
        if word.key in common and word.attribute == 'partner':
            return True
        if word.key in common and word.stem in ROLES:
            following = reading.words[place + 1 : place + 3]
            if any(item.type == 'name' or item.lower in ARTICLES - {'a', 'an'} for item in following):
                return True
    return False


def _same_form(new: Reading, old: Reading, mine: Difference, its: Difference, leading: bool) -> bool:
    """True if two sentences are equal except for one run of words, their value.

    Without names or numbers only the form shows what the value is: "the door is green", "the door is blue".
    """
    if not (new.plain and old.plain) or new.owner != old.owner or mine.rest or its.rest:
        return False
    values = (*mine.value, *its.value)
    if any(word.stem in IDLE for word in values) or max(len(mine.value), len(its.value)) > _MOST_VALUE_WORDS:
        return False
    one, two = (
        [word.key or word.lower for word in _shared(reading, other)] for reading, other in ((new, old), (old, new))
    )
    if one != two or not any(isinstance(item, int) and item in new.telling for item in one):
        return False
    return leading or (new.words[0].key or new.words[0].lower) == (old.words[0].key or old.words[0].lower)


def _same_spot(new: Reading, old: Reading, mine: Difference, its: Difference) -> bool:
    """True if both say where one thing is: "my passport is in the drawer", "I keep the passport in the safe"."""
    if (mine.types | its.types) - {'words', 'thing'}:
        return False
    if _before(new, mine, True) not in _WHERE or _before(old, its, True) not in _WHERE:
        return False
    ties = [word for word in (*mine.rest, *its.rest) if word.attribute not in ('stored', 'residence')]
    # A single thing ("my passport"), not an activity that happens in several places.
    alone = new.definite | old.definite
    things = {
        word.key
        for word in new.words
        if word.key in old.telling and word.key in alone and not word.type and not word.attribute
    }
    own = any(reading.owner for reading in (new, old)) or bool(new.definite & old.definite)
    return not ties and bool(things) and own and len(mine.value) <= _MOST_VALUE_WORDS >= len(its.value)


def _shared(reading: Reading, other: Reading) -> list[Word]:
    """The words that both sentences share, and the owner's, without uninformative ones."""
    return [
        word
        for word in reading.words
        if (word.key in other.keys if word.key else word.lower not in PREPOSITIONS | ARTICLES - _POSSESSIVES)
    ]


def _leads(reading: Reading, difference: Difference, common: frozenset[int]) -> bool:
    """True if the value precedes everything that is shared."""
    if reading.owner:
        return False
    return all(word.key not in common for word in reading.words[: difference.first])


def says_the_same(new: Reading, old: Reading, embed: Embed) -> bool:
    """True if two statements say the same in different words: the same names and numbers, the same attribute."""
    if new.marks != old.marks or new.owner != old.owner:
        return False
    named_new = {word.key for word in new.words if word.type}
    named_old = {word.key for word in old.words if word.type}
    if named_new != named_old or not named_new:
        return False
    rest_new = [word for word in new.words if word.key and word.key not in old.keys]
    rest_old = [word for word in old.words if word.key and word.key not in new.keys]
    if not rest_new and not rest_old:
        return True
    if len((new.keys & old.keys) - named_new) >= (1 if _pins_down(new) else 3):
        return True
    if not rest_new or not rest_old:
        return len(rest_new or rest_old) <= 1 and bool((new.keys & old.keys) - named_new)
    return _equivalent(rest_new, rest_old, embed)


def _pins_down(reading: Reading) -> bool:
    """True if a sentence is specific: a number or two names are hardly shared by chance."""
    types = [word.type for word in reading.words if word.type]
    return any(kind != 'name' for kind in types) or len(types) > 1


def _same_person(new: Reading, old: Reading) -> bool:
    """True if both have the same first person; "my train" may also be called "the train" by its owner."""
    if new.owner == old.owner:
        return True
    one, other = (new, old) if new.owner else (old, new)
    if one.owner in other.keys:
        return True
    # "My train leaves" and "The train leaves" match, but not somebody else's train.
    names = any(word.type == 'name' and word.key not in one.keys for word in other.words[:2])
    common = new.telling & old.telling
    return not other.owner and not names and (len(new.keys & old.keys) >= 2 or bool(common))


def _of_one_place(new: Reading, mine: Difference, old: Reading, its: Difference) -> bool:
    """False if one value is a location and the other one a companion: "in Bonn", "with Ada"."""
    if any(not word.type and word.key in old.telling for word in new.words if word.key):
        # Both name the attribute: "is an apprentice at ...", "... has her as an apprentice".
        return True
    one, two = _before(new, mine), _before(old, its)
    if one in _WHERE and two in _WHERE:
        return True
    return not (one in _WHERE and (two in _WHO or not its.first)) and not (
        two in _WHERE and (one in _WHO or not mine.first)
    )


def _before(reading: Reading, difference: Difference, over_article: bool = False) -> str:
    """The word before a value, or before its article."""
    at = difference.first - 1
    if over_article and at > 0 and reading.words[at].lower in ARTICLES:
        at -= 1
    return reading.words[at].lower if at >= 0 else ''


def _of_one_type(mine: Difference, its: Difference, embed: Embed) -> bool:
    if mine.types & its.types:
        if mine.types & {'words', 'thing'} and (mine.rest or its.rest):
            one, two = embed(_text(mine.value)), embed(_text(its.value))
            return one is not None and two is not None and float(one @ two) >= _SAME_KIND
        return True
    # A sentence's first word may or may not be a name: "Ada chairs the forum", "The chair of the forum is Tom Berg".
    if mine.types | its.types != {'name', 'words'}:
        return False
    unsure = its if 'name' in mine.types else mine
    return unsure.first == 0 and len(unsure.value) == 1 and not unsure.rest and unsure.value[0].stem not in IDLE


def _same_attribute(
    new: Reading, old: Reading, mine: Difference, its: Difference, embed: Embed, same_attribute: float
) -> bool:
    rest_new = [word for word in mine.rest if word.key != old.owner]
    rest_old = [word for word in its.rest if word.key != new.owner]
    if any(not word.type and word.key in old.telling for word in new.words if word.key):
        # If a word of the attribute is shared, the verb that links it to its value is ignored.
        rest_new = [word for word in rest_new if word.stem not in LIGHT]
        rest_old = [word for word in rest_old if word.stem not in LIGHT]
    if not all(any(word.lower in UNITS_OF_TIME for word in rest) for rest in (rest_new, rest_old)):
        # "$58", "$63 a month": only one of them states the period.
        rest_new = [word for word in rest_new if word.lower not in UNITS_OF_TIME]
        rest_old = [word for word in rest_old if word.lower not in UNITS_OF_TIME]
    if {*rest_new, *rest_old} <= _verbs_of_change(new, mine) | _verbs_of_change(old, its):
        return True
    anchored = _anchored(new, old, mine, its)
    if rest_new and rest_old:
        both = places_of(new, mine) & places_of(old, its)
        if any(kind == 'before' for kind, _ in both) and not any(word.attribute for word in (*rest_new, *rest_old)):
            # "The big hall", "the small hall": their meanings are near, their things are not.
            return False
        return anchored or _equivalent(rest_new, rest_old, embed)
    if anchored and 'name' not in mine.types:
        return True
    if anchored and not places_of(new, mine) and not places_of(old, its):
        # The additional word is a verb: "buys its reagents from", "the reagents are from".
        return True
    extra = rest_new or rest_old
    if all(word.attribute for word in extra):
        # "The deadline of the project is", "The project is due": only one names the attribute.
        return not new.classes or not old.classes or bool(new.classes & old.classes)
    one, two = embed(_frame(new, mine)), embed(_frame(old, its))
    return one is not None and two is not None and float(one @ two) >= same_attribute and len(extra) <= 2


def _verbs_of_change(reading: Reading, difference: Difference) -> frozenset[Word]:
    """ "Raised" in "the toll was raised to 7 euros", but not in "the extended warranty is 7 euros"."""
    if _before(reading, difference) != 'to':
        return frozenset()
    pairs = itertools.pairwise((NO_WORD, *reading.words))
    return frozenset(
        word
        for before, word in pairs
        if word.stem in CHANGES and word.lower.endswith('ed') and before.lower not in ARTICLES
    )


def _anchored(new: Reading, old: Reading, mine: Difference, its: Difference) -> bool:
    """True if both name the same subject and share a word of the attribute; the rest is then mere wording.

    The subject is a name, or a run of words that both have ("the kelp probe"). A unit that only one has, or words for
    two different attributes, mean different attributes.
    """
    if mine.types & {'words', 'thing'} or (new.classes and old.classes and not new.classes & old.classes):
        return False
    if has_strange_unit(new, mine, old) or has_strange_unit(old, its, new):
        return False
    if places_of(new, mine) & places_of(old, its):
        return False
    runs = runs_of(new) & runs_of(old)
    in_runs = {key for pair in runs for key in pair}
    # "Euros" is a unit, no attribute: "in the novel the rent is 90 euros" is no rent of 80 euros.
    common = new.keys & old.keys - _units(new) - _units(old)
    names = {word.key for word in new.words if word.key in common and (word.type == 'name' or word.lower in new.marks)}
    return bool(runs or names) and bool(common - in_runs - names)


def _units(reading: Reading) -> frozenset[int]:
    """The roots of the measures right after a number; hens and chairs are things that are counted."""
    pairs = itertools.pairwise(reading.words)
    return frozenset(word.key for number, word in pairs if number.type == 'number' and word.lower in MEASURES)


def _equivalent(one: list[Word], two: list[Word], embed: Embed) -> bool:
    """True if the rests name the same attribute."""
    shared = {word.attribute for word in one} & {word.attribute for word in two} - {''}
    if shared:
        one = [word for word in one if word.attribute not in shared]
        two = [word for word in two if word.attribute not in shared]
        if not one or not two:
            return len(one) + len(two) <= 1
    if any(word.attribute for word in one) and any(word.attribute for word in two):
        return False
    first, second = embed(_text(one)), embed(_text(two))
    return first is not None and second is not None and float(first @ second) >= _SAME_WORDS


def _frame(reading: Reading, difference: Difference) -> str:
    return ' '.join(word.text for word in reading.words if word not in difference.value and word.type != 'name')


def _text(words: 'tuple[Word, ...] | list[Word]') -> str:
    return ' '.join(word.text for word in words)
