"""Synthetic conversation turns for memory benchmarks, with Zipf-distributed words and clustered vectors."""

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from lucca_memory.embedding.embedder import Vectors
from lucca_memory.retrieval.values import Question

DIMENSIONS = 384
CLUSTERS = 200
VOCABULARY = 50_000
ZIPF = 1.1
LARGEST_SHARE = 0.1
START = datetime(2020, 1, 1, tzinfo=UTC)
AT_ONCE = 5_000


@dataclass(frozen=True, kw_only=True)
class ScaleOptions:
    """Sizes of the benchmark.

    Attributes:
        turns: number of turns in total.
        people: number of people; the largest memory has a tenth of all turns.
        questions: number of timed questions.
        stored: number of timed turns to be stored.
        seed: seed of all random numbers.
        rival: whether other stores are measured too.
    """

    turns: int = 1_000_000
    people: int = 100
    questions: int = 300
    stored: int = 100
    seed: int = 0
    rival: bool = True


class ClusteredEmbedder:
    """Gives each text a vector near one of a few centres. It depends only on the text and costs next to nothing."""

    spec = f'clustered-{DIMENSIONS}'
    dimensions = DIMENSIONS

    def __init__(self, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self._centres = rng.standard_normal((CLUSTERS, DIMENSIONS)).astype(np.float32)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`."""
        return np.concatenate([self.random(1, zlib.crc32(text.encode())) for text in texts])

    def random(self, count: int, seed: int) -> Vectors:
        """Random vectors (count, d) for a seed."""
        rng = np.random.default_rng(seed)
        vectors = self._centres[rng.integers(0, CLUSTERS, count)]
        vectors = vectors + rng.standard_normal((count, DIMENSIONS)).astype(np.float32)
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def person_sizes(options: ScaleOptions) -> list[int]:
    """Number of turns of each person. The largest comes first; the others share the rest equally."""
    largest = max(1, int(options.turns * LARGEST_SHARE)) if options.people > 1 else options.turns
    others = options.people - 1
    rest = options.turns - largest
    return [largest, *(rest // others + (number < rest % others) for number in range(others))]


def texts(count: int, seed: int) -> Iterator[str]:
    """Texts of 5 to 25 words from an artificial vocabulary, distributed by Zipf's law."""
    rng = np.random.default_rng(seed)
    odds = 1 / np.arange(1, VOCABULARY + 1) ** ZIPF
    steps = np.cumsum(odds / odds.sum())
    for length in rng.integers(5, 26, count):
        yield ' '.join(f'w{word}' for word in np.searchsorted(steps, rng.random(length)))


def question_of(rng: np.random.Generator, options: ScaleOptions) -> Question:
    """A question with at most ten words, distributed like those of the turns."""
    text = next(texts(1, int(rng.integers(2**31))))
    return Question(text=' '.join(text.split()[:10]), now=START)
