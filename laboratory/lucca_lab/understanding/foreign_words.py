"""Trials in which a random word is inserted into a sentence that was understood: it must not be ignored.

The words come from an outside list, the sentences from a generator. With the word, either nothing moves, or the robot
does what the word asks for; a person judges that from the lines that are kept.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from lucca_core.errors import ConfigError
from lucca_lab.understanding.drawn_request import DrawnRequest
from lucca_lab.understanding.requests import JudgedRequest, Verdict, judge_requests
from lucca_lab.understanding.requests_drawn import draw_requests, wonderwords_list

_KINDS: Mapping[str, str] = {'noun': 'nounlist.txt', 'adjective': 'adjectivelist.txt', 'verb': 'verblist.txt'}
_BATCH = 20


class WordEffect(StrEnum):
    """The effect of the word. STILL: nothing moved. SAME: the same moved as without it. OTHER: something else moved."""

    STILL = 'still'
    SAME = 'same'
    OTHER = 'other'


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignWord:
    """A sentence with an inserted word, and its outcomes without and with the word."""

    word: str
    kind: str
    before: JudgedRequest
    after: JudgedRequest

    @property
    def effect(self) -> WordEffect:
        """The effect of the word."""
        done = self.after.outcome.performed
        if not done:
            return WordEffect.STILL
        return WordEffect.SAME if done == self.before.outcome.performed else WordEffect.OTHER


@dataclass(frozen=True, slots=True)
class ForeignWordsReport:
    """All sentences."""

    found: Sequence[ForeignWord]

    def as_json(self) -> dict[str, Any]:
        """Counts of effects, in total and by the kind of the word."""
        counts = Counter(item.effect for item in self.found)
        kinds: dict[str, Counter[WordEffect]] = {}
        for item in self.found:
            kinds.setdefault(item.kind, Counter())[item.effect] += 1
        return {
            'sentences': len(self.found),
            **{str(effect): counts[effect] for effect in WordEffect},
            'by_kind': {kind: {str(effect): count[effect] for effect in WordEffect} for kind, count in kinds.items()},
        }


def load_foreign_words(file: Path | None = None) -> dict[str, tuple[str, ...]]:
    """Words by kind: those of a file are all of kind `word`; without a file, they are those of `wonderwords`.

    Raises:
        ConfigError: the file cannot be read, `wonderwords` is not installed, or there is no usable word.
    """
    if file is not None:
        try:
            lines = {'word': file.read_text(encoding='utf-8').splitlines()}
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f'the words cannot be read: {error}', file=str(file)) from error
    else:
        lines = {kind: list(wonderwords_list(name)) for kind, name in _KINDS.items()}
    words = {kind: tuple(word for word in map(str.strip, found) if _is_plain(word)) for kind, found in lines.items()}
    if not all(words.values()):
        raise ConfigError('there are no words of three letters or more', file=str(file or 'wonderwords'))
    return words


def try_foreign_words(
    count: int,
    seed: int,
    nouns: Sequence[str],
    words: Mapping[str, Sequence[str]],
    *,
    llm: str,
    on_progress: Callable[[int], None] = lambda _: None,
) -> ForeignWordsReport:
    """Inserts a word at a random place into each of `count` sentences that were done right.

    Raises:
        ConfigError: the spec is wrong.
    """
    chance = random.Random(seed)
    found: list[ForeignWord] = []
    for understood in _understood(seed, nouns, llm):
        on_progress(len(found))
        before = understood[: count - len(found)]
        drawn = [_with_word(chance, item.request, words) for item in before]
        after = judge_requests([request for _, _, request in drawn], llm=llm)
        for item, (kind, word, _), outcome in zip(before, drawn, after.judged, strict=True):
            found.append(ForeignWord(word=word, kind=kind, before=item, after=outcome))
        if len(found) >= count:
            break
    return ForeignWordsReport(found)


def _understood(seed: int, nouns: Sequence[str], llm: str) -> Iterator[list[JudgedRequest]]:
    """Batches of requests that were done right and moved something."""
    for number in range(10**6):
        judged = judge_requests(draw_requests(_BATCH, seed + 1000 * (number + 1), nouns), llm=llm).judged
        yield [item for item in judged if item.verdict is Verdict.RIGHT and item.outcome.performed]


def _with_word(
    chance: random.Random, request: DrawnRequest, words: Mapping[str, Sequence[str]]
) -> tuple[str, str, DrawnRequest]:
    kind = chance.choice(list(words))
    said = request.text.split()
    word = chance.choice([item for item in words[kind] if item not in request.text.lower()])
    at = chance.randrange(1, len(said) + 1)
    if at == len(said):
        last = said[-1].rstrip('.!?')
        said = [*said[:-1], last, word + request.text[len(request.text.rstrip('.!?')) :]]
    else:
        said.insert(at, word)
    return kind, word, replace(request, text=' '.join(said))


def _is_plain(word: str) -> bool:
    return len(word) >= 3 and word.isascii() and word.isalpha() and word.islower()
