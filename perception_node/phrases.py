"""What a model that reads words is asked for: each label with its phrases, containers with theirs."""

from collections.abc import Sequence
from dataclasses import dataclass

from perception_node.lexicon import Lexicon

LONGEST = 60
"""Characters of a word that somebody may ask for: beyond it is no name of a thing."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One label and the phrases that describe it."""

    label: str
    phrases: tuple[str, ...]
    is_container: bool = False


def prompts(lexicon: Lexicon, vocabulary: Sequence[str]) -> tuple[Prompt, ...]:
    """Of the labels in a vocabulary, then of all containers. A word without phrases of its own is one with its article."""
    result = []
    for label in vocabulary:
        known = lexicon.object_of(label)
        article = 'an' if label[:1].lower() in 'aeiou' else 'a'
        result.append(Prompt(label, known.phrases if known is not None else (f'{article} {label}',)))
    return (*result, *(Prompt(item.name, item.phrases, True) for item in lexicon.containers))


def not_askable(words: Sequence[str], lexicon: Lexicon) -> tuple[str, ...]:
    """Words that no model can be asked for: nothing at all, too long, or the name of a container."""
    return tuple(
        word
        for word in words
        if not word.strip() or len(word) > LONGEST or not word.isprintable() or lexicon.container_of(word) is not None
    )
