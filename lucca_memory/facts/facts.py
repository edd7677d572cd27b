"""The memory of facts: passages of a folder of text files, re-indexed moments after any change.

Changed words can be searched at once; embeddings follow from a background thread.
"""

import logging
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver
from watchdog.observers.polling import PollingObserver

from lucca_core.errors import LuccaError, MemoryFault
from lucca_core.protocol.remembered import Recollection
from lucca_memory.embedding.embedder import Embedder, Vectors
from lucca_memory.facts.fact_folder import FactFolder, digest_of
from lucca_memory.facts.passage_vectors import PassageVectors
from lucca_memory.facts.passages import Passage
from lucca_memory.retrieval.analysis import Analysed, analysed
from lucca_memory.retrieval.library import Library
from lucca_memory.retrieval.values import Document, Hit, Question

SCOPE = 'facts'
SETTLE_S = 0.1
"""Wait after a change for further ones: editors write, rename and touch files in quick succession."""

RECHECK_S = 30.0
"""Interval at which the folder is scanned without a notification, which network file systems may not send."""

RETRY_S = 5.0
_EMBEDDED_AT_ONCE = 4
"""Passages per batch: a question may have to wait for one batch, and larger ones are hardly faster."""


_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Reading:
    """The passages of one scan; their keys count from 1."""

    epoch: int = 0
    passages: tuple[Passage, ...] = ()
    digests: tuple[str, ...] = ()
    analysed: tuple[Analysed, ...] = ()


class Facts:
    """The memory of facts, used as a context manager or through `start` and `close`. Thread-safe."""

    def __init__(self, folder: Path, embedder: Embedder, *, vectors_file: Path | None = None) -> None:
        """Reads nothing until `start` or `refresh`; the folder need not exist yet.

        Args:
            folder: its `.txt` and `.md` files are read, subfolders included.
            embedder: computes vectors.
            vectors_file: where vectors are stored between runs.
        """
        self._folder = folder
        self._embedder = embedder
        self._files = FactFolder(folder)
        self._vectors = PassageVectors(vectors_file, embedder.spec)
        self._library = Library(lambda scope: _Source(self) if scope == SCOPE else None, embedder)
        self._reading = _Reading()
        self._refreshing = threading.Lock()
        self._changed = threading.Event()
        self._stopping = threading.Event()
        self._embedding_due = threading.Event()
        self._threads: list[threading.Thread] = []
        self._observer: BaseObserver | None = None

    # -- asking -------------------------------------------------------------------------------------------------

    @property
    def passages(self) -> tuple[Passage, ...]:
        """All passages as last read."""
        return self._reading.passages

    def recall(self, question: Question) -> tuple[Recollection, ...]:
        """The passages that answer a question, best first, each with file and line."""
        while True:
            reading = self._reading
            hits = self._library.search(SCOPE, question)
            # Keys belong to one scan; after another one they may mean other passages.
            if reading is self._reading:
                break
        return tuple(_recollection(reading.passages[hit.key - 1], hit) for hit in hits)

    # -- following the folder -----------------------------------------------------------------------------------

    def refresh(self) -> bool:
        """Reads changed files now; True if any changed. Their words can be searched from then on."""
        with self._refreshing:
            if not self._files.refresh():
                return False
            passages = self._files.passages
            digests = tuple(map(digest_of, passages))
            # Analysed here and not during the next question; unchanged passages are not analysed again.
            known = dict(zip(self._reading.digests, self._reading.analysed, strict=True))
            read = tuple(
                known.get(digest) or analysed(passage.searched)
                for digest, passage in zip(digests, passages, strict=True)
            )
            self._reading = _Reading(self._reading.epoch + 1, passages, digests, read)
            self._vectors.keep_only(digests)
        self._embedding_due.set()
        return True

    def embed_missing(self, most: int = _EMBEDDED_AT_ONCE) -> int:
        """Embeds some passages that have no vector yet; returns how many.

        Raises:
            ModelError: the embedder failed.
        """
        if not self._embedder.dimensions:
            return 0
        reading = self._reading
        missing = {
            digest: passage.searched
            for digest, passage in zip(reading.digests, reading.passages, strict=True)
            if digest not in self._vectors
        }
        chosen = dict(list(missing.items())[:most])
        if chosen:
            vectors = self._embedder.embed(list(chosen.values()))
            self._vectors.put(dict(zip(chosen, vectors, strict=True)))
        return len(chosen)

    def start(self) -> None:
        """Reads the folder and follows its changes.

        Raises:
            MemoryFault: the folder cannot be created or watched.
        """
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise MemoryFault(f'{self._folder} cannot be used as folder of facts: {error}') from error
        self._observer = self._watch()
        self.refresh()
        self._embedding_due.set()
        for target, name in ((self._follow, 'facts-follow'), (self._embed, 'facts-embed')):
            thread = threading.Thread(target=target, name=name, daemon=True)
            thread.start()
            self._threads.append(thread)

    def close(self) -> None:
        """Stops following; closing twice is harmless."""
        self._stopping.set()
        self._changed.set()
        self._embedding_due.set()
        if self._observer is not None:
            self._observer.stop()
            self._observer.join()
            self._observer = None
        for thread in self._threads:
            thread.join()
        self._threads.clear()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _watch(self) -> BaseObserver:
        handler = _OnChange(self._changed)
        observer: BaseObserver = Observer()
        try:
            observer.schedule(handler, str(self._folder), recursive=True)
            observer.start()
        except OSError as error:
            # The system's limit of watches is reached, so the folder is polled instead.
            _log.warning('the folder of facts is polled, as it cannot be watched: %s', error)
            observer = PollingObserver(timeout=0.5)
            observer.schedule(handler, str(self._folder), recursive=True)
            observer.start()
        return observer

    def _follow(self) -> None:
        while not self._stopping.is_set():
            self._changed.wait(RECHECK_S)
            self._stopping.wait(SETTLE_S)
            self._changed.clear()
            if not self._stopping.is_set():
                self.refresh()

    def _embed(self) -> None:
        while not self._stopping.is_set():
            self._embedding_due.wait()
            self._embedding_due.clear()
            try:
                while not self._stopping.is_set() and self.embed_missing():
                    pass
            except LuccaError as error:
                _log.warning('facts are searched by words only for now: %s', error)
                self._stopping.wait(RETRY_S)
                self._embedding_due.set()


