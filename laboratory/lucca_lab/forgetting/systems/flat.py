"""Memories that are a flat list of texts: context window, vector store, and LRU, MemoryBank or random eviction."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np

from lucca_lab.forgetting.answering import Passage
from lucca_lab.forgetting.scenario import ScenarioStatement
from lucca_lab.forgetting.system import CONTEXT_TOKENS
from lucca_llm.limits.tokens import estimate_tokens
from lucca_memory.embedding.embedder import Embedder, Vectors


@dataclass(slots=True)
class Item:
    """One text with what a store knows about it. `strength` counts its uses, for MemoryBank."""

    text: str
    vector: Vectors
    told: datetime
    used: datetime
    strength: int = 1


@dataclass(slots=True)
class VectorRag:
    """Retrieval by cosine similarity from a store of plain texts. The texts that have been in it longest are evicted.

    The same text is not stored twice; if it is told again, it counts as told at that time.
    """

    embedder: Embedder
    items: dict[str, Item] = field(default_factory=dict)

    @property
    def nodes(self) -> int:
        """See `System`."""
        return len(self.items)

    def hear(self, told: Sequence[ScenarioStatement]) -> None:
        """See `System`."""
        vectors = self.embedder.embed([item.text for item in told])
        for item, vector in zip(told, vectors, strict=True):
            known = self.items.pop(item.text, None)
            strength = known.strength if known is not None else 1
            self.items[item.text] = Item(item.text, vector, item.time, item.time, strength)

    def context(self, question: str, now: datetime) -> Sequence[Passage]:
        """See `System`."""
        if not self.items:
            return ()
        items = list(self.items.values())
        scores = np.stack([item.vector for item in items]) @ self.embedder.embed([question])[0]
        order = np.argsort(-scores, kind='stable')
        self._use(items[order[0]], now)
        return [Passage(items[row].text) for row in order]

    def forget(self, now: datetime, budget_bytes: int) -> None:
        """See `System`."""
        items = sorted(self.items.values(), key=lambda item: self._worth(item, now))
        size = sum(len(item.text.encode()) for item in items)
        for item in items:
            if size <= budget_bytes:
                break
            size -= len(item.text.encode())
            del self.items[item.text]

    def passages(self) -> Sequence[Passage]:
        """See `System`."""
        return [Passage(text) for text in self.items]

    def _use(self, item: Item, now: datetime) -> None:
        """Notes the use of the best answer only: other texts may be in a context by chance."""

    def _worth(self, item: Item, now: datetime) -> float:
        """The worth of a text. Texts with the lowest worth are evicted first."""
        del now
        return item.told.timestamp()


class LeastRecentlyUsed(VectorRag):
    """The same store, but the text that was neither told nor used for the longest time is evicted first."""

    __slots__ = ()

    def _use(self, item: Item, now: datetime) -> None:
        item.used = now

    def _worth(self, item: Item, now: datetime) -> float:
        del now
        return item.used.timestamp()


class RandomForgetting(VectorRag):
    """The same store, but texts are evicted at random, in a repeatable way."""

    __slots__ = ()

    def _worth(self, item: Item, now: datetime) -> float:
        return random.Random(f'{item.text}/{now}').random()


class MemoryBank(VectorRag):
    """MemoryBank (Zhong et al. 2024): retention R = exp(−t/S), t in days since the last recall; the lowest is evicted.

    As in the paper, a memory begins with strength S = 1; each recall adds 1 to S and sets t to 0. The published code
    divides by 5 and multiplies by S, so that strength speeds up forgetting; here the paper's formula is used. Its
    summaries of days and portraits of people are left out, since a language model writes them.
    """

    __slots__ = ()

    def _use(self, item: Item, now: datetime) -> None:
        item.strength += 1
        item.used = now

    def _worth(self, item: Item, now: datetime) -> float:
        days = max(0.0, (now - item.used).total_seconds() / 86_400)
        return -days / item.strength


@dataclass(slots=True)
class FixedContext:
    """A model without memory: its context holds as many of the last statements as fit."""

    embedder: Embedder
    window: list[str] = field(default_factory=list)

    @property
    def nodes(self) -> int:
        """See `System`."""
        return len(self.window)

    def hear(self, told: Sequence[ScenarioStatement]) -> None:
        """See `System`."""
        self.window += [item.text for item in told]
        tokens, kept = 0, 0
        for text in reversed(self.window):
            tokens += estimate_tokens(text)
            if tokens > CONTEXT_TOKENS:
                break
            kept += 1
        self.window = self.window[len(self.window) - kept :]

    def context(self, question: str, now: datetime) -> Sequence[Passage]:
        """See `System`. The newest text comes first."""
        del question, now
        return [Passage(text) for text in reversed(self.window)]

    def forget(self, now: datetime, budget_bytes: int) -> None:
        """See `System`."""
        del now
        while self.window and sum(len(text.encode()) for text in self.window) > budget_bytes:
            del self.window[0]

    def passages(self) -> Sequence[Passage]:
        """See `System`."""
        return [Passage(text) for text in self.window]
