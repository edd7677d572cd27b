"""Nothing acknowledged is lost, nothing torn is guessed at, and nothing changed goes unnoticed."""

import errno
import os
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lucca_core.errors import LogDamagedError, MemoryFault
from lucca_core.protocol.entries import EntryKind
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative import log as log_module
from lucca_memory.declarative.blocks import entry_block, header_of, parse_log
from lucca_memory.declarative.entry import Entry, entry_to_text
from lucca_memory.declarative.head import Head, HeadFile
from lucca_memory.declarative.log import LogStore, TaskLog, log_text
from lucca_memory.declarative.replay import TaskStatus, replay

STRANGE_NAMES = [
    '../../etc/passwd',
    '🍐',
    'x' * 10_000,
    'two\nlines',
    '',
    'Sorting',
    'sorting',
    'a/b',
    '.',
    'none',
    '\ud800',
]


def some_entries() -> list[Entry]:
    held = (('box 1', ('pear',)), ('box 2', ()))
    return [
        Entry(kind=EntryKind.STARTED, contents=held, on_table=('pear', 'Äpfel, rot')),
        Entry(kind=EntryKind.INTENT, action='<move_to_box_1(pear)>', object_id='o1', object_name='pear', contents=held),
        Entry(
            kind=EntryKind.OUTCOME, action='<move_to_box_1(pear)>', object_id='o1', intent_id=2, code='done', attempts=2
        ),
        Entry(kind=EntryKind.SUSPENDED, note='x\nCheck: 00000000\n\nEntry 5\n'),
    ]


def bytes_of(task: str, entries: list[Entry]) -> tuple[bytes, list[int]]:
    """A log's bytes, and where each entry ends."""
    data, ends = header_of(task), []
    check = int(data[-9:-1], 16)
    for number, entry in enumerate(entries, 1):
        block, check = entry_block(entry_to_text(Entry(**{**fields(entry), 'entry_id': number})), check)
        data += block
        ends.append(len(data))
    return data, ends


def fields(entry: Entry) -> dict[str, object]:
    return {name: getattr(entry, name) for name in Entry.__dataclass_fields__}


def ticking() -> Callable[[], datetime]:
    ticks: Iterator[int] = count()
    return lambda: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=next(ticks))


def test_what_was_appended_is_there_after_reopening(folder: DataFolder) -> None:
    log = TaskLog(folder, 'sorting', ticking())
    written = [log.append(entry) for entry in some_entries()]
    again = TaskLog(folder, 'sorting')
    assert again.entries == tuple(written)
    assert [entry.entry_id for entry in again.entries] == [1, 2, 3, 4]
    assert again.state == log.state == replay(written)
    assert again.state.status is TaskStatus.SUSPENDED
    more = again.append(Entry(kind=EntryKind.RESUMED))
    assert TaskLog(folder, 'sorting').entries == (*written, more)


def test_truncation_at_every_byte_yields_exactly_the_complete_entries_before_it() -> None:
    data, ends = bytes_of('sorting', some_entries())
    whole = parse_log(data, 'log')
    assert len(whole.entries) == 4
    for cut in range(len(data)):
        parsed = parse_log(data[:cut], 'log')
        complete = sum(end <= cut for end in ends)
        assert parsed.entries == whole.entries[:complete]
        assert data[:cut][parsed.size :] == parsed.torn
        assert replay(parsed.entries) == replay(whole.entries[:complete])


def test_a_torn_tail_after_a_damaged_check_line_is_damage() -> None:
    whole, ends = bytes_of('sorting', some_entries())
    spoiled = whole[: ends[2] - 15] + b'\0' + whole[ends[2] - 14 :]
    for cut in range(ends[2] + 8, len(whole) + 1):
        with pytest.raises(LogDamagedError, match='entry 3'):
            parse_log(spoiled[:cut], 'log')


@settings(max_examples=200)
@given(st.data())
def test_a_changed_byte_before_the_end_is_always_noticed(data: st.DataObject) -> None:
    whole, ends = bytes_of('sorting', some_entries())
    at = data.draw(st.integers(0, ends[-2] - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda value: value != whole[at]))
    with pytest.raises((LogDamagedError, MemoryFault)):
        parse_log(whole[:at] + bytes([byte]) + whole[at + 1 :], 'log')


def test_an_edited_entry_is_named_with_its_line(folder: DataFolder) -> None:
    log = TaskLog(folder, 'sorting', ticking())
    for entry in some_entries():
        log.append(entry)
    text = log.path.read_text(encoding='utf-8')
    line = 1 + text[: text.index('\nEntry 3')].count('\n')
    log.path.write_text(text.replace('Attempts: 2', 'Attempts: 1'), encoding='utf-8')
    with pytest.raises(LogDamagedError, match=rf'sorting\.log: entry 3 \(line {line}\) fails its check'):
        TaskLog(folder, 'sorting')


def test_an_entry_cut_out_of_the_middle_is_noticed() -> None:
    whole, ends = bytes_of('sorting', some_entries())
    with pytest.raises(LogDamagedError, match='entry 2'):
        parse_log(whole[: ends[0]] + whole[ends[1] :], 'log')


