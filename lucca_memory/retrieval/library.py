"""The retriever: one index per scope, updated from its source before each search.

Sources (people, facts, tasks) are the truth and an index follows them. So storing a turn does not touch the index, and
lost parts of it are rebuilt.
"""

import contextlib
import logging
import threading
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np

from lucca_core.errors import LuccaError, MemoryFault
from lucca_memory.data_folder import file_name
from lucca_memory.embedding.embedder import Embedder, Vectors
from lucca_memory.retrieval.config import RetrievalConfig
from lucca_memory.retrieval.dates import spans_asked_for
from lucca_memory.retrieval.index import ScopeIndex
from lucca_memory.retrieval.phrasing import Phrasing, phrase
from lucca_memory.retrieval.ranking import rank
from lucca_memory.retrieval.values import Document, Hit, Question

_AT_ONCE = 2_000
_SAVE_FROM = 512
_SAVE_SHARE = 16
"""A tail is saved once it has this many documents and this share of all."""

_log = logging.getLogger(__name__)


class Source(Protocol):
    """The documents of one scope, as stored."""

    def state(self) -> tuple[int, int]:
        """Key of the newest document (0 if there is none), and a number that changes when an older one is removed."""
        ...

    def documents(self, *, after: int, limit: int) -> Sequence[Document]:
        """Documents in the order of their keys, starting after `after`."""
        ...

    def vectors(self, spec: str, *, after: int, limit: int) -> Mapping[int, Vectors]:
        """The existing vectors of documents after `after`, in order, by key."""
        ...


@dataclass(slots=True)
class _Scope:
    index: ScopeIndex
    epoch: int
    lock: threading.Lock = field(default_factory=threading.Lock)
    missing: set[int] = field(default_factory=set)


