"""A small database of passage vectors, so that a restart does not embed passages again."""

import contextlib
import logging
import sqlite3
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import numpy as np

from lucca_core.regular_file import check_regular
from lucca_memory.embedding.embedder import Vectors
from lucca_memory.embedding.packed import vector_to_bytes, vectors_from_bytes

_log = logging.getLogger(__name__)


class PassageVectors:
    """Vectors by the digest of their text. The file is derived: an unreadable one is replaced."""

    def __init__(self, file: Path | None, spec: str) -> None:
        """Without a file, vectors are kept in memory only."""
        self._spec = spec
        self._file = file
        self._lock = threading.Lock()
        self._vectors: dict[str, Vectors] = {}
        if file is not None:
            self._read(file)

    def __contains__(self, digest: str) -> bool:
        return digest in self._vectors

    def get(self, digest: str) -> Vectors | None:
        """The vector (d,) of a text."""
        return self._vectors.get(digest)

    def put(self, vectors: Mapping[str, Vectors]) -> None:
        """Stores vectors; if writing fails, they are computed again after a restart."""
        with self._lock:
            self._vectors.update(vectors)
            rows = [(self._spec, digest, vector_to_bytes(vector)) for digest, vector in vectors.items()]
            self._write(lambda database: database.executemany('INSERT OR REPLACE INTO vector VALUES (?, ?, ?)', rows))

    def keep_only(self, digests: Iterable[str]) -> None:
        """Removes vectors of other texts and other models."""
        with self._lock:
            kept = set(digests)
            gone = [digest for digest in self._vectors if digest not in kept]
            for digest in gone:
                del self._vectors[digest]
            rows = [(digest,) for digest in gone]
            self._write(lambda database: database.executemany('DELETE FROM vector WHERE digest = ?', rows))
            self._write(lambda database: database.execute('DELETE FROM vector WHERE spec != ?', (self._spec,)))

    def _read(self, file: Path) -> None:
        try:
            self._load(file)
        except (sqlite3.Error, OSError, ValueError, TypeError) as error:
            _log.warning('%s is replaced by a new file: %s', file, error)
            with contextlib.suppress(sqlite3.Error, OSError):
                for extra in ('-journal', '-wal', '-shm', ''):
                    file.with_name(f'{file.name}{extra}').unlink(missing_ok=True)
                self._load(file)

    def _load(self, file: Path) -> None:
        check_regular(file)
        file.touch(mode=0o600)
        with contextlib.closing(sqlite3.connect(file)) as connection:
            connection.execute(
                'CREATE TABLE IF NOT EXISTS vector (spec TEXT, digest TEXT, data BLOB, PRIMARY KEY (spec, digest))'
                ' WITHOUT ROWID'
            )
            rows = connection.execute('SELECT digest, data FROM vector WHERE spec = ?', (self._spec,)).fetchall()
        if len({len(row[1]) for row in rows}) > 1 or not all(type(row[1]) is bytes for row in rows):
            raise ValueError('vectors of several lengths')
        vectors = vectors_from_bytes([row[1] for row in rows])
        if not np.isfinite(vectors).all():
            raise ValueError('vectors of something else than numbers')
        self._vectors = dict(zip([row[0] for row in rows], vectors, strict=True))

    def _write(self, write: Callable[[sqlite3.Connection], object]) -> None:
        if self._file is None:
            return
        try:
            check_regular(self._file)
            with contextlib.closing(sqlite3.connect(self._file)) as connection, connection:
                write(connection)
        except (sqlite3.Error, OSError) as error:
            _log.warning('vectors of facts could not be written: %s', error)
