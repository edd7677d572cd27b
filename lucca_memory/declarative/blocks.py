"""The byte format of a task log: a header with the task's name, then entries, each followed by a chained checksum."""

import zlib
from collections.abc import Callable
from dataclasses import dataclass

from lucca_core.errors import LogDamagedError, MemoryFault
from lucca_memory.declarative.entry import Entry, entry_from_text
from lucca_memory.declarative.escaping import escape_line, unescape
from lucca_memory.format_number import format_number

FORMAT = 1

_HEADER = 'Declarative log of lucca, format '
_TASK = 'Task: '
_CHECK = b'Check: '
_SIGNATURE = b'\nSignature: '


@dataclass(frozen=True, slots=True)
class ParsedLog:
    """The content of a log file: its complete entries, and the incomplete piece after them (usually empty)."""

    task: str
    entries: tuple[Entry, ...]
    torn: bytes
    checks: tuple[int, ...] = ()
    """Checksum of the header, then of each entry; empty if the header is incomplete."""
    ends: tuple[int, ...] = ()
    """Offset of the end of the header, then of each entry, in bytes."""
    signatures: tuple[tuple[int, str], ...] = ()
    """For each entry, the number of bytes that are signed and the signature; empty for an unsigned entry."""

    @property
    def check(self) -> int:
        """The last checksum, or 0."""
        return self.checks[-1] if self.checks else 0

    @property
    def size(self) -> int:
        """Size of the header and the complete entries in bytes."""
        return self.ends[-1] if self.ends else 0


def header_of(task: str) -> bytes:
    """The first block of a task's log."""
    body = f'{_HEADER}{FORMAT}\n{_TASK}{escape_line(task)}\n'.encode()
    return b'%s%s%08x\n' % (body, _CHECK, zlib.crc32(body))


def header_check(task: str) -> int:
    """The checksum of the header of a task's log."""
    return int(header_of(task)[-9:-1], 16)


def entry_block(text: str, check: int, sign: Callable[[bytes], str] | None = None) -> tuple[bytes, int]:
    """The bytes of an entry, and its checksum.

    Args:
        text: what `entry_to_text` made of the entry.
        check: checksum of the preceding block.
        sign: returns the signature of the bytes of the entry; None to leave it unsigned.
    """
    body = f'\n{text}'.encode()
    if sign is not None:
        body += b'%s%s\n' % (_SIGNATURE[1:], sign(body).encode())
    own = zlib.crc32(body, check)
    return b'%s%s%08x\n' % (body, _CHECK, own), own


def parse_log(data: bytes, name: str) -> ParsedLog:
    """Parses a log.

    Args:
        data: the whole file.
        name: how error messages call it.

    Raises:
        LogDamagedError: a checksum before the end is wrong, or the last block was changed; names entry and line.
        MemoryFault: the log was written by a newer version.
    """
    parsed, damage = readable_part(data, name)
    if damage is not None:
        raise damage
    return parsed


def readable_part(data: bytes, name: str) -> tuple[ParsedLog, LogDamagedError | None]:
    """Like `parse_log`, but for a damaged log returns the part before the damage, and the error.

    Raises:
        MemoryFault: the log was written by a newer version.
    """
    task: str | None = None
    entries: list[Entry] = []
    checks: list[int] = []
    ends: list[int] = []
    signatures: list[tuple[int, str]] = []
    check, start, line = 0, 0, 1

    def found(torn: bytes) -> ParsedLog:
        return ParsedLog(task or '', tuple(entries), torn, tuple(checks), tuple(ends), tuple(signatures))

    while start < len(data):
        closing = _check_line(data, start)
        what = 'the header' if task is None else f'entry {len(entries) + 1}'
        if closing is None and _is_single(data[start:]):
            return found(data[start:]), None
        at, end = closing or (len(data), len(data))
        text, written = data[start:at], data[at + len(_CHECK) : end - 1]
        computed = zlib.crc32(text, check)
        if written != b'%08x' % computed:
            if b'\0' in text and end == len(data) and _is_single(text):
                # After a power cut a file system may leave zeros in place of the last write.
                return found(data[start:]), None
            reason = 'fails its check: it, or what stands before it, was changed after it was written'
            return found(data[start:]), LogDamagedError(f'{name}: {what} (line {line}) {reason}')
        try:
            if task is None:
                task = _task_of(text.decode('utf-8'), name)
            else:
                body, signature = _signed(text)
                entries.append(_entry_of(body.decode('utf-8'), len(entries) + 1))
                signatures.append((start + len(body), signature.decode('ascii')))
        except ValueError as error:
            return found(data[start:]), LogDamagedError(f'{name}: {what} (line {line}) cannot be read: {error}')
        check = computed
        checks.append(check)
        ends.append(end)
        line += data.count(b'\n', start, end)
        start = end
    return found(b''), None


def _check_line(data: bytes, start: int) -> tuple[int, int] | None:
    """Begin and end of the checksum line of the block at `start`; None if the block is incomplete."""
    at = data.find(b'\n' + _CHECK, start)
    end = data.find(b'\n', at + 1)
    return None if at < 0 or end < 0 else (at + 1, end + 1)


def _is_single(piece: bytes) -> bool:
    """True if the piece holds only one entry: a crash leaves at most one incomplete, so two are damage."""
    return piece.find(b'\nEntry ', 1) < 0


def _signed(text: bytes) -> tuple[bytes, bytes]:
    """An entry's text without its last line, the signature, if it has one; and that signature."""
    at = text.rfind(_SIGNATURE)
    return (text[: at + 1], text[at + len(_SIGNATURE) : -1]) if at >= 0 else (text, b'')


def _task_of(text: str, name: str) -> str:
    lines = text.split('\n')
    if len(lines) != 3 or not lines[0].startswith(_HEADER) or not lines[1].startswith(_TASK):
        raise ValueError(f'it should begin with "{_HEADER}{FORMAT}" and "{_TASK}NAME"')
    written = lines[0].removeprefix(_HEADER)
    number = format_number(written)
    if number is None:
        raise ValueError(f'its format should be {FORMAT}, is {written[:20]!r}')
    if number > FORMAT:
        raise MemoryFault(f'{name} has format {number} of a newer lucca; this one knows {FORMAT}: update lucca')
    return unescape(lines[1].removeprefix(_TASK))


def _entry_of(text: str, expected_id: int) -> Entry:
    if not text.startswith('\n'):
        raise ValueError('an empty line should stand before it')
    entry = entry_from_text(text[1:])
    if entry.entry_id != expected_id:
        raise ValueError(f'it should have number {expected_id}, has {entry.entry_id}')
    return entry
