"""The interface through which every memory system is measured."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Protocol

from lucca_lab.forgetting.answering import Passage
from lucca_lab.forgetting.scenario import ScenarioStatement
from lucca_llm.limits.tokens import estimate_tokens
from lucca_memory.embedding.embedder import Embedder

CONTEXT_TOKENS = 512
"""The most tokens of a context, for every system."""


class System(Protocol):
    """A memory under test. It takes the time from its arguments, not from a clock, and knows only what it was told."""

    @property
    def nodes(self) -> int:
        """The number of things that it keeps."""
        ...

    def hear(self, told: Sequence[ScenarioStatement]) -> None:
        """Tells statements in order. Systems must not read `ScenarioStatement.fact`, which is the truth."""
        ...

    def context(self, question: str, now: datetime) -> Sequence[Passage]:
        """Texts that answer a question, best first. The caller cuts them off at CONTEXT_TOKENS."""
        ...

    def forget(self, now: datetime, budget_bytes: int) -> None:
        """Reduces the texts of `passages` to a budget of UTF-8 bytes."""
        ...

    def passages(self) -> Sequence[Passage]:
        """Every text from which an answer can be taken, including summaries and history."""
        ...


MakeSystem = Callable[[Embedder], System]


def bytes_of(passages: Iterable[Passage]) -> int:
    """The UTF-8 bytes of the passages' texts."""
    return sum(len(passage.text.encode()) for passage in passages)


def fitting(passages: Sequence[Passage], tokens: int = CONTEXT_TOKENS) -> tuple[Passage, ...]:
    """The first passages that fit into a context."""
    kept = []
    for passage in passages:
        tokens -= estimate_tokens(passage.text)
        if tokens < 0:
            break
        kept.append(passage)
    return tuple(kept)
