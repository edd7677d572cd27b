"""Word sequences that sound like stop words, drawn from the pronouncing dictionary of pocketsphinx.

False stops rarely come from single words that one would think of ("top", "shop"), and often from sounds across words:
"let us talk", "please call a friend". Words are therefore drawn by pronunciation and spoken in sequence.
"""

import functools
import random
from collections.abc import Iterator, Sequence
from importlib import resources

from lucca_core.stop_command import STOP_WORDS

_DICTIONARY = 'model/en-us/cmudict-en-us.dict'
_MOST_PHONES = 7
_ALIKE, _LEAST_ALIKE = 1.6, 2.6
"""Largest weighted edit distances at which a word sounds much like a stop word, or somewhat like one."""
_CLASSES = (
    *('AA AO AH AW AE OW ER', 'IY IH EY EH AY UW UH OY', 'P T K B D G', 'S Z SH ZH F V TH DH HH CH JH', 'L R W Y'),
    *('M N NG',),
)
_CLASS = {phone: number for number, phones in enumerate(_CLASSES) for phone in phones.split()}
_WITHIN, _ACROSS = 0.5, 1.0
_SAME = {'Z': 'S', 'AO': 'AA', 'B': 'P'}
"""Phones that cannot be distinguished across words: "his top" contains a "stop"."""
_SMALL = (
    'the a to me us it is my and of with please call you at for on in i we he she this that was are do let what not '
    'one so'
)
_MUCH_ALIKE, _SOMEWHAT_ALIKE, _SMALL_SHARE = 0.35, 0.25, 0.25
"""Shares of these words in a chain; the rest are any words."""
_PAUSE = 0.12


def chain(rng: random.Random) -> str:
    """Five to eight random words. No stop word is among them or arises between two of them."""
    much, somewhat, others = _words()
    while True:
        words = [_drawn(rng, much, somewhat, others) for _ in range(rng.randint(5, 8))]
        if not holds_stop([phone for word in words for phone in dictionary().get(word, ())]):
            return ''.join(word + (', ' if rng.random() < _PAUSE else ' ') for word in words).strip(' ,')


def _drawn(rng: random.Random, much: Sequence[str], somewhat: Sequence[str], others: Sequence[str]) -> str:
    draw = rng.random()
    if draw < _MUCH_ALIKE:
        return rng.choice(much)
    if draw < _MUCH_ALIKE + _SOMEWHAT_ALIKE:
        return rng.choice(somewhat)
    return rng.choice(_SMALL.split() if draw < _MUCH_ALIKE + _SOMEWHAT_ALIKE + _SMALL_SHARE else others)


def holds_stop(phones: Sequence[str]) -> bool:
    """Whether a stop word is somewhere in these phones, within a word or across words."""
    told = [_SAME.get(phone, phone) for phone in phones]
    return any(
        told[start : start + len(stop)] == stop
        for stop in ([_SAME.get(phone, phone) for phone in dictionary()[word]] for word in STOP_WORDS)
        for start in range(len(told) - len(stop) + 1)
    )


def distance(phones: Sequence[str], others: Sequence[str]) -> float:
    """Edit distance of two pronunciations. Phones of one class (open vowels, plosives, ...) count half."""
    row = [float(number) for number in range(len(others) + 1)]
    for number, phone in enumerate(phones, 1):
        last, row = row, [float(number)]
        for place, other in enumerate(others, 1):
            near = _WITHIN if _CLASS[phone] == _CLASS[other] else _ACROSS
            changed = last[place - 1] + (0.0 if phone == other else near)
            row.append(min(changed, last[place] + 1.0, row[-1] + 1.0))
    return row[-1]


@functools.cache
def dictionary() -> dict[str, tuple[str, ...]]:
    """Short words with the first pronunciation that the dictionary has for each."""
    found: dict[str, tuple[str, ...]] = {}
    for line in resources.files('pocketsphinx').joinpath(_DICTIONARY).read_text(encoding='utf-8').splitlines():
        word, *phones = line.split()
        if word.isascii() and word.isalpha() and 2 <= len(phones) <= _MOST_PHONES:
            found.setdefault(word, tuple(phones))
    return found


@functools.cache
def _words() -> tuple[list[str], list[str], list[str]]:
    """Words that sound much like a stop word, words that sound somewhat like one, and all others; none contains one."""
    stops = [dictionary()[word] for word in STOP_WORDS]
    much: list[str] = []
    somewhat: list[str] = []
    others: list[str] = []
    for word, phones in _without_stops():
        nearest = min(distance(phones, stop) for stop in stops)
        (much if nearest <= _ALIKE else somewhat if nearest <= _LEAST_ALIKE else others).append(word)
    return much, somewhat, others


def _without_stops() -> Iterator[tuple[str, tuple[str, ...]]]:
    return ((word, phones) for word, phones in dictionary().items() if not holds_stop(phones))
