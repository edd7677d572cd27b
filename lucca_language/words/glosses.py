"""Glosses: the beginnings of WordNet's definitions of artefacts, food, substances and print, and the kinds above them.

`laboratory/scripts/build_glosses.py` makes the table from the files of Debian's package `wordnet-base`; WordNet's
licence is beside it. `kinds.yaml` says which kinds of WordNet people mean by words such as `produce` or `silverware`.
"""

import functools
import lzma
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path

from lucca_core.errors import ConfigError
from lucca_core.yaml_file import load_yaml
from lucca_language.words.lexicon import lexicon
from lucca_language.words.morphology import NUMBER_WORDS

GLOSSES_FILE = Path(__file__).with_name('glosses.tsv.xz')
KINDS_FILE = Path(__file__).with_name('kinds.yaml')
_SUBSTANCES = frozenset({'foodstuff', 'liquid', 'stuff'})
"""Kinds of WordNet whose members are named by mass nouns."""
_DANGERS = frozenset(
    {'weapon', 'weaponry', 'explosive', 'knife', 'medicine', 'poison', 'weedkiller', 'insecticide', 'caustic'}
)
"""Kinds of WordNet that hurt somebody if they end up in the wrong place."""
_GENUS_WITHIN = 4
"""Of the words of a gloss, those that may name its kind."""
_NO_WORD = re.compile(r"[^a-z' -]")


class IsA(Enum):
    """Whether a thing belongs to a kind: WHOLE means the kind as named, HEAD a wider one (`winter clothes`)."""

    NOT = 'not'
    HEAD = 'head'
    WHOLE = 'whole'


@functools.lru_cache(maxsize=1)
def _table() -> Mapping[str, tuple[str, str]]:
    """Noun -> its gloss, and the names of the kinds above it, separated by commas.

    Raises:
        ConfigError: the file is missing or damaged.
    """
    try:
        with lzma.open(GLOSSES_FILE, 'rt', encoding='utf-8') as file:
            rows = (line.rstrip('\n').split('\t') for line in file)
            return {noun: (text, kinds) for noun, text, kinds in rows}
    except (OSError, lzma.LZMAError, EOFError, ValueError) as error:
        raise ConfigError(f'this is no table of glosses: {error!r}', file=str(GLOSSES_FILE)) from error


@functools.lru_cache(maxsize=1)
def _kinds() -> Mapping[str, frozenset[str]]:
    """People's word for a kind -> the kinds of WordNet."""
    return {str(kind): frozenset(names) for kind, names in load_yaml(KINDS_FILE).items()}


def gloss(name: str) -> str:
    """The gloss of a thing, by the longest ending of its name that is a known noun; empty if none is."""
    return _found(name)[0]


def has_noun(noun: str) -> bool:
    """Whether WordNet has just this noun."""
    return noun in _table()


@functools.lru_cache(maxsize=4096)
def kinds_above(name: str) -> frozenset[str]:
    """The names of the kinds above a thing; empty for an unknown noun."""
    return frozenset(_found(name)[1].split(',')) - {''}


def is_substance(name: str) -> bool:
    """Whether a thing is some amount of a substance, such as flour or soap, rather than one piece, such as a cup."""
    return not _SUBSTANCES.isdisjoint(kinds_above(name))


def is_same(name: str, other: str) -> bool:
    """Whether WordNet has two names for the same thing, in the first sense of each: `couch` and `sofa`."""
    (first, kinds), (second, others) = (_table().get(word, ('', '')) for word in (name, other))
    return first != '' and first == second and kinds.partition(',')[0] == others.partition(',')[0]


@functools.lru_cache(maxsize=4096)
def is_defined_as(name: str, kind: str) -> bool:
    """Whether WordNet defines a thing by a kind above it: a pillow is `a cushion to support the head …`."""
    text, kinds = _table().get(name, ('', ''))
    return kind in kinds.split(',') and kind in _NO_WORD.sub(' ', text).split()[:_GENUS_WITHIN]


