"""Where an object belongs by the meaning of its name: among kinds as people name them, or among examples of theirs.

Each kind or example gets a score, a weighted sum of what speaks for it, and the scores become shares that sum to one
(a softmax). The weights were fitted on 24 scenarios of TidyBot's benchmark (168 objects) together with 150 scenarios
drawn from Shopify's product taxonomy (1,018 objects); the least shares were set so that on the latter about 4 % of the
objects go to a wrong place.
"""

import functools
import logging
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lucca_language.words.glosses import gloss
from lucca_language.words.lexicon import lexicon
from lucca_memory.embedding.bert import BertEmbedder
from lucca_memory.embedding.embedder import Embedder
from lucca_memory.embedding.spec import INSTALL_MINILM, MINILM, make_embedder, minilm_folder

LEAST_SHARE_OF_KINDS = 0.6
LEAST_SHARE_OF_EXAMPLES = 0.68
"""Below it an object is asked about. A wrong place is worse than a question."""
LEAST_LIKENESS = 0.2
"""Below it the words are too far from an object's to say anything: it belongs to none of the kinds."""

_log = logging.getLogger(__name__)


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


# What speaks for a kind: the likeness of the name, that of what the thing is, a word of the name that tells it from
# other kinds (`clean trousers`, `clean clothes`), the lexicon on all words and on the last ones, and that it is a rest.
_FOR_KINDS = np.array([4.3, 4.7, 1.4, 2.1, 1.2, -0.5])
# For examples: the nearest and the mean likeness of names, the same of what the things are, a word that only they have,
# a category of the lexicon that all of them and nothing elsewhere has, and one that some of them have.
_FOR_EXAMPLES = np.array([2.8, 2.2, 3.1, 2.8, 0.7, 0.6, 1.4])


def has_meanings() -> bool:
    """Whether an embedding is installed."""
    return _embedder() is not None


def among_kinds(name: str, kinds: Sequence[Kind]) -> tuple[Belonging, ...]:
    """How much speaks for each kind. Needs `has_meanings`."""
    own = _words(name)
    known = next((ending for ending in _endings(own) if lexicon().knows(ending)), None)
    words = [_words(kind.words) for kind in kinds]
    rows, likeness = [], []
    for number, kind in enumerate(kinds):
        others = [set(said) for place, said in enumerate(words) if place != number]
        telling = any(word in words[number] and not all(word in said for said in others) for word in own[:-1])
        is_a = [known is not None and lexicon().is_a(known, ending) for ending in _endings(words[number])]
        by_name, by_gloss = _likeness(name, kind.words), _likeness(_with_gloss(name), kind.words)
        rows.append((by_name, by_gloss, telling, any(is_a[:1]), any(is_a[1:]), kind.is_rest))
        likeness.append(max(by_name, by_gloss))
    return _shares(np.array(rows, float) @ _FOR_KINDS, likeness)


def among_examples(name: str, groups: Sequence[Sequence[str]]) -> tuple[Belonging, ...]:
    """How much speaks for each group of examples, none of them empty. Needs `has_meanings`."""
    own, kinds = set(_words(name)), _kinds(name)
    group_words = [[set(_words(example)) for example in group] for group in groups]
    group_kinds = [[_kinds(example) for example in group] for group in groups]
    rows, likeness = [], []
    for number, group in enumerate(groups):
        names = [_likeness(name, example) for example in group]
        glosses = [_likeness(_with_gloss(name), _with_gloss(example)) for example in group]
        other_words = {
            word for place, said in enumerate(group_words) if place != number for each in said for word in each
        }
        other_kinds = {kind for place, of in enumerate(group_kinds) if place != number for each in of for kind in each}
        word = any((own & said) - other_words for said in group_words[number])
        every = bool(kinds & frozenset.intersection(*group_kinds[number]) - other_kinds)
        some = any(kinds & each - other_kinds for each in group_kinds[number])
        rows.append((max(names), float(np.mean(names)), max(glosses), float(np.mean(glosses)), word, every, some))
        likeness.append(max(*names, *glosses))
    return _shares(np.array(rows, float) @ _FOR_EXAMPLES, likeness)


def _shares(scores: NDArray[np.float64], likeness: Sequence[float]) -> tuple[Belonging, ...]:
    grown = np.exp(scores - scores.max())
    return tuple(Belonging(float(share), near) for share, near in zip(grown / grown.sum(), likeness, strict=True))


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


def _endings(words: Sequence[str]) -> list[str]:
    return [' '.join(words[start:]) for start in range(len(words))]


def _kinds(name: str) -> frozenset[str]:
    """The categories of the lexicon that a thing is of, and its noun."""
    known = next((ending for ending in _endings(_words(name)) if lexicon().knows(ending)), '')
    return lexicon().parents.get(known, frozenset())
