"""Lookups in the lexicon: the base form and senses of a verb form, and synonyms of places."""

import functools
from dataclasses import dataclass

from lucca_core.yaml_file import load_yaml
from lucca_language.words.lexicon import LEXICON_FILE
from lucca_language.words.morphology import verb_lemmas

HANDLING = frozenset({'point', 'give', 'place', 'stack', 'use', 'keep'})
"""The senses of verbs that ask to do something with objects."""


@dataclass(frozen=True)
class Verb:
    """A verb: its base form and its possible senses."""

    lemma: str
    senses: frozenset[str]


@functools.lru_cache(maxsize=1)
def _senses() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for sense, lemmas in load_yaml(LEXICON_FILE)['verbs'].items():
        for lemma in lemmas:
            table.setdefault(lemma, set()).add(sense)
    return {lemma: frozenset(senses) for lemma, senses in table.items()}


@functools.lru_cache(maxsize=1)
def target_words() -> dict[str, str]:
    """Maps each word for a place to one representative of its synonyms."""
    return {word: group[0] for group in load_yaml(LEXICON_FILE)['target_words'] for word in group}


@functools.lru_cache(maxsize=4096)
def verb(word: str) -> Verb | None:
    """The verb that a word is a form of, or None."""
    senses = _senses()
    for lemma in verb_lemmas(word):
        if lemma in senses:
            return Verb(lemma, senses[lemma])
    return None


@functools.lru_cache(maxsize=1)
def verb_forms() -> frozenset[str]:
    """The verbs of the lexicon, in the base form and in the third person."""
    lemmas = {lemma for lemma in _senses() if ' ' not in lemma}
    return frozenset({*lemmas, *(f'{lemma}s' for lemma in lemmas), 'goes', 'does'})


def is_handling(word: str) -> bool:
    """Whether a word is a form of a verb that asks to do something with objects."""
    known = verb(word)
    return known is not None and not known.senses.isdisjoint(HANDLING)
