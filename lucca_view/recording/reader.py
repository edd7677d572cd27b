"""The reader of recorded sessions, including those that were cut off or damaged. It needs no ROS."""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

import zstandard
from mcap.exceptions import EndOfFile, McapError
from mcap.records import Channel, Chunk, Footer, McapRecord, Message, Schema
from mcap.stream_reader import CRCValidationError, StreamReader, breakup_chunk

from lucca_core.errors import RecordingError
from lucca_core.regular_file import reading
from lucca_view.events import Event, SessionInfo
from lucca_view.recording.codec import TOPIC, from_json

MOST_CHUNK_BYTES = 64_000_000
"""Longest record and largest unpacked chunk that is read; our own have 64 KiB and one message."""

# The library raises these on bytes that are not MCAP, besides its own errors.
_DAMAGE = (
    McapError,
    CRCValidationError,
    zstandard.ZstdError,
    struct.error,
    UnicodeDecodeError,
    ValueError,
    EOFError,
    # A length inside a record that does not fit a size, or memory.
    OverflowError,
    MemoryError,
)


@dataclass(frozen=True, slots=True)
class RecordedSession:
    """The events of a recording, oldest first. `cut`: why it ends early; empty if it is complete."""

    events: tuple[Event, ...]
    cut: str = ''

    @property
    def began_s(self) -> float:
        """Wall time of the first event."""
        return self.events[0].wall_s

    @property
    def robot(self) -> str:
        """The profile of the recorded robot, as `load_profile` takes it; empty if the recording does not say it."""
        robots = (event.value.robot for event in self.events if isinstance(event.value, SessionInfo))
        return next(robots, '')

    @property
    def ended_s(self) -> float:
        """Wall time of the last event."""
        return self.events[-1].wall_s


def read_session(file: Path) -> RecordedSession:
    """Reads a recording completely, or up to where it is cut.

    Raises:
        RecordingError: it cannot be opened, is not a recording of lucca, or is damaged before its first event.
    """
    events: list[Event] = []
    try:
        with reading(file) as stream:
            try:
                for event in _events(stream):
                    events.append(event)
            except EndOfFile:
                cut = 'the file ends in the middle of a record'
            except RecordingError as error:
                cut = str(error)
            except _DAMAGE as error:
                cut = f'damaged: {str(error)[:200] or type(error).__name__}'
            else:
                cut = ''
    except OSError as error:
        raise RecordingError(f'{file} cannot be read: {error}') from error
    if not events:
        raise RecordingError(f'{file} holds no event of a session: {cut or "it is an MCAP file of something else"}')
    # Several threads wrote the events, so they may be out of order.
    events.sort(key=lambda event: event.wall_s)
    return RecordedSession(tuple(events), cut and f'cut after {len(events)} events: {cut}')


def _events(stream: IO[bytes]) -> Iterator[Event]:
    channels: dict[int, Channel] = {}
    schemas: set[int] = set()
    for record in _records(stream):
        match record:
            case Schema():
                schemas.add(record.id)
            case Channel():
                channels[record.id] = record
            case Message():
                channel = channels.get(record.channel_id)
                if channel is None or channel.schema_id not in schemas:
                    raise RecordingError(f'a message of channel {record.channel_id}, which has no schema')
                if channel.topic.startswith(TOPIC) and channel.message_encoding == 'json':
                    value = from_json(channel.topic.removeprefix(TOPIC), record.data)
                    yield Event(wall_s=record.log_time / 1e9, stamp_s=record.publish_time / 1e9, value=value)


def _records(stream: IO[bytes]) -> Iterator[McapRecord]:
    """All records up to the index at the end; chunks are unpacked."""
    reader = StreamReader(stream, emit_chunks=True, validate_crcs=True, record_size_limit=MOST_CHUNK_BYTES)
    for record in reader.records:
        if isinstance(record, Chunk):
            yield from _unpacked(record)
        elif isinstance(record, Footer):
            return
        else:
            yield record


def _unpacked(chunk: Chunk) -> Iterator[McapRecord]:
    if chunk.compression not in ('', 'zstd'):
        raise RecordingError(f'a chunk is packed with {chunk.compression[:20]!r}; zstd is what is read')
    if chunk.compression == 'zstd':
        size = zstandard.get_frame_parameters(chunk.data).content_size
        if not size <= MOST_CHUNK_BYTES:
            # Also if the size is not given, as it would be unpacked without a limit.
            raise RecordingError(f'a chunk says that it unpacks to {size} bytes; {MOST_CHUNK_BYTES} are read')
        data = zstandard.decompress(chunk.data)
        if chunk.uncompressed_crc and zlib.crc32(data) != chunk.uncompressed_crc:
            raise RecordingError('the check of a chunk fails')
        chunk = replace(chunk, compression='', data=data)
    yield from breakup_chunk(chunk, validate_crc=True)
