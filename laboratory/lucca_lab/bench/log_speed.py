"""Benchmark of the task log: time to append an entry, plain and signed, compared to a bare append with fsync."""

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from lucca_core.errors import ConfigError
from lucca_core.protocol.entries import EntryKind
from lucca_core.regular_file import open_regular
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.entry import Entry
from lucca_memory.declarative.log import TaskLog
from lucca_memory.declarative.signature import LogKey, load_key, make_key

ENTRY = Entry(kind=EntryKind.INTENT, action='<move_to_box_1(pear)>', object_name='pear', on_table=('pear', 'apple') * 5)


def measure(entries: int, folder: Path | None = None) -> dict[str, float]:
    """Measures medians and 99th percentiles (ms) of three ways to append.

    They are a bare append with fsync of as many bytes, an entry with its head, and, if the library is installed, a
    signed entry. The ways alternate, so that a busy disk slows all of them down equally.

    Args:
        entries: number of entries for each way.
        folder: a folder on the disk to be measured; by default, a temporary folder.
    """
    with tempfile.TemporaryDirectory(prefix='lucca-bench-', dir=folder) as name:
        place = Path(name)
        kinds: dict[str, Callable[[], object]] = {'bare': _bare(place / 'bare')}
        with DataFolder.open(place / 'plain', write=True) as plain:
            log = TaskLog(plain, 'sorting')
            kinds['entry'] = lambda: log.append(ENTRY)
            key = _key(place / 'key')
            if key is None:
                return _timed(kinds, entries)
            with DataFolder.open(place / 'signed', write=True, log_key=key) as data:
                signed = TaskLog(data, 'sorting')
                kinds['signed'] = lambda: signed.append(ENTRY)
                return _timed(kinds, entries)


def _timed(kinds: dict[str, Callable[[], object]], entries: int) -> dict[str, float]:
    times_ms: dict[str, list[float]] = {kind: [] for kind in kinds}
    for _ in range(entries):
        for kind, write in kinds.items():
            begin = time.perf_counter()
            write()
            times_ms[kind].append(1e3 * (time.perf_counter() - begin))
    return {
        f'{kind}_p{percent}_ms': float(np.percentile(values, percent))
        for kind, values in times_ms.items()
        for percent in (50, 99)
    }


def _bare(file: Path) -> Callable[[], None]:
    text = b'x' * 400

    def write() -> None:
        descriptor = open_regular(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            os.write(descriptor, text)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    return write


def _key(file: Path) -> LogKey | None:
    try:
        make_key(file)
    except ConfigError:
        return None
    return load_key(file)