@pytest.mark.parametrize('numbers', [(2,), (1, 1), (1, 3), (1, 2, 4)])
def test_entries_are_numbered_one_by_one_even_where_every_check_holds(numbers: tuple[int, ...]) -> None:
    data = header_of('sorting')
    check = int(data[-9:-1], 16)
    for number in numbers:
        block, check = entry_block(entry_to_text(Entry(kind=EntryKind.RESUMED, entry_id=number)), check)
        data += block
    with pytest.raises(LogDamagedError, match=f'should have number {len(numbers)}, has {numbers[-1]}'):
        parse_log(data, 'log')


def test_an_edited_last_entry_is_damage_and_not_a_torn_tail() -> None:
    whole, _ = bytes_of('sorting', some_entries())
    with pytest.raises(LogDamagedError, match='entry 4'):
        parse_log(whole.replace(b'suspended', b'finished_'), 'log')
    with pytest.raises(LogDamagedError, match='entry 4'):
        parse_log(whole[:-3] + b'\n', 'log')


def test_zeros_that_a_power_cut_left_at_the_end_are_a_torn_tail() -> None:
    whole, ends = bytes_of('sorting', some_entries())
    hole = whole[: ends[-2]] + bytes(40) + whole[ends[-2] + 40 :]
    parsed = parse_log(hole, 'log')
    assert len(parsed.entries) == 3
    assert parsed.torn == hole[ends[-2] :]


def test_a_torn_tail_is_set_aside_and_writing_goes_on(folder: DataFolder) -> None:
    log = TaskLog(folder, 'sorting', ticking())
    first = log.append(some_entries()[0])
    with log.path.open('ab') as stream:
        stream.write(b'\nEntry 2\nKind: outcome\nAct')
    again = TaskLog(folder, 'sorting', ticking())
    assert again.torn == b'\nEntry 2\nKind: outcome\nAct'
    [aside] = folder.tasks_path.glob('sorting.log.torn-*')
    assert aside.read_bytes() == again.torn
    second = again.append(some_entries()[1])
    assert TaskLog(folder, 'sorting').entries == (first, second)


def test_a_reader_leaves_a_torn_tail_alone(folder: DataFolder) -> None:
    log = TaskLog(folder, 'sorting')
    log.append(some_entries()[0])
    with log.path.open('ab') as stream:
        stream.write(b'\nEntry 2\n')
    reader = DataFolder.open(folder.path, write=False)
    before = log.path.read_bytes()
    assert len(TaskLog(reader, 'sorting').entries) == 1
    assert log.path.read_bytes() == before
    with pytest.raises(MemoryFault, match='not open for writing'):
        TaskLog(reader, 'sorting').append(Entry(kind=EntryKind.RESUMED))


def test_the_log_reads_as_text_without_a_lock(folder: DataFolder) -> None:
    TaskLog(folder, 'sorting').append(some_entries()[0])
    text = log_text(folder.path, 'sorting')
    assert text.startswith('Entry 1\nTime: ')
    assert text.endswith('Objects on the table: pear, Äpfel\\, rot\n\n')
    with pytest.raises(MemoryFault, match=r"there is no log of 'tower' in .*; logs: sorting"):
        log_text(folder.path, 'tower')


def test_a_file_that_ends_within_its_header_begins_anew(folder: DataFolder) -> None:
    log = TaskLog(folder, 'sorting')
    head = HeadFile(log.path, 'sorting')
    head.make(Head(task=head.task))
    log.path.write_bytes(header_of('sorting')[:20])
    again = TaskLog(folder, 'sorting')
    again.append(some_entries()[0])
    assert len(TaskLog(folder, 'sorting').entries) == 1


@pytest.mark.parametrize('name', STRANGE_NAMES)
def test_any_task_name_has_a_log_of_its_own_inside_the_folder(folder: DataFolder, name: str) -> None:
    store = LogStore(folder)
    for other in STRANGE_NAMES:
        store.log(other).append(Entry(kind=EntryKind.STARTED, note=other))
    again = LogStore(DataFolder.open(folder.path, write=False))
    assert again.log(name).entries[0].note == name
    assert set(again.tasks()) == {task for task in STRANGE_NAMES if task}
    for suffix in ('log', 'head'):
        assert len(list(folder.tasks_path.glob(f'*.{suffix}'))) == len(STRANGE_NAMES)


def test_the_log_of_another_task_is_not_taken_for_ones_own(folder: DataFolder) -> None:
    store = LogStore(folder)
    store.log('sorting').append(Entry(kind=EntryKind.STARTED))
    store.log('sorting').path.rename(folder.tasks_path / 'tower.log')
    with pytest.raises(LogDamagedError, match="should be the log of 'tower', is that of 'sorting'"):
        store.log('tower')


