"""Where an object belongs by the meaning of its name: among kinds as people name them, or among examples of theirs.

Each kind or example gets a score, a weighted sum of what speaks for it, and the scores become shares that sum to one
(a softmax). The weights were fitted on 24 scenarios of TidyBot's benchmark (168 objects) together with scenarios of our
own, of kitchens, baths, workshops and wardrobes: `laboratory/scripts/fit_kinds.py`.
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
"""Below it an object is asked about. A wrong place is worse than a question."""
LEAST_SHARE_IF_CONFIRMED = 0.55
LEAST_CONFIRMATION = 0.7
"""The lower share is enough where `together` gives the same place this one."""
LEAST_LIKENESS = 0.2
"""Below it the words are too far from an object's to say anything: it belongs to none of the kinds."""

_T = TypeVar('_T')

_log = logging.getLogger(__name__)


_DAMPING = 0.2
_ROUNDS = 10


@dataclass(frozen=True, slots=True)
class Belonging:
    """What speaks for a kind. `share`: between 0 and 1; `likeness`: how near the words are, at most 1."""

    share: float
    likeness: float


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind as it was named. `is_rest`: only those that no other kind takes, as in `other toys`."""

    words: str
    is_rest: bool = False


# What speaks for a kind: the likeness of the name, of what the thing is, and of that to what the kind is; a quality of
# both that tells the kind from others (`clean trousers`, `clean clothes`), and their common noun where it does; that
# the lexicon has the thing in the kind, by all of its words or by the last ones, and the same of WordNet; that the kind
# is a rest, and a rest while the thing is of a kind that was named.
_FOR_KINDS = np.array([9.6, 2.5, 5.3, 4.3, 1.1, 3.6, 3.6, 3.7, 1.5, 0.0, -1.8])
# For examples: the nearest and the mean likeness of names, the same of what the things are, a word that only they have,
# a category of the lexicon that all of them and nothing elsewhere has, one that some of them have, and the same of
# WordNet.
_FOR_EXAMPLES = np.array([7.8, 2.9, 2.9, 3.2, 2.6, 0.2, 3.1, 1.4])


def has_meanings() -> bool:
    """Whether an embedding is installed."""
    return _embedder() is not None


def among_kinds(name: str, kinds: Sequence[Kind]) -> tuple[Belonging, ...]:
    """How much speaks for each kind. Needs `has_meanings`."""
    features = kind_features(name, kinds)
    return _shares(features @ _FOR_KINDS, features[:, :2].max(axis=1))


def kind_features(name: str, kinds: Sequence[Kind]) -> NDArray[np.float64]:
    """What speaks for each kind, (kinds, 11): the likeness of its words to the name and to what the thing is, then the
    rest of what is weighed. Needs `has_meanings`."""
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
    """The shares of several objects (n, places) where a place that draws many of them is worth a little less to each.

    Sinkhorn's iteration with a damped step for the places. It is a second opinion only: it knows nothing of how many
    objects belong to each place.
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
    """How much speaks for each group of examples, none of them empty. Needs `has_meanings`."""
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
    """Whether a thing has something that an example of one group has, and none of the others."""
    return bool(own & frozenset().union(*groups[number]) - _elsewhere(groups, number))


def _elsewhere(groups: Sequence[Sequence[frozenset[str]]], number: int) -> frozenset[str]:
    return frozenset().union(*(said for group in _without(groups, number) for said in group))


def _shares(scores: NDArray[np.float64], likeness: Iterable[float]) -> tuple[Belonging, ...]:
    grown = np.exp(scores - scores.max())
    return tuple(
        Belonging(float(share), float(near)) for share, near in zip(grown / grown.sum(), likeness, strict=True)
    )


def is_word(noun: str) -> bool:
    """Whether a noun is a word of English, as far as lexicon, glosses and the embedding's vocabulary tell."""
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
    """Whether the lexicon has the longest ending of a name that it knows in the kind, or in that of its last words."""
    known = next((ending for ending in _endings(own) if lexicon().knows(ending)), None)
    found = [known is not None and lexicon().is_a(known, ending) for ending in _endings(kind)]
    return IsA.WHOLE if any(found[:1]) else IsA.HEAD if any(found) else IsA.NOT


def _without(items: Sequence[_T], number: int) -> list[_T]:
    return [item for place, item in enumerate(items) if place != number]


def _kinds(name: str) -> frozenset[str]:
    """The categories of the lexicon that a thing is of, and its noun."""
    known = next((ending for ending in _endings(_words(name)) if lexicon().knows(ending)), '')
    return lexicon().parents.get(known, frozenset())
