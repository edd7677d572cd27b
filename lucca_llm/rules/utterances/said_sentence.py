"""A sentence of an utterance with its mood."""

from dataclasses import dataclass
from enum import Enum, auto


class Mood(Enum):
    """The mood of a sentence."""

    REQUEST = auto()
    RULE = auto()
    FORBID = auto()
    QUESTION = auto()
    STATEMENT = auto()


@dataclass(frozen=True)
class SaidSentence:
    """A sentence with its mood. `asked` is what a request asks for, as an imperative; the sentence itself otherwise."""

    mood: Mood
    asked: str
    text: str
