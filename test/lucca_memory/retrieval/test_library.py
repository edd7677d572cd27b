"""An index follows its source, and reads no more of it than it lacks."""

from datetime import UTC, datetime, timedelta

from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_memory.retrieval.library import Library
from lucca_memory.retrieval.values import Document, Question

NOW = datetime(2026, 3, 2, tzinfo=UTC)


class Lines:
    """A source whose documents have the vectors of `known`; `read` counts the vectors that were handed over."""

    def __init__(self, count, embedder):
        self.texts = {key: f'the {key}th jar holds plum jam' for key in range(1, count + 1)}
        self.known = set(self.texts)
        self.read = 0
        self._embedder = embedder

    def state(self):
        return max(self.texts), 0

    def documents(self, *, after, limit):
        keys = [key for key in self.texts if key > after][:limit]
        return [Document(key=key, group='g', text=self.texts[key], time=NOW - timedelta(days=1)) for key in keys]

    def vectors(self, spec, *, after, limit):
        keys = sorted(key for key in self.known if key > after)[:limit]
        self.read += len(keys)
        return {key: self._embedder.embed([self.texts[key]])[0] for key in keys}


def searched(source, embedder, missing):
    """The library of a source after a search while some documents had no vector yet."""
    source.known -= missing
    library = Library({'lines': source}.get, embedder)
    library.search('lines', Question(text='Which jar?', now=NOW))
    return library


def without_vector(library):
    index = library._scopes['lines'].index
    return set(index.column('keys')[~index.has_vector].tolist())


def test_what_has_no_vector_for_long_does_not_cost_all_others_at_each_question():
    embedder = HashedEmbedder()
    source = Lines(300, embedder)
    library = searched(source, embedder, {1, 150})
    assert without_vector(library) == {1, 150}
    source.read = 0
    for _ in range(10):
        library.search('lines', Question(text='Which jar?', now=NOW))
    # A question opens the scope twice, and reads a few vectors for each that is missing.
    assert source.read <= 10 * 2 * 8


def test_vectors_that_come_late_are_read_wherever_they_are():
    embedder = HashedEmbedder()
    source = Lines(300, embedder)
    library = searched(source, embedder, {1, 2, 77, 150, 151, 300})
    for late in ({151}, {1, 300}, {2, 77, 150}):
        source.known |= late
        library.search('lines', Question(text='Which jar?', now=NOW))
        assert not without_vector(library) & late
    assert not without_vector(library)


def test_a_question_has_one_vector_and_a_message_that_tells_something_one_more_for_each_sentence():
    embedder = HashedEmbedder()
    library = Library({'lines': Lines(3, embedder)}.get, embedder)
    for text, count in {'Which jar holds jam?': 1, 'I ate the jam. Which jar is left?': 3}.items():
        vectors = library.vector_of('lines', Question(text=text, now=NOW))
        assert vectors is not None
        assert vectors.shape == (count, embedder.dimensions)
