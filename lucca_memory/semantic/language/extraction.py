"""Extracting concepts from statements: by the words themselves, by yake, or by a language model.

The word extractor needs no model: it finds names, numbers and content words. Extraction with a language model is in
`worker_node/network/concepts.py`.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Any, Protocol

from lucca_core.errors import ConfigError
from lucca_memory.retrieval.analysis import WORD, key_of, terms_of, told_share, words_of
from lucca_memory.retrieval.dates import MONTHS, WEEKDAYS
from lucca_memory.semantic.language.lexicon import MOST_READ
from lucca_memory.words import word_set

INSTALL_YAKE = 'pip install "yake>=0.6,<1"'

_EMPTY = word_set('uninformative')
_ARTICLE = re.compile(r"\b(?:the|an?|my|your|his|her|our|their|its|this|that|\w+['’]s)\s+$", re.IGNORECASE)
_LOOKED_BACK = 80
"""Characters before a phrase in which its article is looked for: more would make long texts take minutes."""
_MOST_PHRASES = 8
"""Key phrases that yake names of a statement."""
_CALENDAR = frozenset(word for word in (*MONTHS, *WEEKDAYS) if word not in ('may', 'mar', 'sun', 'sat', 'march'))

PHRASE, NAME, NUMBER, WORD_WEIGHT, EMPTY = 2.0, 1.0, 1.0, 0.5, 0.05
"""How informative a mention is: names and numbers most, content words half as much.

Two adjacent words (PHRASE), such as a full name or "the harbour gala", may denote one thing that neither of them
denotes alone.
"""


@dataclass(frozen=True, slots=True)
class Mention:
    """A concept in a statement: its label as written, the key of its stem, and how informative it is (up to PHRASE)."""

    label: str
    key: int
    weight: float


class Extractor(Protocol):
    """Finds the concepts of statements. Thread-safe."""

    @property
    def spec(self) -> str:
        """The name of this extractor, for people."""
        ...

    def extract(self, texts: Sequence[str]) -> Sequence[tuple[Mention, ...]]:
        """The mentions of each text, in order, each concept once.

        Raises:
            ModelError: a language model failed.
        """
        ...


class WordExtractor:
    """Makes every content word a concept; names and numbers have more weight. Deterministic, needs no model."""

    spec = 'words'

    def extract(self, texts: Sequence[str]) -> Sequence[tuple[Mention, ...]]:
        """See Extractor; never fails."""
        return [mentions_of(text) for text in texts]


class YakeExtractor:
    """Adds keywords by yake (Campos et al. 2020): words of a key phrase have more weight."""

    spec = 'yake'

    def __init__(self) -> None:
        """Raises:
        ConfigError: yake is not installed.
        """
        try:
            import yake
            from yake.data import utils
        except ImportError as error:
            raise ConfigError(f'the extractor yake needs: {INSTALL_YAKE} ({error})') from error
        self._yake: Any = yake
        self._clear_tags: Callable[[], None] = getattr(utils.get_tag, 'cache_clear', lambda: None)

    def extract(self, texts: Sequence[str]) -> Sequence[tuple[Mention, ...]]:
        """See Extractor."""
        return [self._one(text) for text in texts]

    def _one(self, text: str) -> tuple[Mention, ...]:
        # A new object each time, as it has state and is called from several threads.
        found = self._yake.KeywordExtractor(lan='en', n=2, top=_MOST_PHRASES).extract_keywords(text)
        # yake caches the tags of up to 10,000 words, together with a set for each text.
        self._clear_tags()
        # Lower scores of yake are better.
        weights: dict[int, float] = {}
        for phrase, score in found:
            for term in terms_of(phrase):
                weights[term] = max(weights.get(term, 0.0), 1 / (1 + float(score)))
        return weighed(mentions_of(text), weights)


def make_extractor(spec: str) -> Extractor:
    """The extractor for a spec: `words` or `yake`.

    Raises:
        ConfigError: the spec is unknown, or the extractor is not installed.
    """
    if spec == 'words':
        return WordExtractor()
    if spec == 'yake':
        return YakeExtractor()
    raise ConfigError(f'{spec[:80]!r} is not an extractor; use words or yake (or a language model in the worker)')


@lru_cache(maxsize=MOST_READ)
def mentions_of(text: str) -> tuple[Mention, ...]:
    """The content words of a text. Mentions in questions have little weight."""
    told = weight_of_telling(text)
    found: dict[int, Mention] = {}
    before: tuple[re.Match[str], str, int] | None = None
    for match in WORD.finditer(text):
        bare = words_of(match[0])
        key = key_of(bare[0]) if bare else 0
        if not key:
            continue
        weight = weight_of(text, match)
        _keep(found, Mention(bare[0], key, round(told * weight, 4)))
        if before is not None and weight > EMPTY and _is_phrase(text, before[0], match):
            _keep(found, Mention(f'{before[1]} {bare[0]}', _pair(before[2], key), round(told * PHRASE, 4)))
        before = (match, bare[0], key) if weight > EMPTY else None
    return tuple(found.values())


def weighed(mentions: Sequence[Mention], weights: Mapping[int, float]) -> tuple[Mention, ...]:
    """The mentions with the weights of their keys, where those are higher."""
    return tuple(
        Mention(mention.label, mention.key, max(mention.weight, weights.get(mention.key, 0.0))) for mention in mentions
    )


def weight_of_telling(text: str) -> float:
    """The factor for the weights of a text's mentions: 1 if all of it tells something, 0.1 if all of it asks."""
    return max(told_share(text), 0.1)


def _keep(found: dict[int, Mention], mention: Mention) -> None:
    if mention.key not in found or mention.weight > found[mention.key].weight:
        found[mention.key] = mention


def _is_phrase(text: str, first: re.Match[str], second: re.Match[str]) -> bool:
    """True for two adjacent words that denote one thing: both capitalised, or right after an article."""
    if text[first.end() : second.start()] != ' ':
        return False
    return (first[0][0].isupper() and second[0][0].isupper()) or _ARTICLE.search(
        text, max(0, first.start() - _LOOKED_BACK), first.start()
    ) is not None


def _pair(first: int, second: int) -> int:
    """The 63-bit key of two words in their order."""
    return int.from_bytes(blake2b(f'{first} {second}'.encode(), digest_size=8).digest()) >> 1 or 1


def weight_of(text: str, match: 're.Match[str]') -> float:
    """How informative a word is at its position."""
    word = match[0]
    lower = word.lower()
    if any(char.isdigit() for char in word) or lower in _CALENDAR:
        return NUMBER
    if lower in _EMPTY:
        return EMPTY
    if word[0].isupper() and not _begins_sentence(text, match.start()):
        return NAME
    return WORD_WEIGHT


def _begins_sentence(text: str, at: int) -> bool:
    before = text[:at].rstrip(' "\'“‘(')
    return not before or before[-1] in '.!?:\n'


def concept_key(owner: str, key: int) -> int:
    """The key of a concept in an owner's memory; different people's concepts differ."""
    if not owner:
        return key
    digest = blake2b(f'{owner}\0{key}'.encode('utf-8', 'surrogatepass'), digest_size=8).digest()
    return int.from_bytes(digest) >> 1 or 1
