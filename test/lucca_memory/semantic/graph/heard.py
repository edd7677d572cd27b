"""Networks that have heard a few statements."""

from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from lucca_memory.embedding.embedder import NoEmbedder
from lucca_memory.semantic.config import ForgettingConfig
from lucca_memory.semantic.memory import ConceptMemory
from lucca_memory.semantic.values import Statement

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
HOUR_US = 3_600_000_000
NOW = 10**16

counts = st.integers(0, 6)


def memory_of(*texts):
    memory = ConceptMemory(NoEmbedder(), ForgettingConfig(compress=True, compressed_share=1.0))
    hear(memory, 0, *texts)
    return memory


def hear(memory, day, *texts):
    time = BEGIN + timedelta(days=day)
    memory.hear(
        [Statement(text=text, speaker='Anna', time=time, source=f'said:{day}:{n}') for n, text in enumerate(texts)]
    )