def is_dangerous(name: str) -> bool:
    """Whether a thing is, in some sense of its name, a weapon, a knife, an explosive, a poison or a medicine.

    What the lexicon knows by its longest ending, such as crackers and tableware, is only dangerous if it is medical.
    """
    known = next((ending for ending in _endings(name) if ending in _table() or lexicon().knows(ending)), '')
    is_harmless = lexicon().knows(known) and 'medical' not in lexicon().above(known)
    return not is_harmless and not _DANGERS.isdisjoint(kinds_above(known))


def is_a(name: str, kind: str) -> IsA:
    """Whether a thing belongs to a kind, according to WordNet.

    Args:
        name: the name of the thing.
        kind: the kind in somebody's words, such as `baking supplies`.
    """
    names, is_whole = _meant(kind)
    if names.isdisjoint(kinds_above(name)):
        return IsA.NOT
    return IsA.WHOLE if is_whole else IsA.HEAD


@functools.lru_cache(maxsize=1024)
def broadest_categories(kind: str) -> frozenset[str]:
    """The broadest categories of the lexicon above a kind, in all senses of WordNet; empty if they are not known.

    Of a narrower kind than WordNet has, the lexicon must know the noun as a thing: `rice chips`, not `plastic toys`.
    """
    names, is_whole = _meant(kind)
    if not is_whole:
        known = next((ending for ending in _endings(kind) if lexicon().knows(ending)), '')
        return frozenset() if lexicon().is_category(known) else lexicon().broadest(known)
    found = [frozenset().union(*map(lexicon().broadest, kinds_above(name) | {name})) for name in names]
    return frozenset().union(*found) if all(found) else frozenset()


def household_kinds() -> tuple[str, ...]:
    """The kinds in people's words that `kinds.yaml` lists."""
    return tuple(_kinds())


def shared_kind(name: str, kind: str) -> float | None:
    """How narrow the narrowest kind is that a thing and a kind have in common, from 0 (none) to 1 (of one thing).

    A kind of n of all N things has log(N / n) / log(N), the information content of Resnik (1995), scaled.

    Returns:
        None if WordNet does not have the thing or the kind.
    """
    own, other = kinds_above(name), _around(kind)
    if not own or not other:
        return None
    total = len(_table())
    return max((math.log(total / _sizes().get(word, 1)) / math.log(total) for word in own & other), default=0.0)


@functools.lru_cache(maxsize=1)
def _sizes() -> Mapping[str, int]:
    """Kind -> the number of things below it."""
    return Counter(word for _, kinds in _table().values() for word in kinds.split(','))


@functools.lru_cache(maxsize=1024)
def _around(kind: str) -> frozenset[str]:
    """The kinds of WordNet that people mean by a kind, and the kinds above them."""
    names, _ = _meant(kind)
    return names.union(*(kinds_above(name) for name in names))


@functools.lru_cache(maxsize=1024)
def _meant(kind: str) -> tuple[frozenset[str], bool]:
    """The kinds of WordNet that people mean by a kind or by its last words, and whether all its words say so."""
    endings = list(_endings(kind))
    for said, single in zip(endings[::2], endings[1::2], strict=True):
        if names := frozenset(name for form in (said, single) for name in _named(form)):
            return names, said == endings[0]
    return frozenset(), False


def _named(kind: str) -> frozenset[str]:
    """The kinds of WordNet that people mean by a kind."""
    return _kinds().get(kind) or frozenset((kind,) if kind in _table() else ())


def _found(name: str) -> tuple[str, str]:
    return next((_table()[ending] for ending in _endings(name) if ending in _table()), ('', ''))


def _endings(name: str) -> Iterator[str]:
    """The endings of a name, longest first, each as it is and in the singular. Numbers are skipped."""
    words = [word for word in _NO_WORD.sub(' ', name.lower()).split() if word not in NUMBER_WORDS]
    for start in range(len(words)):
        ending = ' '.join(words[start:])
        yield ending
        yield lexicon().singular(ending)
