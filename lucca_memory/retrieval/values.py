"""What goes into a retriever and what comes out of it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from lucca_memory.retrieval.analysis import Analysed

Kind = Literal['said', 'summary', 'fact', 'task', 'statement']
"""What a recollection is: a line of a conversation, a summary of several, a passage of a fact file, a log entry, a node of the
semantic network."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One piece of text as an index holds it.

    Attributes:
        key: rises within a scope in the order in which things were said; never used twice.
        group: what belongs together, in order: a conversation, a fact file, a task. Neighbours never cross groups.
        speaker: who said it; empty where nobody did.
        time: when; None where it has no time.
        analysed: what an index counts of the text, where that is at hand already.
    """

    key: int
    group: str
    text: str
    speaker: str = ''
    time: datetime | None = None
    analysed: Analysed | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What to look for, and for whom.

    Attributes:
        text: in the words of whoever asks.
        asker: the name of whoever asks, so that "I" and "my" are understood; empty if unknown.
        now: the moment that "last Friday" is counted from; must carry its zone.
        limit: most recollections to return.
        max_tokens: most tokens (estimated) of their texts together; None for no limit.
    """

    text: str
    now: datetime
    asker: str = ''
    limit: int = 10
    max_tokens: int | None = None

    def __post_init__(self) -> None:
        if self.now.utcoffset() is None:
            raise ValueError(f'now must carry its zone, got {self.now!r}')
        if self.limit < 1:
            raise ValueError(f'limit must be at least 1, got {self.limit}')
        if self.max_tokens is not None and self.max_tokens < 0:
            raise ValueError(f'max_tokens must not be negative, got {self.max_tokens}')


@dataclass(frozen=True, slots=True)
class Hit:
    """A document that answers a question, by its key, with what spoke for it: (signal, share of the score)."""

    key: int
    score: float
    why: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Recollection:
    """Something remembered, ready to be shown to a model or a person.

    Attributes:
        item_id: names the item for good, e.g. `said:17` or `fact:gym.md:3`.
        text: word for word as it was stored.
        source: where it is from, for people: who and when, or file and lines.
        group: what it belongs to: a conversation, a fact file, a task.
        score: comparable within one answer only.
        why: the signals that spoke for it, strongest first, e.g. `words`, `meaning`, `speaker`, `date`.
    """

    kind: Kind
    item_id: str
    text: str
    source: str
    score: float = 0.0
    why: tuple[str, ...] = ()
    speaker: str = ''
    time: datetime | None = None
    group: str = ''
    lines: tuple[int, int] | None = None
    """Of a fact: its first and last line in the file, from 1."""
    valid_to: datetime | None = None
    """When something newer took its place; None while it holds, as far as is known."""
    partly: bool = False
    """Only some of its sentences do not hold any more."""
    newer: datetime | None = None
    """When something newer was said that answers the question otherwise, so that this may be outdated; None for none."""
