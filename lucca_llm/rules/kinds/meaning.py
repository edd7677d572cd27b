"""The place of an object by the meaning of its name, among kinds as people name them or among their examples.

Each kind or example gets a score, a weighted sum of features, and a softmax turns the scores into shares that sum to
one. The weights (`meaning_weights.py`) were fitted on 24 scenarios of TidyBot's benchmark (168 objects) and on
scenarios of our own, of kitchens, baths, workshops and wardrobes: `laboratory/scripts/fit_kinds.py`. The score of an
adapter (`kind_scores.py`) is one more feature, with a weight of its own. Whether features and thresholds are worth
having was decided on scenarios drawn from other people's lists of things; see `docs/understanding.md`.
"""

import functools
import logging
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from lucca_core.errors import ModelUnusable
from lucca_core.trained_models import MPNET as MPNET_MODEL
from lucca_language.words.glosses import IsA, gloss, household_kinds, is_a, shared_kind
from lucca_language.words.lexicon import lexicon
from lucca_language.words.verbs import verb
from lucca_llm.rules.kinds.kind_scores import (
    KindScores,
    kinds_adapter,
    members_form,
    read_members,
    with_lists,
)
from lucca_llm.rules.kinds.meaning_weights import WEIGHTS, WEIGHTS_WITH_MEMBERS, WEIGHTS_WITH_SCORES, MeaningWeights
from lucca_memory.embedding.bert import BertEmbedder
from lucca_memory.embedding.cache import RememberingEmbedder
from lucca_memory.embedding.embedder import Vectors
from lucca_memory.embedding.membership import Membership
from lucca_memory.embedding.spec import INSTALL_MINILM, MINILM, MPNET, minilm_folder

LEAST_LIKENESS = 0.2
"""Minimum likeness of words; an object below it for all kinds belongs to none of them."""

_LIKENESS_OF_MEMBERS = 0.45
"""The least likeness to a kind of which a thing is, by membership: an orange peel is food waste, whatever the words."""

_WARE = re.compile(r'^(?P<of>\w{3,})(?:ware|wear)s?$')
_T = TypeVar('_T')

_log = logging.getLogger(__name__)


_LEAST_PROFILE = 1e-4
"""Share of a household kind that no thing goes below, so that one example cannot exclude a kind."""
_PLAIN_FEATURES = 12
"""The number of features of a kind without the scores of an adapter."""
_SCORED_WITH_GLOSS = frozenset({MINILM})
"""The embedding models whose adapter also reads what a thing is. mpnet's reads names only, in half the time."""
_MOST_READ_TOGETHER = 3
"""Examples in one text: as many as in the training data of the adapters."""
_MOST_VECTORS = 4096


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


def has_meanings() -> bool:
    """Whether an embedding is installed."""
    return _network() is not None


def prepare(names: Sequence[str], said: Sequence[str] = (), scored: Sequence[tuple[str, str]] = ()) -> None:
    """Finds what the evidence for these things needs at once, several times faster than one by one.

    Needs `has_meanings`.

    Args:
        names: the things.
        said: the kinds or examples that they are compared with.
        scored: pairs of a thing and what it is read together with: a kind, or a text of `read_with`.
    """
    said = [*names, *said]
    _embedder().embed([*household_kinds(), *said, *map(_with_gloss, said)])
    scorer = _scorer() if scored else None
    if scorer is not None:
        scorer.scores([(_scored_name(name), text) for name, text in scored])


def among_kinds(name: str, kinds: Sequence[Kind], *, is_scored: bool = True) -> tuple[Belonging, ...]:
    """The evidence for each kind, with the scores of an adapter unless they are not wanted. Needs `has_meanings`."""
    chosen = weights() if is_scored else _plain_weights()
    features = kind_features(name, kinds, is_scored=is_scored)
    likeness = features[:, :2].max(axis=1)
    if features.shape[1] > _PLAIN_FEATURES + 1:
        likeness = np.maximum(likeness, np.where(features[:, -1] > 0, _LIKENESS_OF_MEMBERS, -1.0))
    return _shares(features @ chosen.kinds, likeness, close_features(features) @ chosen.closeness)


def close_features(features: NDArray[np.float64]) -> NDArray[np.float64]:
    """What shows whether a thing belongs to a kind at all, from the features of kinds; see `MeaningWeights`."""
    is_member = features[:, [5, 7]].max(axis=1)
    plain = np.stack([features[:, 0], features[:, 1], is_member, features[:, 11]], axis=1)
    return np.hstack([plain, features[:, _PLAIN_FEATURES:]])


def kind_features(name: str, kinds: Sequence[Kind], *, is_scored: bool = True) -> NDArray[np.float64]:
    """The features of each kind, shape (kinds, 12); with the scores of an adapter 13, and of membership 14.

    See `MeaningWeights`. Needs `has_meanings`.
    """
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
    scorer = _scorer() if is_scored else None
    if scorer is None:
        return np.array(rows, float)
    scores = [scorer.scores([(_scored_name(name), kind.words) for kind in kinds])]
    members = _members()
    if members is not None:
        of_kinds = np.stack([_with_meaning(kind.words) for kind in kinds])
        by_vector = members.scores(_with_meaning(name)[None], of_kinds)[0].astype(float)
        scores.append(with_lists(name, [kind.words for kind in kinds], by_vector))
    return np.column_stack([np.array(rows, float), *scores])


