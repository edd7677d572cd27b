"""The retriever's inputs and outputs: documents, questions and hits."""

from dataclasses import dataclass
from datetime import datetime

from lucca_memory.retrieval.analysis import Analysed


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One indexed text.

    Attributes:
        key: increases within a scope in the order of the documents; never reused.
        group: a conversation, facts file or task. Only documents of one group are neighbours.
        speaker: who said it; empty if nobody did.
        time: time of the text; None if unknown.
        names: its names: a heading, and other names of the same thing.
        analysed: the analysis of the text, if already computed.
    """

    key: int
    group: str
    text: str
    speaker: str = ''
    time: datetime | None = None
    names: tuple[str, ...] = ()
    analysed: Analysed | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question to a memory.

    Attributes:
        text: the question as asked.
        asker: name of the asker, to resolve "I" and "my"; empty if unknown.
        now: time of the question, to resolve "last Friday"; with a time zone.
        limit: maximum number of recollections.
        enough: return only documents that answer (none, one or several) instead of the best `limit`.
    """

    text: str
    now: datetime
    asker: str = ''
    limit: int = 10
    enough: bool = False

    def __post_init__(self) -> None:
        if self.now.utcoffset() is None:
            raise ValueError(f'now must have a time zone, got {self.now!r}')
        if self.limit < 1:
            raise ValueError(f'limit must be at least 1, got {self.limit}')


@dataclass(frozen=True, slots=True)
class Hit:
    """The key of a document that answers a question, and its reasons: (signal, share of the score)."""

    key: int
    score: float
    why: tuple[tuple[str, float], ...] = ()
