"""A memory in this process, and statements in a few words."""

from datetime import UTC, datetime, timedelta

import pytest

from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_memory.semantic.memory import ConceptMemory
from lucca_memory.semantic.values import Statement

BEGIN = datetime(2026, 1, 5, 9, tzinfo=UTC)


class Talk:
    """Says things to a memory, an hour apart."""

    def __init__(self, memory):
        self.memory = memory
        self.hours = 0

    @property
    def now(self):
        return BEGIN + timedelta(hours=self.hours)

    def say(self, *texts, **values):
        for text in texts:
            self.hours += 1
            self.memory.hear([self.statement(text, **values)])

    def statement(self, text, speaker='Anna', **values):
        values.setdefault('source', f'said:{self.hours}')
        return Statement(text=text, speaker=speaker, time=self.now, **values)

    def ask(self, question, **values):
        return self.memory.context(question, self.now, **values)

    def texts(self, question, **values):
        return [item.text for item in self.ask(question, **values).items]

    def living(self):
        return sorted(self.memory.texts())


@pytest.fixture
def make_talk():
    """Makes one with settings of its own."""
    return lambda settings: Talk(ConceptMemory(HashedEmbedder(), settings=settings))


@pytest.fixture
def talk():
    return Talk(ConceptMemory(HashedEmbedder()))
