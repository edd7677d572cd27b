"""The head of a task log: a small file beside it that records how far it reaches, so that lost entries are noticed.

A head has two slots, written in turn and synced after the entry they count. A crash damages at most one slot; the other
is one entry behind. The slots are in separate blocks, since a disk may lose the whole block that it was writing.
"""

import os
import re
import zlib
from dataclasses import dataclass, replace
from pathlib import Path

from lucca_core.regular_file import open_regular, read_regular, replacing
from lucca_memory.declarative.blocks import header_check

SUFFIX = '.head'
_BLOCK = 4096
_SLOT = 512
_LINE = re.compile(
    rb'Head of lucca log, task ([0-9a-f]{8}), '
    rb'epoch (\d{1,12}): entries (\d{1,12}), bytes (\d{1,15}), check ([0-9a-f]{8})'
    rb'(?:, signature ([0-9a-f]{128}))?'
)
_OWN = b'; own check '


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """How far a log reached when this was written.

    Attributes:
        task: checksum of the log's header.
        epoch: incremented when the whole log is rewritten.
        check: checksum of the last entry; 0 for an empty log.
        signature: empty for unsigned logs.
    """

    task: int
    count: int = 0
    size: int = 0
    check: int = 0
    epoch: int = 0
    signature: str = ''


@dataclass(frozen=True, slots=True)
class Slots:
    """The two slots of a head file; None for a slot that is incomplete, damaged or of another task."""

    first: Head | None
    second: Head | None

    @property
    def newest(self) -> Head | None:
        """The readable slot that was written last."""
        known = [slot for slot in (self.first, self.second) if slot is not None]
        return max(known, key=lambda head: (head.epoch, head.count)) if known else None

    @property
    def other(self) -> Head | None:
        """The slot that is not the newest."""
        return self.second if self.newest is self.first else self.first

    @property
    def is_damaged(self) -> bool:
        """True if a slot cannot be read."""
        return self.first is None or self.second is None

    def is_settled(self, head: Head) -> bool:
        """True if the newest slot equals `head` and the other one is of the same epoch."""
        return not self.is_damaged and self.newest == head and self.other is not None and self.other.epoch == head.epoch


class HeadFile:
    """The head file of one task's log. Not thread-safe."""

    def __init__(self, log: Path, task: str) -> None:
        """Opens nothing yet.

        Args:
            log: path of the log.
            task: name of the task.
        """
        self.path = log.with_suffix(SUFFIX)
        self.task = header_check(task)
        self._slots: Slots | None = None

    @property
    def exists(self) -> bool:
        """True if the file existed when it was last read or written."""
        return self._slots is not None

    def read(self) -> Slots | None:
        """The slots of the file; None if there is no file.

        Raises:
            OSError: it cannot be read.
        """
        try:
            data = read_regular(self.path)
        except FileNotFoundError:
            self._slots = None
        else:
            self._slots = slots_of(data, self.task)
        return self._slots

    def make(self, head: Head) -> None:
        """Replaces the whole file. A crash leaves either the old head or the new one.

        Raises:
            OSError: it could not be written.
        """
        with replacing(self.path) as stream:
            stream.write(bytes_of(Slots(head, head)))
        self._slots = Slots(head, head)

    def write(self, head: Head, keep: Head | None = None) -> None:
        """Overwrites one slot and syncs it.

        Args:
            head: what to write.
            keep: content of the slot to keep; the newest one by default.

        Raises:
            OSError: the slot may not be on the disk; the other slot is intact.
        """
        slots = self._slots
        if slots is None:
            self.make(head)
            return
        first = (slots.newest if keep is None else keep) is not slots.first
        descriptor = open_regular(self.path, os.O_WRONLY)
        try:
            # Written in place, within existing blocks, so no metadata has to be synced.
            if os.pwrite(descriptor, _slot(head), 0 if first else _BLOCK) != _SLOT:
                raise OSError(f'{self.path} was not written as a whole')
            os.fdatasync(descriptor)
        finally:
            os.close(descriptor)
        self._slots = replace(slots, **{'first' if first else 'second': head})

    def settle(self, head: Head, keep: Head | None = None) -> None:
        """Writes both slots to agree with a log, one after the other.

        Args:
            head: what they should contain.
            keep: the slot that agrees with the log and must be overwritten last; the newest slot by default.

        Raises:
            OSError: see `write`.
        """
        for _ in range(2):
            if self._slots is None or not self._slots.is_settled(head):
                self.write(head, keep)
                keep = None

    def remove(self) -> None:
        """Removes the file.

        Raises:
            OSError: it could not be removed.
        """
        self.path.unlink(missing_ok=True)
        self._slots = None


def bytes_of(slots: Slots) -> bytes:
    """The bytes of a head file with both slots."""
    if slots.first is None or slots.second is None:
        raise ValueError('both slots should be known')
    return _slot(slots.first).ljust(_BLOCK) + _slot(slots.second)


def slots_of(data: bytes, task: int) -> Slots:
    """Parses the slots of a task's head file."""
    return Slots(_head_of(data[:_BLOCK], task), _head_of(data[_BLOCK:], task))


def _slot(head: Head) -> bytes:
    text = (
        f'Head of lucca log, task {head.task:08x}, epoch {head.epoch}: '
        f'entries {head.count}, bytes {head.size}, check {head.check:08x}'
        f'{f", signature {head.signature}" if head.signature else ""}'
    ).encode()
    return b'%s%s%08x' % (text, _OWN, zlib.crc32(text)) + b'\n'.rjust(_SLOT - len(text) - len(_OWN) - 8)


def _head_of(data: bytes, task: int) -> Head | None:
    text, _, own = data[:_SLOT].partition(_OWN)
    found = _LINE.fullmatch(text)
    if found is None or own[:8] != b'%08x' % zlib.crc32(text) or int(found[1], 16) != task:
        return None
    epoch, count, size = (int(found[number]) for number in (2, 3, 4))
    signature = (found[6] or b'').decode()
    return Head(task=task, epoch=epoch, count=count, size=size, check=int(found[5], 16), signature=signature)
