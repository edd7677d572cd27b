"""LanceDB and Chroma behind one interface, for the memory benchmark.

Both are used as their manuals recommend, with the same turns as our memory. Their queries return ten rows by words and
meaning (LanceDB) or by meaning alone (Chroma). This is less work than a recall of ours, which also weighs neighbours,
conversation, speaker and date.
"""

import importlib.util
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from lucca_lab.bench.drawn_turns import AT_ONCE, ClusteredEmbedder, ScaleOptions, person_sizes, question_of, texts
from lucca_memory.embedding.embedder import Vectors

Progress = Callable[[str], None]
Batch = tuple[int, list[str], Vectors]
"""A person's number, texts, and their vectors (n, d)."""

Ask = Callable[[int, str, Vectors], Any]
"""A function that returns ten rows of a person for a question and its vector (d,)."""


class Rival(Protocol):
    """Another store, to be compared with our memory."""

    name: str

    def installed(self) -> bool:
        """Whether the store's package is installed."""
        ...

    def build(self, path: Path, options: ScaleOptions, on_progress: Progress) -> None:
        """Stores and indexes all turns in a folder."""
        ...

    def open(self, path: Path) -> Ask:
        """Opens a folder that was built; returns the function that answers questions from it."""
        ...


class LanceDB:
    """A table with indexes of vectors, words and people. Queries are hybrid and filtered by person first."""

    name = 'lancedb'

    def installed(self) -> bool:
        """See `Rival`."""
        return importlib.util.find_spec('lancedb') is not None

    def build(self, path: Path, options: ScaleOptions, on_progress: Progress) -> None:
        """See `Rival`."""
        import lancedb

        database, table = lancedb.connect(path), None
        for number, said, vectors in _batches(options):
            rows = [
                {'person': number, 'text': text, 'vector': vector} for text, vector in zip(said, vectors, strict=True)
            ]
            if table is None:
                table = database.create_table('turns', rows)
            else:
                table.add(rows)
        if table is None:
            return
        on_progress('LanceDB: indexing')
        table.create_index(metric='cosine', vector_column_name='vector')
        table.create_fts_index('text')
        table.create_scalar_index('person')

    def open(self, path: Path) -> Ask:
        """See `Rival`."""
        import lancedb

        table = lancedb.connect(path).open_table('turns')

        def ask(person: int, text: str, vector: Vectors) -> Any:
            query = table.search(query_type='hybrid').vector(vector).text(text)
            return query.where(f'person = {person}', prefilter=True).limit(10).to_list()

        return ask


class Chroma:
    """A collection of vectors with the person of each. It ranks by meaning; words can only filter."""

    name = 'chroma'

    def installed(self) -> bool:
        """See `Rival`."""
        return importlib.util.find_spec('chromadb') is not None

    def build(self, path: Path, options: ScaleOptions, on_progress: Progress) -> None:
        """See `Rival`."""
        import chromadb

        collection = chromadb.PersistentClient(str(path)).create_collection('turns', metadata={'hnsw:space': 'cosine'})
        stored = 0
        for number, said, vectors in _batches(options):
            collection.add(
                ids=[str(stored + place) for place in range(len(said))],
                documents=said,
                embeddings=vectors,
                metadatas=[{'person': number}] * len(said),
            )
            stored += len(said)
            on_progress(f'Chroma: {stored} turns')

    def open(self, path: Path) -> Ask:
        """See `Rival`."""
        import chromadb

        collection = chromadb.PersistentClient(str(path)).get_collection('turns')

        def ask(person: int, _text: str, vector: Vectors) -> Any:
            return collection.query(query_embeddings=[vector], n_results=10, where={'person': person})

        return ask


RIVALS: tuple[Rival, ...] = (LanceDB(), Chroma())


def asked_rival(rival: Rival, path: Path, options: ScaleOptions) -> dict[str, float]:
    """Times (ms) of the questions of `memory_scale`, after one that is not counted."""
    embedder, sizes, ask = ClusteredEmbedder(options.seed), person_sizes(options), rival.open(path)
    rng = np.random.default_rng(options.seed + 1)
    seconds: dict[str, list[float]] = {'recall': [], 'recall_largest': []}
    warm_up = question_of(np.random.default_rng(options.seed), options).text
    ask(0, warm_up, embedder.embed([warm_up])[0])
    for number in range(options.questions):
        person = 0 if number % 2 else int(rng.integers(len(sizes)))
        text = question_of(rng, options).text
        vector = embedder.embed([text])[0]
        begin = time.perf_counter()
        ask(person, text, vector)
        seconds['recall' if person else 'recall_largest'].append(time.perf_counter() - begin)
    return {
        f'{name}_{at}_ms': 1e3 * float(np.percentile(values, cut))
        for name, values in seconds.items()
        if values
        for at, cut in (('p50', 50), ('p95', 95))
    }


def _batches(options: ScaleOptions) -> Iterator[Batch]:
    embedder = ClusteredEmbedder(options.seed)
    for number, size in enumerate(person_sizes(options)):
        said = texts(size, options.seed * 1_000 + number)
        for start in range(0, size, AT_ONCE):
            count = min(AT_ONCE, size - start)
            vectors = embedder.random(count, options.seed * 1_000_003 + number * 1_009 + start)
            yield number, [next(said) for _ in range(count)], vectors