class Library:
    """Searches the documents of one scope: a person's lines, the facts, or the task logs.

    Scopes are independent: no statistic, bonus or result of one depends on another.

    Thread-safe; searches of one scope take turns.
    """

    def __init__(
        self,
        source_of: Callable[[str], Source | None],
        embedder: Embedder,
        config: RetrievalConfig | None = None,
        *,
        folder: Path | None = None,
        uid: str = '',
        robot: str = '',
    ) -> None:
        """`source_of` returns the source of a scope, None for an unknown one.

        Args:
            folder: existing folder of saved indexes; None to save none.
            uid: identity of the store behind the sources; indexes of other stores are not used.
            robot: the speaker whom "you" in a question means.
        """
        self._source_of = source_of
        self._embedder = embedder
        self._config = config or RetrievalConfig()
        self._folder = folder
        self._uid = uid
        self._robot = robot
        self._scopes: dict[str, _Scope] = {}
        self._lock = threading.Lock()

    def search(self, scope: str, question: Question) -> list[Hit]:
        """The best documents of a scope, best first; none for an unknown scope.

        Raises:
            MemoryFault: the scope could not be read.
        """
        vector = self.vector_of(scope, question)
        return self.search_with(scope, question, vector)

    def vector_of(self, scope: str, question: Question) -> Vectors | None:
        """The question's vectors for a scope, see `query_vectors`; None without an embedder, or while it fails."""
        opened = self._open(scope)
        if opened is None or not self._embedder.dimensions:
            return None
        phrasing = phrase(question.text, opened.index.speakers, asker=question.asker, robot=self._robot)
        try:
            return query_vectors(phrasing, self._embedder)
        except LuccaError as error:
            _log.warning('searching by words only, the question has no vector: %s', error)
            return None

    def search_with(self, scope: str, question: Question, vector: Vectors | None) -> list[Hit]:
        """Like `search`, with the question's vectors given."""
        opened = self._open(scope)
        if opened is None:
            return []
        with opened.lock:
            index = opened.index
            phrasing = phrase(question.text, index.speakers, asker=question.asker, robot=self._robot)
            spans = spans_asked_for(question.text, question.now)
            return rank(index, phrasing, vector, spans, self._config, question.limit, only_enough=question.enough)

    def save(self) -> None:
        """Saves every long tail, so that the next start need not read it from the store.

        Raises:
            MemoryFault: one could not be written.
        """
        with self._lock:
            scopes = list(self._scopes.items())
        for name, scope in scopes:
            with scope.lock:
                self._save(name, scope)

    def save_if_due(self, name: str) -> None:
        """Saves one scope's index if its tail has grown long; for a background thread."""
        with self._lock:
            scope = self._scopes.get(name)
        if scope is not None:
            with scope.lock:
                if scope.index.tail_size >= max(_SAVE_FROM, len(scope.index) // _SAVE_SHARE):
                    self._save(name, scope)

    def drop(self, name: str) -> None:
        """Deletes a scope's index with its file; the next search rebuilds it from the source."""
        with self._lock:
            self._scopes.pop(name, None)
            if (file := self._file(name)) is not None:
                try:
                    file.unlink(missing_ok=True)
                    file.with_name(f'{file.name}.new').unlink(missing_ok=True)
                except OSError as error:
                    raise MemoryFault(f'{file} could not be removed: {error}') from error

    def _open(self, name: str) -> _Scope | None:
        """The scope, up to date with its source."""
        source = self._source_of(name)
        if source is None:
            return None
        newest, epoch = source.state()
        with self._lock:
            scope = self._scopes.get(name)
            if scope is None or scope.epoch != epoch:
                scope = self._scopes[name] = self._loaded(name, epoch)
        with scope.lock:
            self._follow(scope, source, newest)
        return scope

    def _loaded(self, name: str, epoch: int) -> _Scope:
        file = self._file(name)
        index = None if file is None else ScopeIndex.load(file, self._embedder.dimensions, self._stamp(epoch))
        scope = _Scope(ScopeIndex(self._embedder.dimensions) if index is None else index, epoch)
        scope.missing = (
            set(scope.index.column('keys')[~scope.index.has_vector].tolist()) if self._embedder.dimensions else set()
        )
        return scope

    def _follow(self, scope: _Scope, source: Source, newest: int) -> None:
        index, spec = scope.index, self._embedder.spec
        while index.last_key < newest:
            documents = source.documents(after=index.last_key, limit=_AT_ONCE)
            if not documents:
                break
            index.add(documents)
            if self._embedder.dimensions:
                scope.missing |= {document.key for document in documents}
        # Only what lies at missing keys is read: one old document without a vector must not cost all others each time.
        waiting = sorted(scope.missing)
        limit = min(_AT_ONCE, 2 * len(waiting))
        at = 0
        while at < len(waiting) and (vectors := source.vectors(spec, after=waiting[at] - 1, limit=limit)):
            index.set_vectors({key: vector for key, vector in vectors.items() if key in scope.missing})
            scope.missing.difference_update(vectors)
            at = bisect_right(waiting, max(vectors))

    def _save(self, name: str, scope: _Scope) -> None:
        file = self._file(name)
        if file is not None and len(scope.index) and (scope.index.tail_size or scope.index.unsaved_vectors):
            with contextlib.suppress(FileExistsError):
                file.parent.mkdir(mode=0o700)
            scope.index.save(file, self._stamp(scope.epoch))

    def _stamp(self, epoch: int) -> dict[str, object]:
        return {'store': self._uid, 'spec': self._embedder.spec, 'epoch': epoch}

    def _file(self, name: str) -> Path | None:
        return None if self._folder is None else self._folder / f'{file_name(name)}.index'


def query_vectors(phrasing: Phrasing, embedder: Embedder) -> Vectors:
    """The vectors (1 + s, d) of a question as a whole and of its `sentences`.

    Raises:
        LuccaError: the embedder failed.
    """
    found = embedder.embed([phrasing.without_names, phrasing.first_person, *phrasing.sentences])
    return np.concatenate([found[:2].mean(axis=0, keepdims=True), found[2:]]).astype(np.float32)
