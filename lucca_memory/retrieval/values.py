"""What goes into a retriever and what comes out of it."""

from dataclasses import dataclass
from datetime import datetime

from lucca_memory.retrieval.analysis import Analysed


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
