"""The place of an object by the meaning of its name, among kinds as people name them or among their examples.

Each kind or example gets a score, a weighted sum of features, and a softmax turns the scores into shares that sum to
one. The weights were fitted on 24 scenarios of TidyBot's benchmark (168 objects) and on scenarios of our own, of
kitchens, baths, workshops and wardrobes: `laboratory/scripts/fit_kinds.py`.
"""

import functools
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from lucca_language.words.glosses import IsA, gloss, is_a, kinds_above
from lucca_language.words.lexicon import lexicon
from lucca_memory.embedding.bert import BertEmbedder
from lucca_memory.embedding.embedder import Embedder
from lucca_memory.embedding.spec import INSTALL_MINILM, MINILM, make_embedder, minilm_folder

LEAST_SHARE = 0.85
"""Minimum share of a place; below it the person is asked, as a wrong place is worse than a question."""
LEAST_SHARE_IF_CONFIRMED = 0.55
LEAST_CONFIRMATION = 0.7
"""Minimum share in the result of `together` for which a lower share is enough."""
LEAST_LIKENESS = 0.2
"""Minimum likeness of words; an object below it for all kinds belongs to none of them."""

_T = TypeVar('_T')

_log = logging.getLogger(__name__)


_DAMPING = 0.2
_ROUNDS = 10


@dataclass(frozen=True, slots=True)
class Belonging:
    """The evidence for a kind. `share` is between 0 and 1; `likeness` of the words is at most 1."""

    share: float
    likeness: float


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind as it was named. `is_rest`: only objects that no other kind takes, as in `other toys`."""

    words: str
    is_rest: bool = False


# Features of a kind: the likeness of its words to the name, to what the thing is, and of the latter to what the kind
# is; a quality of both that distinguishes the kind (`clean trousers`, `clean clothes`), and a common noun that does;
# membership in the kind by the lexicon, by all or by the last words, and the same by WordNet; whether the kind is a
# rest, and whether it is a rest while the thing belongs to a named kind.
_FOR_KINDS = np.array([9.6, 2.5, 5.3, 4.3, 1.1, 3.6, 3.6, 3.7, 1.5, 0.0, -1.8])
# Features of examples: the nearest and the mean likeness of names, the same for what the things are, a word that only
# they share, a category of the lexicon that all of them and no others have, one that some of them have, and the same
# for WordNet.
_FOR_EXAMPLES = np.array([7.8, 2.9, 2.9, 3.2, 2.6, 0.2, 3.1, 1.4])


def has_meanings() -> bool:
    """Whether an embedding is installed."""
    return _embedder() is not None


def among_kinds(name: str, kinds: Sequence[Kind]) -> tuple[Belonging, ...]:
    """The evidence for each kind. Needs `has_meanings`."""
    features = kind_features(name, kinds)
    return _shares(features @ _FOR_KINDS, features[:, :2].max(axis=1))


def kind_features(name: str, kinds: Sequence[Kind]) -> NDArray[np.float64]:
    """The features of each kind, shape (kinds, 11); see `_FOR_KINDS`. Needs `has_meanings`."""
    own = _words(name)
    words = [_words(kind.words) for kind in kinds]
    in_lexicon = [_in_lexicon(own, said) for said in words]
    in_wordnet = [is_a(name, kind.words) for kind in kinds]
    is_named = any(
        not kind.is_rest and (known is IsA.WHOLE or found is IsA.WHOLE)
        for kind, known, found in zip(kinds, in_lexicon, in_wordnet, strict=True)
    )
    rows = []
    for number, kind in enumerate(kinds):
        telling = {word for word in words[number] if not all(word in said for said in _without(words, number))}
        near = _likeness(name, kind.words), _likeness(_with_gloss(name), kind.words)
        of_both = _likeness(_with_gloss(name), _with_gloss(kind.words))
        quality = not telling.isdisjoint({*own[:-1]} & {*words[number][:-1]})
        same_noun = own[-1] == words[number][-1] and own[-1] in telling
        known = in_lexicon[number] is IsA.WHOLE, in_lexicon[number] is IsA.HEAD
        found = in_wordnet[number] is IsA.WHOLE, in_wordnet[number] is IsA.HEAD
        rest = kind.is_rest, kind.is_rest and is_named
        rows.append((*near, of_both, quality, same_noun, *known, *found, *rest))
    return np.array(rows, float)


def together(shares: Sequence[Sequence[float]]) -> list[list[float]]:
    """The shares of several objects (n, places), after places that draw many objects have become a little less
    attractive.

    This is Sinkhorn's iteration with a damped step for the places. It is only a second opinion, as the true number of
    objects for each place is unknown.
    """
    own = np.array(shares, float)
    worth = np.ones(own.shape[1])
    for _ in range(_ROUNDS):
        taken = own * worth
        drawn = (taken / taken.sum(axis=1, keepdims=True)).sum(axis=0)
        worth *= (len(own) / own.shape[1] / np.maximum(drawn, 1e-6)) ** _DAMPING
        worth /= worth.mean()
    taken = own * worth
    return [[float(share) for share in row] for row in taken / taken.sum(axis=1, keepdims=True)]


def among_examples(name: str, groups: Sequence[Sequence[str]]) -> tuple[Belonging, ...]:
    """The evidence for each group of examples, none of which may be empty. Needs `has_meanings`."""
    words, in_lexicon, in_wordnet = (
        [[of(example) for example in group] for group in groups] for of in (_word_set, _kinds, kinds_above)
    )
    rows, likeness = [], []
    for number, group in enumerate(groups):
        names = [_likeness(name, example) for example in group]
        glosses = [_likeness(_with_gloss(name), _with_gloss(example)) for example in group]
        near = max(names), float(np.mean(names)), max(glosses), float(np.mean(glosses))
        of_all = bool(_kinds(name) & frozenset.intersection(*in_lexicon[number]) - _elsewhere(in_lexicon, number))
        rows.append(
            (
                *near,
                _only_here(_word_set(name), words, number),
                of_all,
                _only_here(_kinds(name), in_lexicon, number),
                _only_here(kinds_above(name), in_wordnet, number),
            )
        )
        likeness.append(max(*names, *glosses))
    return _shares(np.array(rows, float) @ _FOR_EXAMPLES, likeness)


def _only_here(own: frozenset[str], groups: Sequence[Sequence[frozenset[str]]], number: int) -> bool:
    """Whether a thing has an item that an example of one group has, and no example of the others."""
    return bool(own & frozenset().union(*groups[number]) - _elsewhere(groups, number))


def _elsewhere(groups: Sequence[Sequence[frozenset[str]]], number: int) -> frozenset[str]:
    return frozenset().union(*(said for group in _without(groups, number) for said in group))


def _shares(scores: NDArray[np.float64], likeness: Iterable[float]) -> tuple[Belonging, ...]:
    grown = np.exp(scores - scores.max())
    return tuple(
        Belonging(float(share), float(near)) for share, near in zip(grown / grown.sum(), likeness, strict=True)
    )


def is_word(noun: str) -> bool:
    """Whether a noun is an English word, according to the lexicon, the glosses and the embedding's vocabulary."""
    embedder = _embedder()
    vocabulary = embedder if isinstance(embedder, BertEmbedder) else None
    return any(
        lexicon().knows(form) or bool(gloss(form)) or (vocabulary is not None and vocabulary.knows(form))
        for form in (noun, lexicon().singular(noun))
    )


