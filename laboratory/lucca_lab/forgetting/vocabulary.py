"""The vocabulary of scenarios, one for each split, read from vocabulary.yaml."""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from lucca_core.yaml_file import load_yaml

FILE = Path(__file__).with_name('vocabulary.yaml')
MONTHS = [
    'January',
    'February',
    'March',
    'April',
    'May',
    'June',
    'July',
    'August',
    'September',
    'October',
    'November',
    'December',
]
CUE_LETTERS = 4
"""Number of letters at the beginning of a word by which its forms are recognised: `rents`, `rented`."""

_STOP = frozenset(
    [
        'the',
        'a',
        'an',
        'of',
        'is',
        'are',
        'in',
        'at',
        'on',
        'by',
        'for',
        'to',
        'and',
        'with',
        'from',
        'has',
        'have',
        'it',
        'its',
        'no',
        'was',
        'were',
        'not',
        'more',
    ]
)
_WORD = re.compile(r'[a-z]+')


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute of a thing: its wordings with {s} and {v}, its questions with {s}.

    Attributes:
        value: the kind of its values.
        link: the kind of thing that its value is, about which more is said; empty if its value is no thing.
        many: whether several values hold at once.
    """

    key: str
    value: str
    say: tuple[str, ...]
    ask: tuple[str, ...]
    link: str = ''
    many: bool = False

    @property
    def cues(self) -> tuple[str, ...]:
        """Beginnings of the words in its wordings and questions, without thing, value and function words."""
        words = [word for text in (*self.say, *self.ask) for word in _WORD.findall(text.lower().replace('{s}', ' '))]
        asked = {'where', 'when', 'which', 'what', 'who', 'whom', 'how', 'many', 'much', 'does', 'did', 'time', 'whose'}
        return tuple(dict.fromkeys(word[:CUE_LETTERS] for word in words if word not in _STOP | asked and len(word) > 2))


class Vocabulary:
    """The names, attributes and values of one split."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._words = document
        self.kinds = {kind: _attributes(entries) for kind, entries in document['kinds'].items()}
        self.families = {
            family: (str(entry['name']), _attributes(entry['attributes']))
            for family, entry in document['families'].items()
        }

    def value(self, kind: str, chance: random.Random) -> str:
        """A random value or name of some kind. The same value may be drawn twice."""
        if kind == 'date':
            return f'{chance.randint(1, 28)} {chance.choice(MONTHS)}'
        if kind == 'time':
            return f'{chance.randint(6, 22)}:{chance.randint(0, 59):02d}'
        if kind == 'amount':
            return f'{chance.randint(1010, 9890)} euros'
        if kind == 'count':
            return str(chance.randint(101, 999))
        if kind == 'person':
            return f'{chance.choice(self._words["first"])} {chance.choice(self._words["last"])}'
        if kind == 'code':
            return f'{chance.choice(self._words["code"])}-{chance.randint(11, 99)}'
        front, back = self._words[kind]
        joint = '' if kind == 'town' else ' '
        named = f'{chance.choice(front)}{joint}{chance.choice(back)}'
        return f'the {named}' if kind in ('project', 'event', 'club') else named


def _attributes(entries: Sequence[Mapping[str, Any]]) -> tuple[Attribute, ...]:
    return tuple(
        Attribute(
            key=str(entry['key']),
            value=str(entry['value']),
            say=tuple(entry['say']),
            ask=tuple(entry['ask']),
            link=str(entry.get('link', '')),
            many=bool(entry.get('many', False)),
        )
        for entry in entries
    )


@lru_cache
def vocabulary(split: str) -> Vocabulary:
    """The vocabulary of a split.

    Raises:
        ConfigError: vocabulary.yaml cannot be read.
    """
    return Vocabulary(load_yaml(FILE)[split])
