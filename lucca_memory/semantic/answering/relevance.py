"""Recognising statements that are not about what was asked, so that they mark no other one as outdated.

Without a mark of doubt, two texts are left to choose from; with a wrong one, the valid text is hidden. So a single
distinguishing word makes a statement irrelevant here, even though a true version with such a word stays unmarked.
"""

from collections.abc import Iterator, Sequence

from lucca_memory.semantic.language.lexicon import ARTICLES, IDLE, ONE_OF_MANY, SIBLINGS, UNITS_OF_TIME
from lucca_memory.semantic.language.questions import Wanted
from lucca_memory.semantic.language.reading import COPULAS, NO_WORD, Reading, Word, is_verb
from lucca_memory.words import word_set

_DEFINITE = ARTICLES - {'a', 'an'}
WHERE = frozenset(['in', 'at', 'on', 'near', 'inside', 'under', 'onto', 'around', 'into', 'behind', 'beside'])
"""Prepositions before a place."""
_FILLERS = word_set('fillers')
"""Words before a noun that do not make it another thing."""
_GENERAL = word_set('general')
"""Words after a noun that do not make it another thing: "the gym address"."""


def is_beside(wanted: Wanted, readings: Sequence[Reading], kind: str) -> bool:
    """True if clauses are about something other than the question: a possession of its subject, another attribute,
    another kind ("the guest password"), or the same for another purpose ("for the pancakes"). `kind` is the type of the
    value."""
    if _other_attribute(wanted, readings):
        return True
    return any(
        _belongs(wanted, reading.words)
        or _other_kind(wanted, reading.words)
        or (kind != 'name' and _for_another(wanted, reading.words))
        for reading in readings
    )


def _is_asked(wanted: Wanted, word: Word) -> bool:
    if word.key in wanted.items or word.stem in wanted.stems:
        return True
    return bool(word.attribute) and word.attribute in wanted.items.values()


def _tells_apart(wanted: Wanted, word: Word) -> bool:
    """True for a content word that is not asked for and is neither a value nor a filler."""
    if not word.key or word.type or word.stem in IDLE or word.lower in _FILLERS | UNITS_OF_TIME:
        return False
    return not _is_asked(wanted, word)


def _other_attribute(wanted: Wanted, readings: Sequence[Reading]) -> bool:
    """True if both name attributes but share none: "leaves", "arrives"."""
    asked = {item for item in wanted.items.values() if isinstance(item, str)}
    named = {word.attribute for reading in readings for word in _without_places(reading.words) if word.attribute}
    if 'stored' in asked:
        # "The passport lives in the closet."
        asked.add('residence')
    if 'residence' in asked:
        # "My parents have a place in Albany."
        asked.add('venue')
    return bool(asked and named) and not asked & named


def _without_places(words: Sequence[Word]) -> Iterator[Word]:
    """The words without locations: "in my flat" is not about where somebody lives."""
    inside = False
    for word in words:
        inside = word.lower in WHERE or (inside and (word.lower in ARTICLES or not word.key))
        if not inside:
            yield word
        inside = inside or word.lower in WHERE


def _belongs(wanted: Wanted, words: Sequence[Word]) -> bool:
    """True if a possession is named that is not asked for: "Mia's cat" in a question about Mia."""
    for place, word in enumerate(words[:-1]):
        if not word.text.endswith(("'s", 's’')):
            continue
        thing = next((item for item in words[place + 1 :] if not _is_filler(item)), NO_WORD)
        if _tells_apart(wanted, thing):
            return True
    return False


def _is_filler(word: Word) -> bool:
    return bool(word.key) and not word.type and (word.stem in IDLE or word.lower in _FILLERS)


def _other_kind(wanted: Wanted, words: Sequence[Word]) -> bool:
    """True if a word beside what is asked for makes it another thing: "my eye doctor", "my favourite dessert"."""
    for begin in range(len(words)):
        if begin and not (words[begin - 1].lower in _DEFINITE or words[begin - 1].text.endswith("'s")):
            continue
        phrase = _phrase(words, begin)
        asked = [at for at, word in enumerate(phrase) if _is_asked(wanted, word)]
        if not asked:
            continue
        if any(_tells_apart(wanted, word) and word.lower not in SIBLINGS | ONE_OF_MANY for word in phrase[: asked[-1]]):
            return True
        behind, following = phrase[asked[-1] + 1 :], words[begin + len(phrase) :][:1]
        ends = bool(following) and following[0].lower in COPULAS
        if behind and ends and _tells_apart(wanted, behind[-1]) and behind[-1].lower not in _GENERAL:
            return True
    return False


def _phrase(words: Sequence[Word], begin: int) -> Sequence[Word]:
    """The content words from a position on, up to a verb in the third person."""
    end = begin
    while end < len(words) and words[end].key and not words[end].type and not (end > begin and is_verb(words[end])):
        end += 1
    return words[begin:end]


def _for_another(wanted: Wanted, words: Sequence[Word]) -> bool:
    """True for "for the pancakes" if these are not asked for."""
    for place, word in enumerate(words[:-1]):
        if word.lower == 'for':
            at = place + 1
            while at < len(words) and words[at].lower in ARTICLES:
                at += 1
            phrase = _phrase(words, at)
            if phrase and not any(_is_asked(wanted, item) for item in phrase) and _tells_apart(wanted, phrase[-1]):
                return at > place + 1
    return False