def _recollection(passage: Passage, hit: Hit) -> Recollection:
    return Recollection(
        kind='fact',
        item_id=f'fact:{passage.file}:{passage.first_line}',
        text=passage.searched,
        source=passage.place,
        score=hit.score,
        why=tuple(name for name, _ in hit.why),
        file=passage.file,
        first_line=passage.first_line,
        last_line=passage.last_line,
    )


class _OnChange(FileSystemEventHandler):
    def __init__(self, changed: threading.Event) -> None:
        self._changed = changed

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Any event but opening or reading may be a change; the scan finds out which."""
        if event.event_type not in ('opened', 'closed_no_write'):
            self._changed.set()


class _Source:
    """The passages of one scan as documents."""

    def __init__(self, facts: Facts) -> None:
        self._reading = facts._reading
        self._vectors = facts._vectors

    def state(self) -> tuple[int, int]:
        return len(self._reading.passages), self._reading.epoch

    def documents(self, *, after: int, limit: int) -> Sequence[Document]:
        part = slice(after, after + limit)
        return [
            Document(key=key, group=passage.file, text=passage.searched, names=passage.names, analysed=read)
            for key, (passage, read) in enumerate(
                zip(self._reading.passages[part], self._reading.analysed[part], strict=True), after + 1
            )
        ]

    def vectors(self, spec: str, *, after: int, limit: int) -> Mapping[int, Vectors]:
        found: dict[int, Vectors] = {}
        for key, digest in enumerate(self._reading.digests[after:], after + 1):
            if (vector := self._vectors.get(digest)) is not None:
                found[key] = vector
                if len(found) == limit:
                    break
        return found
