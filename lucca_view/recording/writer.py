"""The writer of sessions as MCAP files."""

import fcntl
import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import IO

from mcap.writer import CompressionType, Writer

from lucca_core.errors import RecordingError
from lucca_view.events import STATES, Event, SessionInfo
from lucca_view.recording.codec import SCHEMA, TOPIC, schema_of, to_json
from lucca_view.recording.redaction import Redaction

LIBRARY = 'lucca'
_CHUNK_BYTES = 64 * 1024
"""Small, as anything that is not in a chunk yet is lost when the recorder is killed."""


class SessionWriter:
    """Writes events to FILE and, whenever the present file has `part_bytes`, continues in FILE.1, FILE.2 and so on.

    The number precedes the suffix. Each part begins with the session and the newest event of each state, so that it can
    be drawn by itself. When all parts together exceed `budget_bytes`, the oldest is removed. Not thread-safe.

    Raises:
        RecordingError: here and in all methods: a file cannot be written. An existing file is never overwritten.
    """

    def __init__(
        self,
        file: Path,
        info: SessionInfo,
        redaction: Redaction,
        *,
        part_bytes: int = 256_000_000,
        budget_bytes: int = 2_000_000_000,
        on_part: Callable[[Path], None] = lambda _: None,
    ) -> None:
        if not 0 < part_bytes <= budget_bytes:
            raise ValueError(f'part_bytes must be within 1 and budget_bytes = {budget_bytes}, got {part_bytes}')
        self._file = file
        self._info = info
        self._redaction = redaction
        self._part_bytes = part_bytes
        self._budget_bytes = budget_bytes
        self._on_part = on_part
        self._states: dict[tuple[str, str], Event] = {}
        self._parts: list[Path] = []
        self._count = 0
        self._open: _Part | None = None

    @property
    def parts(self) -> tuple[Path, ...]:
        """The existing files, oldest first."""
        return tuple(self._parts)

    def write(self, event: Event) -> None:
        """Appends an event. SessionInfo events are skipped, as the writer adds its own."""
        try:
            if self._open is None or self._open.size() >= self._part_bytes:
                self._begin_part(event)
            if isinstance(event.value, SessionInfo):
                return
            if event.value.KIND in STATES:
                self._states[event.value.KIND, getattr(event.value, 'part', '')] = event
            self._append(event)
        except OSError as error:
            raise RecordingError(f'{self._file} cannot be written: {error}') from error

    def flush(self) -> None:
        """Passes written data to the system, so that it survives the end of this process."""
        if self._open is not None:
            try:
                self._open.flush()
            except OSError as error:
                raise RecordingError(f'{self._file} cannot be written: {error}') from error

    def close(self) -> None:
        """Completes the last file."""
        part, self._open = self._open, None
        if part is not None:
            try:
                part.finish()
            except OSError as error:
                raise RecordingError(f'{self._file} could not be completed: {error}') from error

    def _begin_part(self, event: Event) -> None:
        self.close()
        file = self._file if not self._count else self._file.with_suffix(f'.{self._count}{self._file.suffix}')
        info = replace(self._info, number=self._count)
        self._open = _Part(file)
        self._parts.append(file)
        self._on_part(file)
        self._count += 1
        self._append(Event(wall_s=event.wall_s, stamp_s=event.stamp_s, value=info))
        for state in self._states.values():
            # With the present time: an older state would be shown before the file begins.
            self._append(replace(state, wall_s=event.wall_s))
        while len(self._parts) > 1 and sum(_size(part) for part in self._parts) + self._part_bytes > self._budget_bytes:
            with suppress(FileNotFoundError):
                self._parts.pop(0).unlink()

    def _append(self, event: Event) -> None:
        assert self._open is not None
        value = self._redaction.hide_in(to_json(event.value))
        self._open.add(event.value.KIND, json.dumps(value).encode(), event.wall_s, event.stamp_s)


class _Part:
    """One MCAP file."""

    def __init__(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        self._stream: IO[bytes] = os.fdopen(os.open(file, flags, 0o600), 'wb')
        # The lock shows other programs that the file is being written.
        fcntl.flock(self._stream, fcntl.LOCK_EX)
        self._writer = Writer(self._stream, chunk_size=_CHUNK_BYTES, compression=CompressionType.ZSTD)
        self._writer.start(profile='', library=LIBRARY)
        self._channels: dict[str, tuple[int, int]] = {}

    def size(self) -> int:
        return self._stream.tell()

    def add(self, kind: str, data: bytes, wall_s: float, stamp_s: float) -> None:
        if kind not in self._channels:
            schema = self._writer.register_schema(f'{SCHEMA}{kind}', 'jsonschema', schema_of(kind))
            self._channels[kind] = self._writer.register_channel(f'{TOPIC}{kind}', 'json', schema), 0
        channel, count = self._channels[kind]
        self._channels[kind] = channel, count + 1
        times = (max(0, round(wall_s * 1e9)), max(0, round(stamp_s * 1e9)))
        self._writer.add_message(channel, log_time=times[0], publish_time=times[1], sequence=count, data=data)

    def flush(self) -> None:
        self._writer.flush()  # type: ignore[no-untyped-call]
        self._stream.flush()

    def finish(self) -> None:
        with self._stream:
            self._writer.finish()  # type: ignore[no-untyped-call]


def _size(file: Path) -> int:
    with suppress(FileNotFoundError):
        return file.stat().st_size
    return 0
