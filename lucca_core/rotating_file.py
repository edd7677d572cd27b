"""Log files of bounded size: full ones are renamed, and the oldest are removed."""

from pathlib import Path

MOST_BYTES = 5_000_000
KEPT = 3


class RotatingFile:
    """Lines in `path`, and older ones in `path.1` to `path.KEPT`, of about `most_bytes` each. Not thread-safe."""

    def __init__(self, path: Path, *, most_bytes: int = MOST_BYTES, kept: int = KEPT) -> None:
        self._path = path
        self._most_bytes = most_bytes
        self._kept = kept
        self._stream = path.open('ab')

    def write(self, line: str) -> None:
        """Appends a line, cut to `most_bytes`.

        Raises:
            OSError: the line could not be written.
        """
        data = line.encode('utf-8', 'backslashreplace')[: self._most_bytes]
        if self._stream.closed:  # renaming failed at the last line
            self._stream = self._path.open('ab')
        if self._stream.tell() + len(data) > self._most_bytes:
            self._rotate()
        self._stream.write(data)
        self._stream.flush()

    def close(self) -> None:
        """Closes the file. A second call does nothing."""
        self._stream.close()

    def _rotate(self) -> None:
        self._stream.close()
        for number in range(self._kept - 1, 0, -1):
            older = self._aside(number)
            if older.exists():
                older.replace(self._aside(number + 1))
        self._path.replace(self._aside(1))
        self._stream = self._path.open('ab')

    def _aside(self, number: int) -> Path:
        return self._path.with_name(f'{self._path.name}.{number}')


def keep_newest(folder: Path, pattern: str, kept: int) -> None:
    """Removes all but the `kept` newest files that match a pattern. Other processes may do the same at the same time.

    Raises:
        OSError: the folder could not be read, or a file could not be removed.
    """

    def changed_s(file: Path) -> float:
        try:
            return file.stat().st_mtime
        except FileNotFoundError:
            return 0.0

    for file in sorted(folder.glob(pattern), key=changed_s, reverse=True)[kept:]:
        file.unlink(missing_ok=True)


def cut_when_long(file: Path, most_bytes: int) -> None:
    """Empties a file that another process appends to once it exceeds `most_bytes`, and keeps its end as `FILE.1`.

    Raises:
        OSError: a file could not be read or written.
    """
    if file.stat().st_size <= most_bytes:
        return
    # Copied and emptied instead of renamed, because the writing process keeps the same file open.
    with file.open('rb') as source:
        source.seek(-most_bytes, 2)
        file.with_name(f'{file.name}.1').write_bytes(source.read())
    with file.open('r+b') as emptied:
        emptied.truncate(0)
