"""What may be left out of a request so that the rest is understood, to be asked about: `the cabinet under the sink`.

No list says what is under a sink, so nothing is begun on such words alone. But where all else is clear, the question
names what is left out, and a yes is enough.
"""

import itertools
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace

from lucca_language.reading.reading import Reading
from lucca_language.reading.selectors import ListedObject
from lucca_language.words.function_words import (
    DENIALS,
    FUNCTION_WORDS,
    OCCASIONS,
    RESTRICTIONS,
    TIMES_AND_DEGREES,
)
from lucca_language.words.glosses import kinds_above
from lucca_language.words.lexicon import lexicon
from lucca_language.words.morphology import NUMBER_WORDS
from lucca_language.words.verbs import verb

_RELATION = (
    r'(?:in between|between|underneath|under|beneath|below|above|over|beside|behind|next to|close to|closest to|'
    r'nearest to|nearest|near|by|opposite|in front of|(?:to|on) the (?:left|right)(?: side)? of|at the end of|'
    r'inside of|inside|out of|from|off|on top of|on|in|at)'
)
_WORD = r"(?!(?:in|into|inside|on|onto|to|and|or|then|at|from|of|by|with|next|put|place)\b)[a-z][\w'’-]*"
_LOCATORS = re.compile(
    rf'\b(?:from )?{_RELATION} (?:(?:the|a|an) )?(?P<landmark>{_WORD}(?: {_WORD}){{0,2}}?(?: and (?:the )?{_WORD})?)'
    r'(?= (?:in|into|inside|on|onto|to|and|then|at|from|next|under\w*|beside|by)\b|\s*[,.;:!?]|\s*$)',
    re.IGNORECASE,
)
_PARTS = re.compile(
    r'(?<=\b(?:on|in|at|to|of) )the (?:very )?(?:back|front|side|edge|end|lid|corner|middle) of (?=(?:the|a|an|my) )'
    r'|(?<=\binto )the (?:back|front|side|middle) of (?=(?:the|a|an|my) )',
    re.IGNORECASE,
)
_KEPT = FUNCTION_WORDS | RESTRICTIONS | TIMES_AND_DEGREES | OCCASIONS | DENIALS
_NEGATIVE = ('un', 'non')
"""Prefixes of adjectives that say what a thing is not."""
_ORDINALS = frozenset({'second', 'third'})
"""These tell one drawer from others, as a question can ask."""
_LINKS = frozenset({'the', 'a', 'an', 'and'})
_CLAUSE_END = re.compile(r'[.,;:!?]')
_MOST_PHRASES, _MOST_LEFT_OUT = 6, 3


def readings_of_less(
    text: str, listed: Sequence[ListedObject], places: Sequence[str], read: Callable[[str], Reading]
) -> Iterator[Reading]:
    """The understood readings of a text without phrases that are in the way, which count as unread; fewest first.

    Args:
        text: a description or request that is not understood as it is.
        listed: the objects here, wherever they are.
        places: the containers here, in lower case.
        read: reads a text.
    """
    phrases = list(itertools.islice(_phrases(text, listed, places), _MOST_PHRASES))
    for count in range(1, _MOST_LEFT_OUT + 1):
        for left_out in itertools.combinations(phrases, count):
            if (reading := read(without(text, left_out))).is_understood:
                yield replace(reading, unread=tuple(text[start:end].strip() for start, end in left_out))


def without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text without the parts between these positions."""
    for start, end in sorted(spans, reverse=True):
        text = f'{text[:start].rstrip()} {text[end:].lstrip()}'
    return re.sub(r' (?=[.,;:!?])', '', text).strip()


def without_locators(text: str, listed: Sequence[ListedObject], places: Sequence[str]) -> str:
    """The text without all that tells where something is by what is not here."""
    return without(text, list(_phrases(text, listed, places)))


def _phrases(text: str, listed: Sequence[ListedObject], places: Sequence[str]) -> Iterator[tuple[int, int]]:
    names = {word for thing in listed for word in thing.label.split()} | {
        word for name in places for word in name.split()
    }
    end = 0
    for found in sorted((*_LOCATORS.finditer(text), *_PARTS.finditer(text)), key=lambda match: match.start()):
        words = (found.groupdict().get('landmark') or '').lower().split()
        if found.start() < end or _is_restricted(text[: found.start()]) or not _is_elsewhere(words, names):
            continue
        end = found.end()
        yield found.span()
    yield from _qualities(text, [*(thing.label for thing in listed), *places])


def _is_elsewhere(landmark: Sequence[str], names: Collection[str]) -> bool:
    """Whether a landmark is made of nouns alone, and of none that names something here."""
    nouns = [word for word in landmark if word not in _LINKS]
    return all(lexicon().singular(word) not in names and _is_plain_noun(word) for word in nouns)


def _qualities(text: str, names: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Words beside the name of a thing or place that say more of it: `second` in `the second drawer`, `toilet tank`."""
    for name in dict.fromkeys(names):
        before = rf'\b(?:the|a|an|two|both) (?P<told>(?:[a-z-]+ ){{1,3}}?)(?={re.escape(name)})'
        behind = rf'(?<=\b{re.escape(name)})(?P<told>(?: [a-z-]+){{1,2}})(?=\s*(?:[.,;!?]|$))'
        for pattern, may_be_left_out in ((before, _is_plain_quality), (behind, _is_plain_noun)):
            for found in re.finditer(pattern, text, re.IGNORECASE):
                told = found['told'].lower().split()
                if all(map(may_be_left_out, told)) and not _is_restricted(text[: found.start()]):
                    yield found.span('told')


def _is_restricted(before: str) -> bool:
    """Whether what follows stands in a clause that forbids, excepts or depends on something: `except those on …`."""
    clause = _CLAUSE_END.split(before.lower())[-1]
    return not RESTRICTIONS.isdisjoint(clause.split())


def _is_plain_noun(word: str) -> bool:
    """Whether a word is the noun of a thing, and may say no more than where something is or what belongs to it."""
    return _is_plain_quality(word) and (lexicon().knows(lexicon().singular(word)) or kinds_above(word) != frozenset())


def _is_plain_quality(word: str) -> bool:
    """Whether a word may be left out: it says nothing of how many, when, which others or what to do, or of a colour."""
    if word in _ORDINALS:
        return True
    parts = [form for part in word.split('-') for form in (part, lexicon().singular(part))]
    is_kept = any(part in _KEPT or part in NUMBER_WORDS or part.startswith(_NEGATIVE) for part in parts)
    is_deed = verb(word) is not None and not lexicon().knows(word)
    return not (is_kept or is_deed or lexicon().colour(word) is not None)
