"""Typing mistakes: words that are no words of English, and the known words from which they are one slip away.

A slip is a letter left out, added or wrong, or two neighbours swapped; in a long word there may be two. Numbers are
never guessed, nor words that restrict or deny: nobody is taken to say more or less than they did.
"""

import functools
import itertools
import re
from collections.abc import Collection, Iterable, Iterator

from lucca_core.edit_distance import edit_distance
from lucca_language.words.english import UNLISTED, is_english, is_known
from lucca_language.words.function_words import ARTICLES, FUNCTION_WORDS, RESTRICTIONS
from lucca_language.words.lexicon import lexicon
from lucca_language.words.morphology import NUMBER_WORDS, ORDINAL_WORDS
from lucca_language.words.verbs import is_handling, verb, verb_forms
from lucca_language.words.word_sets import any_of

_WORD = re.compile(r"(?<![\w'’-])[^\W\d_]+(?![\w'’-])")
_MEANINGLESS = any_of('the and please you with into from')
"""Words about which nothing is asked if two neighbours in them are swapped."""
_PLEASE = any_of('pleas plese plase pleae')
_DENIALS = RESTRICTIONS | any_of('dont stop halt freeze')
_NUMBERS = NUMBER_WORDS.keys() | ORDINAL_WORDS.keys()
_TWO_SLIPS_FROM, _ANY_SLIP_FROM, _ONE_SLIP_FROM = 8, 4, 3
"""The fewest letters of a word with two slips, with one in its first letter, and with one elsewhere.

A shorter one may only be a name, a verb or an article.
"""
_KEYS = (('qwertyuiop', 0.0), ('asdfghjkl', 0.25), ('zxcvbnm', 0.75))
_NEXT_KEY = 1.3
"""Less than this is between neighbours, in widths of a key."""
_MOST_WORDS, _MOST_TEXTS = 4, 16


@functools.lru_cache(maxsize=1)
def _autocorrections() -> dict[str, str]:
    """The slips about which nothing is asked, and what they stand for: `teh`, `adn`."""
    swapped = {
        slip: word for word in sorted(_MEANINGLESS) for slip in _swaps(word) if not (is_known(slip) or is_english(slip))
    }
    return swapped | dict.fromkeys(_PLEASE, 'please')


def _swaps(word: str) -> Iterator[str]:
    for at in range(len(word) - 1):
        yield f'{word[:at]}{word[at + 1]}{word[at]}{word[at + 2 :]}'


def autocorrected(text: str) -> str:
    """The text with slips corrected that need no question, as they mean no object: `the` for `teh`, `and` for `adn`."""
    return _WORD.sub(_autocorrected_word, text)


def _autocorrected_word(match: re.Match[str]) -> str:
    """What a word stands for if it is such a slip; a name in the middle of a sentence stays as it is."""
    word = match.group()
    begins = word.istitle() and match.string[: match.start()].rstrip()[-1:] in ('', '.', '!', '?')
    meant = _autocorrections().get(word.lower() if begins else word, word)
    return meant.capitalize() if begins else meant


def slips(text: str, names: Iterable[str] = ()) -> list[str]:
    """The words in a text that are neither words of English nor of these names."""
    known = {part for name in names for part in name.lower().split()}
    return [match.group() for match in _WORD.finditer(text) if _is_slip(match, known)]


def corrections(text: str, names: Iterable[str]) -> list[str]:
    """The texts that may be meant by a text with slips; none if there are no slips, or one of them cannot be told.

    Args:
        text: what was typed.
        names: what things and places here are called, and words for them.
    """
    words = {part for name in names for part in name.lower().split()}
    found = [match for match in _WORD.finditer(text) if _is_slip(match, words)]
    if not 0 < len(found) <= _MOST_WORDS or any(may_deny(match.group()) for match in found):
        return []
    meant = [_meant(match.group(), words) for match in found]
    texts = []
    for chosen in itertools.islice(itertools.product(*meant), _MOST_TEXTS + 1):
        text_meant, end = '', 0
        for match, word in zip(found, chosen, strict=True):
            text_meant += text[end : match.start()] + (word.capitalize() if match.group()[0].isupper() else word)
            end = match.end()
        texts.append(text_meant + text[end:])
    return texts if len(texts) <= _MOST_TEXTS else []


def may_deny(word: str) -> bool:
    """Whether a word that is none may be a slip of one that denies, restricts or stops: `nto`, `excpet`."""
    return not _is_word(word.lower()) and any(_is_near(word.lower(), denial) for denial in _DENIALS)


def _is_slip(match: re.Match[str], known: Collection[str]) -> bool:
    word = match.group()
    is_name = word[0].isupper() and match.start() > 0 and match.string[: match.start()].rstrip()[-1:] not in '.!?'
    if len(word) < 2 or is_name or not (word.islower() or word.istitle()):
        return False
    return not (word.lower() in known or lexicon().singular(word.lower()) in known or _is_word(word.lower()))


def _meant(slip: str, words: Collection[str]) -> list[str]:
    """The known words that are the fewest slips away; by the least rare slip: `cup` rather than `cups` for `cupp`."""
    word = slip.lower()
    if any(_is_near(word, number) for number in _NUMBERS):
        return []
    targets = {*words, *(f'{name}s' for name in words)} - _DENIALS
    further = verb_forms() | (FUNCTION_WORDS | UNLISTED if len(word) >= _ONE_SLIP_FROM else ARTICLES)
    targets |= further - _DENIALS
    near = {
        target: (_rarity(word, target), target not in words, verb(target) is not None and not is_handling(target))
        for target in targets
        if _is_near(word, target)
    }
    return sorted(target for target, cost in near.items() if cost == min(near.values()))


def _rarity(word: str, target: str) -> int:
    """How rare a slip is: letters swapped, doubled, left out or added or the next key hit, and any other."""
    if sorted(word) == sorted(target):
        return 0
    if set(word) == set(target):
        return 1
    if edit_distance(word, target) > 1:
        return 4
    if len(word) != len(target):
        return 2
    return next(2 if _is_beside(key, meant) else 3 for key, meant in zip(word, target, strict=True) if key != meant)


def _is_beside(key: str, other: str) -> bool:
    """Whether two letters are neighbours on the usual keyboard."""
    places = [complex(row.index(each) + shift, line) for each in (key, other) for line, (row, shift) in enumerate(_KEYS)
              if each in row]  # fmt: skip
    return len(places) == len((key, other)) and abs(places[0] - places[1]) < _NEXT_KEY


def _is_near(word: str, target: str) -> bool:
    """Whether a word may be a slip of another. In short words, the first letter is rarely wrong."""
    most = 2 if len(word) >= _TWO_SLIPS_FROM else 1
    begins = word[0] == target[0] or word[:2] == target[1::-1] or len(word) >= _ANY_SLIP_FROM
    begins |= len(word) >= _ONE_SLIP_FROM and _is_beside(word[0], target[0])
    return begins and abs(len(word) - len(target)) <= most and edit_distance(word, target) <= most


@functools.lru_cache(maxsize=4096)
def _is_word(word: str) -> bool:
    """Whether it is a word of English, as far as is known here."""
    return word in _DENIALS or is_known(word) or is_english(word)