@functools.lru_cache(maxsize=1024)
def _profile(name: str) -> NDArray[np.float64]:
    """What share of a thing, or of a kind, belongs to each household kind."""
    whole = [is_a(name, kind) is IsA.WHOLE for kind in household_kinds()]
    near = [_household_vectors() @ _vector(text) for text in (name, _with_gloss(name))]
    scores = np.stack([*near, np.array(whole, float)], axis=1) @ _plain_weights().household_kinds
    grown = np.exp(scores - scores.max())
    return np.asarray(grown / grown.sum(), float)


def among_examples(name: str, groups: Sequence[Sequence[str]], *, is_scored: bool = True) -> tuple[Belonging, ...]:
    """The evidence for each group of examples, none of which may be empty, with the scores of an adapter unless they
    are not wanted. Needs `has_meanings`.
    """
    chosen = weights() if is_scored else _plain_weights()
    features, likeness = example_features(name, groups, is_scored=is_scored)
    return _shares(features @ chosen.examples, likeness, [math.inf] * len(groups))


def read_with(group: Sequence[str]) -> list[str]:
    """How an adapter reads a group of examples together with a thing: in texts of a few, as it was trained."""
    parts = [group[start : start + _MOST_READ_TOGETHER] for start in range(0, len(group), _MOST_READ_TOGETHER)]
    return [f'like: {", ".join(part)}' for part in parts]


def example_features(
    name: str, groups: Sequence[Sequence[str]], *, is_scored: bool = True
) -> tuple[NDArray[np.float64], list[float]]:
    """The features of each group of examples and its greatest likeness; see `MeaningWeights`.

    Their shape is (groups, 8), or (groups, 9) with the scores of an adapter.
    """
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
    scorer = _scorer() if is_scored else None
    if scorer is None:
        return np.array(rows, float), likeness
    scored = _scored_name(name)
    scores = [scorer.scores([(scored, text) for text in read_with(group)]).mean() for group in groups]
    return np.column_stack([np.array(rows, float), scores]), likeness


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
    """Whether a noun is an English word, or one with `ware` or `wear`: by lexicon, glosses and vocabulary."""
    if (compound := _WARE.search(noun)) is not None:  # `bakeware`, `sleepwear`
        return is_word(compound['of']) or verb(compound['of']) is not None
    vocabulary = _network()
    return any(
        lexicon().knows(form) or bool(gloss(form)) or (vocabulary is not None and vocabulary.knows(form))
        for form in (noun, lexicon().singular(noun))
    )


@functools.lru_cache(maxsize=1)
def _network() -> BertEmbedder | None:
    """The best embedding model that is installed."""
    if MPNET_MODEL.is_there:
        return BertEmbedder(MPNET_MODEL.path, MPNET)
    folder = minilm_folder()
    if folder is None:
        _log.warning('no embedding model is installed: kinds are told by the lexicon alone (%s)', INSTALL_MINILM)
        return None
    return BertEmbedder(folder, MINILM)


@functools.lru_cache(maxsize=1)
def _embedder() -> RememberingEmbedder:
    network = _network()
    assert network is not None, 'asked for only where has_meanings'
    return RememberingEmbedder(network, _MOST_VECTORS)


def weights() -> MeaningWeights:
    """The weights for the embedding model and the scores that can be used. Needs `has_meanings`."""
    if _scorer() is None:
        return _plain_weights()
    return (WEIGHTS_WITH_SCORES if _members() is None else WEIGHTS_WITH_MEMBERS)[_embedder().spec]


def _plain_weights() -> MeaningWeights:
    """The same without an adapter, which is not loaded: for household kinds they do not differ."""
    return WEIGHTS[_embedder().spec]


@functools.lru_cache(maxsize=1)
def _scorer() -> KindScores | None:
    """What scores a thing and a kind that are read together; None if the model's adapter cannot be used."""
    spec, folder = _embedder().spec, _folder()
    if spec not in WEIGHTS_WITH_SCORES or folder is None:
        return None
    try:
        return KindScores(folder, kinds_adapter(spec))
    except (ModelUnusable, FileNotFoundError) as error:
        _log.warning('kinds are judged without the scores of an adapter: %s', error)
        return None


@functools.lru_cache(maxsize=1)
def _members() -> Membership | None:
    """What scores the vectors of a thing and a kind, beside an adapter; None if it cannot be used."""
    spec, folder = _embedder().spec, _folder()
    if spec not in WEIGHTS_WITH_MEMBERS or folder is None:
        return None
    try:
        return read_members(folder, members_form(spec), _embedder().dimensions)
    except (ModelUnusable, FileNotFoundError) as error:
        _log.warning('kinds are judged without the scores of membership: %s', error)
        return None


def _folder() -> Path | None:
    """The folder of the embedding model that is installed."""
    return MPNET_MODEL.path if _embedder().spec == MPNET else minilm_folder()


def _scored_name(name: str) -> str:
    return _with_gloss(name) if _embedder().spec in _SCORED_WITH_GLOSS else name


@functools.lru_cache(maxsize=1)
def _household_vectors() -> Vectors:
    """The vectors of the household kinds, shape (kinds, d)."""
    return _embedder().embed(household_kinds())


@functools.lru_cache(maxsize=_MOST_VECTORS)
def _vector(text: str) -> Vectors:
    vector: Vectors = _embedder().embed([text])[0]
    return vector


def _with_meaning(text: str) -> Vectors:
    """The vector of a text, then of the text with what it is, (2 d,)."""
    return np.concatenate([_vector(text), _vector(_with_gloss(text))])


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
