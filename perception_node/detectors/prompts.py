"""The phrases that a vision-language model is asked to find for each label and container."""

from collections.abc import Sequence
from dataclasses import dataclass

from perception_node.lexicon import PrototypeLexicon

LONGEST = 60
"""Longest word to look for, in characters; a longer one is not the name of a thing."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One label and the phrases that describe it."""

    label: str
    phrases: tuple[str, ...]
    is_container: bool = False


def prompts(lexicon: PrototypeLexicon, vocabulary: Sequence[str]) -> tuple[Prompt, ...]:
    """Prompts for the labels of a vocabulary, followed by those for all containers.

    A label without phrases of its own is asked for with an article.
    """
    result = []
    for label in vocabulary:
        known = lexicon.object_of(label)
        article = 'an' if label[:1].lower() in 'aeiou' else 'a'
        result.append(Prompt(label, known.phrases if known is not None else (f'{article} {label}',)))
    return (*result, *(Prompt(item.name, item.phrases, True) for item in lexicon.containers))


def not_askable(words: Sequence[str], lexicon: PrototypeLexicon) -> tuple[str, ...]:
    """Words that no model can look for: empty, too long, not printable, or the name of a container."""
    return tuple(
        word
        for word in words
        if not word.strip() or len(word) > LONGEST or not word.isprintable() or lexicon.container_of(word) is not None
    )
