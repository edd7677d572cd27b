"""The interface through which every memory system is measured."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Protocol

from lucca_lab.forgetting.answering import Passage
from lucca_lab.forgetting.scenario import ScenarioStatement
from lucca_llm.limits.tokens import estimate_tokens
from lucca_memory.embedding.embedder import Embedder

CONTEXT_TOKENS = 512
"""Most tokens of a context, for every system."""


class System(Protocol):
    """A memory. Time is what it is told; nothing reads a clock. Whatever it is not told it cannot know."""

    @property
    def nodes(self) -> int:
        """How many things it keeps."""
        ...

    def hear(self, told: Sequence[ScenarioStatement]) -> None:
        """What was said, in order. `ScenarioStatement.fact` is the truth, which no system may read."""
        ...

    def context(self, question: str, now: datetime) -> Sequence[Passage]:
        """What it has to say to a question, best first; what passes CONTEXT_TOKENS is cut off by the harness."""
        ...

    def forget(self, now: datetime, budget_bytes: int) -> None:
        """Brings the texts of `passages` down to a budget of UTF-8 bytes."""
        ...

    def passages(self) -> Sequence[Passage]:
        """Every text from which an answer can be drawn, summaries and history included."""
        ...


MakeSystem = Callable[[Embedder], System]


def bytes_of(passages: Iterable[Passage]) -> int:
    """UTF-8 bytes of their texts."""
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