def test_a_log_of_a_newer_version_is_left_alone(folder: DataFolder) -> None:
    body = b'Declarative log of lucca, format 2\nTask: sorting\n'
    (folder.tasks_path / 'sorting.log').write_bytes(body + b'Check: %08x\n' % zlib.crc32(body))
    with pytest.raises(MemoryFault, match='newer lucca'):
        TaskLog(folder, 'sorting')


@pytest.mark.parametrize('number', ['0', '-1', '01', '1.0', '+1', '1_0', '\u0661', ''])
def test_a_log_of_a_version_that_never_was_is_damaged(folder: DataFolder, number: str) -> None:
    body = f'Declarative log of lucca, format {number}\nTask: sorting\n'.encode()
    (folder.tasks_path / 'sorting.log').write_bytes(body + b'Check: %08x\n' % zlib.crc32(body))
    with pytest.raises(LogDamagedError, match='format should be 1'):
        TaskLog(folder, 'sorting')


def test_a_new_log_that_its_folder_does_not_hold_is_taken_back(
    folder: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = TaskLog(folder, 'sorting')
    real, failures = log_module.sync_folder, iter([OSError(errno.EIO, 'the disk is gone')])
    synced: list[Path] = []

    def failing_once(path: Path) -> None:
        if error := next(failures, None):
            raise error
        synced.append(path)
        real(path)

    monkeypatch.setattr(log_module, 'sync_folder', failing_once)
    with pytest.raises(MemoryFault, match='nothing was recorded'):
        log.append(some_entries()[0])
    assert TaskLog(DataFolder.open(folder.path, write=False), 'sorting').entries == ()
    written = log.append(some_entries()[0])
    assert synced == [folder.tasks_path]
    assert TaskLog(folder, 'sorting').entries == (written,)


def test_a_failed_write_leaves_the_log_as_it_was(folder: DataFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    log = TaskLog(folder, 'sorting')
    first = log.append(some_entries()[0])
    before = log.path.read_bytes()
    write = os.write

    def half(descriptor: int, data: bytes) -> int:
        return write(descriptor, data[: len(data) // 2])

    with monkeypatch.context() as patched:
        patched.setattr(os, 'write', half)
        with pytest.raises(MemoryFault, match='nothing was recorded'):
            log.append(some_entries()[1])
    assert log.path.read_bytes() == before
    assert log.entries == (first,)
    assert log.append(some_entries()[1]).entry_id == 2
    assert len(TaskLog(folder, 'sorting').entries) == 2


def test_an_entry_that_was_not_synced_is_taken_back(folder: DataFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    log = TaskLog(folder, 'sorting')
    log.append(some_entries()[0])
    before = log.path.read_bytes()
    calls = iter([OSError(errno.EIO, 'the disk is gone'), None])

    def failing_once(descriptor: int) -> None:
        if error := next(calls):
            raise error

    with monkeypatch.context() as patched:
        patched.setattr(os, 'fsync', failing_once)
        with pytest.raises(MemoryFault, match='the disk is gone'):
            log.append(some_entries()[1])
    assert log.path.read_bytes() == before


def test_after_a_write_that_cannot_be_taken_back_nothing_more_is_written(
    folder: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = TaskLog(folder, 'sorting')
    log.append(some_entries()[0])

    def never(*_: object) -> None:
        raise OSError(errno.EIO, 'the disk is gone')

    with monkeypatch.context() as patched:
        patched.setattr(os, 'fsync', never)
        patched.setattr(os, 'ftruncate', never)
        with pytest.raises(MemoryFault):
            log.append(some_entries()[1])
    with pytest.raises(MemoryFault, match='could not be restored'):
        log.append(some_entries()[1])


def test_a_log_that_somebody_else_changed_is_not_appended_to(folder: DataFolder) -> None:
    log = TaskLog(folder, 'sorting')
    log.append(some_entries()[0])
    log.path.write_bytes(log.path.read_bytes() + b'hello')
    with pytest.raises(MemoryFault, match='changed by another process'):
        log.append(some_entries()[1])
    assert log.path.read_bytes().endswith(b'hello')
    log.path.unlink()
    with pytest.raises(MemoryFault):
        log.append(some_entries()[1])


FULL = """
import resource, signal, sys
from pathlib import Path
from lucca_core.errors import MemoryFault
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.log import TaskLog
from lucca_memory.declarative.entry import Entry, EntryKind
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
log = TaskLog(DataFolder.open(Path(sys.argv[1]), write=True), 'sorting')
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
try:
    while True:
        log.append(Entry(kind=EntryKind.RESUMED, note='x' * 700))
except MemoryFault as error:
    print(len(log.entries), error)
"""


def test_a_file_that_may_not_grow_keeps_its_whole_entries(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, '-c', FULL, str(tmp_path / 'data')], capture_output=True, text=True, check=True
    )
    kept, _, message = done.stdout.partition(' ')
    assert 'nothing was recorded' in message
    with DataFolder.open(tmp_path / 'data', write=True) as folder:
        log = TaskLog(folder, 'sorting')
    assert len(log.entries) == int(kept) > 0
    assert log.torn == b''
