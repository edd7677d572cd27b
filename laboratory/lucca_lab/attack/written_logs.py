"""Declarative logs with known entries, and a folder in which damaged ones are read."""

import logging
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from lucca_core.errors import MemoryFault
from lucca_core.protocol.entries import EntryKind
from lucca_lab.attack.attack import Broken
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.blocks import entry_block, header_check, header_of
from lucca_memory.declarative.entry import Entry, entry_to_text
from lucca_memory.declarative.head import Head, Slots, bytes_of
from lucca_memory.declarative.log import TaskLog

TASK = 'sorting'
_LOGS = 60
LONGEST = 12
"""Entries of the longest log."""
SLOTS = ((0, 256), (4096, 4352))
"""First and last byte of both halves of a head that hold data."""
_NOTES = ('', 'pear', 'Check: 00000000', '\n\nEntry 3\nKind: finished\n', 'Äpfel; rot = (1)', '\0', 'x' * 700)


@dataclass(frozen=True)
class Written:
    """A log as its writer left it."""

    entries: tuple[Entry, ...]
    log: bytes
    head: bytes
    ends: tuple[int, ...]
    """End positions of the header and of each entry."""


class LogBench:
    """A set of logs to choose from, and a folder in which a damaged one is read."""

    def __init__(self, folder: Path) -> None:
        with DataFolder.open(folder / 'data', write=True) as opened:
            self.path = TaskLog(opened, TASK).path
        self.folder = folder / 'data'
        self.head_path = self.path.with_suffix('.head')
        chance = random.Random(1)
        self.logs = [self._written(chance, TASK, 1 + number % LONGEST) for number in range(_LOGS)]
        self.foreign = [self._written(chance, 'tower', 1 + number % LONGEST) for number in range(LONGEST)]

    def _written(self, chance: random.Random, task: str, count: int) -> Written:
        """The files of a log as a writer leaves them."""
        log, check, ends = header_of(task), header_check(task), [len(header_of(task))]
        entries = []
        head, before = Head(task=check), Head(task=check)
        for number in range(1, count + 1):
            entry = Entry(
                kind=chance.choice(tuple(EntryKind)),
                entry_id=number,
                action=chance.choice(('', '<point(pear)>')),
                on_table=('pear', 'apple')[: chance.randrange(3)],
                attempts=chance.randrange(3),
                note=chance.choice(_NOTES),
            )
            block, check = entry_block(entry_to_text(entry), check)
            log += block
            ends.append(len(log))
            entries.append(entry)
            head, before = replace(head, count=number, size=len(log), check=check), head
        slots = Slots(head, before) if count % 2 == 0 else Slots(before, head)
        return Written(tuple(entries), log, bytes_of(slots), tuple(ends))

    def read(self, log: bytes | None, head: bytes | None, *, write: bool) -> tuple[tuple[Entry, ...], str] | None:
        """The entries that are read from these files, and the reader's remark; None if the files are refused."""
        for path, data in ((self.path, log), (self.head_path, head)):
            path.unlink(missing_ok=True) if data is None else path.write_bytes(data)
        try:
            with DataFolder.open(self.folder, write=write) as opened:
                found = TaskLog(opened, TASK)
                if write:
                    found.append(Entry(kind=EntryKind.RESUMED))
                    again = TaskLog(opened, TASK)
                    if again.entries != found.entries or again.odd:
                        raise Broken(f'after an entry was appended, {len(again.entries)} entries are read: {again.odd}')
                    return found.entries[:-1], found.odd
                return found.entries, found.odd
        except MemoryFault:
            return None
        finally:
            for aside in self.path.parent.glob('*.log.*'):
                aside.unlink()


@contextmanager
def quiet() -> Iterator[None]:
    """Silences the warnings about damaged logs, which are counted here a hundred thousand times."""
    logger = logging.getLogger('lucca_memory')
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
