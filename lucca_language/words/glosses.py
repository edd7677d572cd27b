"""Glosses: the beginnings of WordNet's definitions of artefacts, food, substances and print, and the kinds above them.

`laboratory/scripts/build_glosses.py` makes the table from the files of Debian's package `wordnet-base`; WordNet's
licence is beside it. `kinds.yaml` says which kinds of WordNet people mean by words such as `produce` or `silverware`.
"""

import functools
import lzma
import re
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


def kinds_above(name: str) -> frozenset[str]:
    """The names of the kinds above a thing; empty for an unknown noun."""
    return frozenset(_found(name)[1].split(',')) - {''}


def is_substance(name: str) -> bool:
    """Whether a thing is some amount of a substance, such as flour or soap, rather than one piece, such as a cup."""
    return not _SUBSTANCES.isdisjoint(kinds_above(name))


def is_a(name: str, kind: str) -> IsA:
    """Whether a thing belongs to a kind, according to WordNet.

    Args:
        name: the name of the thing.
        kind: the kind in somebody's words, such as `baking supplies`.
    """
    above = kinds_above(name)
    endings = list(_endings(kind))
    for said, single in zip(endings[::2], endings[1::2], strict=True):
        names = {name for form in (said, single) for name in _named(form)}
        if names:
            found = IsA.WHOLE if said == endings[0] else IsA.HEAD
            return IsA.NOT if names.isdisjoint(above) else found
    return IsA.NOT


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
