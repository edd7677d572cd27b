"""The place of an object by the meaning of its name, among kinds as people name them or among their examples.

Each kind or example gets a score, a weighted sum of features, and a softmax turns the scores into shares that sum to
one. The weights were fitted on 24 scenarios of TidyBot's benchmark (168 objects) and on scenarios of our own, of
kitchens, baths, workshops and wardrobes: `laboratory/scripts/fit_kinds.py`. Whether features and thresholds are worth
having was decided on scenarios drawn from other people's lists of things; see `docs/understanding.md`.
"""

import functools
import logging
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from lucca_language.words.glosses import IsA, gloss, household_kinds, is_a, shared_kind
from lucca_language.words.lexicon import lexicon
from lucca_memory.embedding.bert import BertEmbedder
from lucca_memory.embedding.embedder import Embedder
from lucca_memory.embedding.spec import INSTALL_MINILM, MINILM, make_embedder, minilm_folder

LEAST_SHARE = 0.85
"""Minimum share of a place; below it the person is asked, as a wrong place is worse than a question."""
LEAST_SHARE_IF_CONFIRMED = 0.5
LEAST_CONFIRMATION = 0.65
"""Minimum share in the result of `together` for which a lower share is enough."""
LEAST_CLOSENESS = 1.2
"""Minimum closeness to a kind, however far the others are."""
LEAST_CLOSENESS_IF_KNOWN = 2.1
"""The same for what the lexicon knows: if that belongs to a kind, lexicon or WordNet mostly say so."""
LEAST_LIKENESS = 0.2
"""Minimum likeness of words; an object below it for all kinds belongs to none of them."""

_T = TypeVar('_T')

_log = logging.getLogger(__name__)


_LEAST_PROFILE = 1e-4
"""Share of a household kind that no thing goes below, so that one example cannot exclude a kind."""
_DAMPING = 0.2
_ROUNDS = 10