@functools.lru_cache(maxsize=1)
def _embedder() -> Embedder | None:
    if minilm_folder() is None:
        _log.warning('no embedding model is installed: kinds are told by the lexicon alone (%s)', INSTALL_MINILM)
        return None
    return make_embedder(MINILM)


@functools.lru_cache(maxsize=4096)
def _vector(text: str) -> NDArray[np.float32]:
    embedder = _embedder()
    assert embedder is not None, 'asked for only where has_meanings'
    vectors = embedder.embed([text])
    return np.asarray(vectors[0], np.float32)


def _likeness(text: str, other: str) -> float:
    return float(_vector(text) @ _vector(other))


@functools.lru_cache(maxsize=4096)
def _with_gloss(name: str) -> str:
    found = gloss(name)
    return f'{name}: {found}' if found else name


def _words(text: str) -> list[str]:
    return [lexicon().singular(word) for word in text.lower().replace('-', ' ').split()]


def _word_set(text: str) -> frozenset[str]:
    return frozenset(_words(text))


def _endings(words: Sequence[str]) -> list[str]:
    return [' '.join(words[start:]) for start in range(len(words))]


def _in_lexicon(own: Sequence[str], kind: Sequence[str]) -> IsA:
    """Whether the lexicon puts a thing into a kind.

    The thing is taken by the longest ending of its name that the lexicon knows. WHOLE means in the kind of all its
    words, HEAD in that of its last words only.
    """
    known = next((ending for ending in _endings(own) if lexicon().knows(ending)), None)
    found = [known is not None and lexicon().is_a(known, ending) for ending in _endings(kind)]
    return IsA.WHOLE if any(found[:1]) else IsA.HEAD if any(found) else IsA.NOT


def _without(items: Sequence[_T], number: int) -> list[_T]:
    return [item for place, item in enumerate(items) if place != number]


def _kinds(name: str) -> frozenset[str]:
    """The lexicon's categories of a thing, and its noun."""
    known = next((ending for ending in _endings(_words(name)) if lexicon().knows(ending)), '')
    return lexicon().parents.get(known, frozenset())
