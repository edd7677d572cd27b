"""Telling past from present: "Tom lived in Paris as a child" does not contradict "Tom lives in Berlin"."""

import itertools
from collections.abc import Iterator, Sequence

from lucca_memory.retrieval.analysis import stem_of
from lucca_memory.semantic.language.lexicon import root_of
from lucca_memory.semantic.language.reading import NO_WORD, Reading, Word
from lucca_memory.words import word_pairs

_NOW = frozenset(['is', 'are', 'am', "i'm", "we're", "it's"])
_WAS = frozenset(['was', 'were'])
_PERFECT = _NOW | _WAS | frozenset(['has', 'have', "i've", "we've", 'had', 'be', 'been', 'get', 'gets', 'got'])
"""Verbs before a participle: "is located", "has worked", "was moved" describe the current state."""
_IRREGULAR = {past: root_of(present) for past, present in word_pairs('irregular_pasts').items()}


def tells_the_past(new: Reading, old: Reading) -> bool:
    """True if one statement says about the past what the other says about the present, with the same verb."""
    if any(_before(new.words, at).lower == 'used' and word.lower == 'to' for at, word in enumerate(new.words)):
        return True
    # "The date planned for it", "it is planned for": a participle has no tense.
    held = {word.key for word in old.words if word.key and not word.type and not word.lower.endswith('ed')}
    if any(root in held for root in _pasts(new)):
        return True
    forms = {word.lower for word in new.words}, {word.lower for word in old.words}
    return _is_past_state(new.words) and not forms[0] & _NOW and bool(forms[1] & _NOW)


def is_past(words: Sequence[Word], at: int) -> bool:
    """True for a verb in the past tense, but not for "has worked" or "was moved"."""
    word = words[at]
    if word.type or _before(words, at).lower in _PERFECT:
        return False
    return word.lower in _IRREGULAR or bool(
        word.key and word.lower.endswith('ed') and stem_of(word.lower) != word.lower
    )


def _pasts(reading: Reading) -> Iterator[int]:
    """Roots of the verbs in the past tense."""
    for at, word in enumerate(reading.words):
        if is_past(reading.words, at):
            yield _IRREGULAR.get(word.lower, word.key)


def _is_past_state(words: Sequence[Word]) -> bool:
    """True for "was green", but not for "was moved"."""
    return any(before.lower in _WAS and not word.lower.endswith('ed') for before, word in itertools.pairwise(words))


def _before(words: Sequence[Word], at: int) -> Word:
    return words[at - 1] if at else NO_WORD