@dataclass(frozen=True, slots=True)
class Belonging:
    """The evidence for a kind.

    Attributes:
        share: share of all evidence, from 0 to 1.
        likeness: likeness of the words, at most 1.
        closeness: the evidence without a comparison with other kinds.
    """

    share: float
    likeness: float
    closeness: float


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind as it was named. `is_rest`: only objects that no other kind takes, as in `other toys`."""

    words: str
    is_rest: bool = False


# Features of a kind: the likeness of its words to the name, to what the thing is, and of the latter to what the kind
# is; a quality of both that distinguishes the kind (`clean trousers`, `clean clothes`), and a common noun that does;
# membership in the kind by the lexicon, by all or by the last words, and by WordNet; whether it is the rest while the
# thing belongs to a named kind; the narrowest kind of WordNet in common, and whether WordNet lacks one of the two;
# the same household kinds.
_FOR_KINDS = np.array([8.2, 3.0, 4.5, 4.3, 1.0, 3.9, 4.0, 3.0, -1.5, 0.8, 1.6, 1.7])
# Whether a thing belongs to a kind at all: the likeness of its words to the name and to what the thing is, membership
# by the lexicon or WordNet, and the same household kinds.
_FOR_CLOSENESS = np.array([2.9, 2.7, 2.2, 1.5])
# Features of examples: the nearest and the mean likeness of names, the same for what the things are, a word that only
# they share, a category of the lexicon that only they share, and the same household kinds: the mean, and the logarithm
# of what the thing shares with all of them.
_FOR_EXAMPLES = np.array([5.0, 2.1, 0.1, 1.7, 2.8, 2.2, 3.1, 0.4])
# Features of a household kind: the first two of a kind, and membership by WordNet. Set by hand, on the scenarios that
# the others were fitted on.
_FOR_HOUSEHOLD_KINDS = np.array([13.0, 4.0, 3.5])


def has_meanings() -> bool:
    """Whether an embedding is installed."""
    return _embedder() is not None


def among_kinds(name: str, kinds: Sequence[Kind]) -> tuple[Belonging, ...]:
    """The evidence for each kind. Needs `has_meanings`."""
    features = kind_features(name, kinds)
    return _shares(features @ _FOR_KINDS, features[:, :2].max(axis=1), close_features(features) @ _FOR_CLOSENESS)


def close_features(features: NDArray[np.float64]) -> NDArray[np.float64]:
    """What shows whether a thing belongs to a kind at all, from the features of kinds; see `_FOR_CLOSENESS`."""
    is_member = features[:, [5, 7]].max(axis=1)
    return np.stack([features[:, 0], features[:, 1], is_member, features[:, 11]], axis=1)


def kind_features(name: str, kinds: Sequence[Kind]) -> NDArray[np.float64]:
    """The features of each kind, shape (kinds, 12); see `_FOR_KINDS`. Needs `has_meanings`."""
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
        found = in_wordnet[number] is IsA.WHOLE
        shared = shared_kind(name, kind.words)
        alike = float(np.sqrt(_profile(name) * _profile(kind.words)).sum())
        rest = kind.is_rest and is_named
        rows.append((*near, of_both, quality, same_noun, *known, found, rest, shared or 0.0, shared is None, alike))
    return np.array(rows, float)


@functools.lru_cache(maxsize=1024)
def _profile(name: str) -> NDArray[np.float64]:
    """What share of a thing, or of a kind, belongs to each household kind."""
    whole = [is_a(name, kind) is IsA.WHOLE for kind in household_kinds()]
    near = [_household_vectors() @ _vector(text) for text in (name, _with_gloss(name))]
    scores = np.stack([*near, np.array(whole, float)], axis=1) @ _FOR_HOUSEHOLD_KINDS
    grown = np.exp(scores - scores.max())
    return np.asarray(grown / grown.sum(), float)


@functools.lru_cache(maxsize=1)
def _household_vectors() -> NDArray[np.float32]:
    """The vectors of the household kinds, shape (kinds, d)."""
    embedder = _embedder()
    assert embedder is not None, 'asked for only where has_meanings'
    return embedder.embed(household_kinds())


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
    features, likeness = example_features(name, groups)
    return _shares(features @ _FOR_EXAMPLES, likeness, [math.inf] * len(groups))


def example_features(name: str, groups: Sequence[Sequence[str]]) -> tuple[NDArray[np.float64], list[float]]:
    """The features of each group of examples, shape (groups, 8), and its greatest likeness; see `_FOR_EXAMPLES`."""
    words, in_lexicon = ([[of(example) for example in group] for group in groups] for of in (_word_set, _kinds))
    own = _profile(name)
    rows, likeness = [], []
    for number, group in enumerate(groups):
        names = [_likeness(name, example) for example in group]
        glosses = [_likeness(_with_gloss(name), _with_gloss(example)) for example in group]
        profiles = [_profile(example) for example in group]
        of_all = np.prod([profile + _LEAST_PROFILE for profile in profiles], axis=0)
        rows.append(
            (
                *(max(names), np.mean(names), max(glosses), np.mean(glosses)),
                _only_here(_word_set(name), words, number),
                _only_here(_kinds(name), in_lexicon, number),
                np.mean([np.sqrt(own * profile).sum() for profile in profiles]),
                np.log(own @ of_all / of_all.sum() + _LEAST_PROFILE),
            )
        )
        likeness.append(max(*names, *glosses))
    return np.array(rows, float), likeness


def _only_here(own: frozenset[str], groups: Sequence[Sequence[frozenset[str]]], number: int) -> bool:
    """Whether a thing has an item that an example of one group has, and no example of the others."""
    return bool(own & frozenset().union(*groups[number]) - _elsewhere(groups, number))


def _elsewhere(groups: Sequence[Sequence[frozenset[str]]], number: int) -> frozenset[str]:
    return frozenset().union(*(said for group in _without(groups, number) for said in group))


def _shares(
    scores: NDArray[np.float64], likeness: Iterable[float], closeness: Iterable[float]
) -> tuple[Belonging, ...]:
    grown = np.exp(scores - scores.max())
    return tuple(
        Belonging(float(share), float(near), float(close))
        for share, near, close in zip(grown / grown.sum(), likeness, closeness, strict=True)
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
