"""The files of a folder of facts as passages; only changed files are read again."""

import codecs
import hashlib
import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lucca_core.regular_file import read_regular
from lucca_memory.facts.passages import Passage, passages_of

SUFFIXES = ('.txt', '.md')
LARGEST_BYTES = 20_000_000

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _File:
    stamp: tuple[int, int, int]
    passages: tuple[Passage, ...]


class FactFolder:
    """Reads a folder repeatedly; unchanged files are not read twice. Not thread-safe."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files: dict[str, _File] = {}

    @property
    def passages(self) -> tuple[Passage, ...]:
        """All passages, by file and line."""
        return tuple(passage for name in sorted(self._files) for passage in self._files[name].passages)

    def refresh(self) -> bool:
        """Reads changed files; True if any changed. Unreadable files are left out and logged."""
        seen: dict[str, _File] = {}
        for name, path in self._paths():
            try:
                status = path.stat()
                stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
                known = self._files.get(name)
                if known is not None and known.stamp == stamp:
                    seen[name] = known
                    continue
                if status.st_size > LARGEST_BYTES:
                    _log.warning('fact file %s is left out: it has more than %d bytes', path, LARGEST_BYTES)
                    continue
                text = _text_of(read_regular(path), path)
            except FileNotFoundError:
                continue
            except OSError as error:
                _log.warning('fact file %s is left out: %s', path, error)
                continue
            passages = passages_of(name, text)
            # Written again with the same text.
            seen[name] = _File(stamp, known.passages if known and known.passages == passages else passages)
        changed = {n: f.passages for n, f in seen.items()} != {n: f.passages for n, f in self._files.items()}
        self._files = seen
        return changed

    def _paths(self) -> Iterator[tuple[str, Path]]:
        # Symbolic links could lead out of the folder or form a cycle.
        for folder, folders, names in os.walk(self.folder, followlinks=False):
            folders[:] = sorted(name for name in folders if not name.startswith('.'))
            for name in sorted(names):
                path = Path(folder) / name
                if name.lower().endswith(SUFFIXES) and not name.startswith('.') and not path.is_symlink():
                    yield path.relative_to(self.folder).as_posix(), path


def _text_of(data: bytes, path: Path) -> str:
    """The text of a file in UTF-8, or in UTF-16 if a byte order mark says so, with `\\n` at the ends of lines.

    Letters in another encoding are replaced, and a warning says so. A file that is no text has no text.
    """
    marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if b'\0' in data and not marked:
        _log.warning('fact file %s is left out: it is not text', path)
        return ''
    encoding = 'utf-16' if marked else 'utf-8-sig'
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b'\n', 0, error.start) + 1
        _log.warning('fact file %s is not in UTF-8 (line %d): letters in it are lost', path, line)
        text = data.decode(encoding, 'replace')
    return text.replace('\r\n', '\n').replace('\r', '\n')


def digest_of(passage: Passage) -> str:
    """A digest of the indexed text, so that equal passages share one vector."""
    return hashlib.sha256(passage.searched.encode('utf-8', 'surrogatepass')).hexdigest()
