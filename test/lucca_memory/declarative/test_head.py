"""A log that lost acknowledged entries never passes for a shorter one, and no crash makes a whole log look damaged."""

import errno
import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from odd_files import ODD, make_odd
from task_logs import TASK, append, head_path, states_of_a_crash, whole_sizes

from lucca_core.errors import LogDamagedError, MemoryFault
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.blocks import header_of
from lucca_memory.declarative.head import Head, HeadFile
from lucca_memory.declarative.log import TaskLog, log_path
from lucca_memory.declarative.repair import accept_log


@pytest.fixture(autouse=True)
def quick_syncs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing here cuts the power, so nothing has to wait for the disk."""
    monkeypatch.setattr(os, 'fsync', lambda descriptor: None)
    monkeypatch.setattr(os, 'fdatasync', lambda descriptor: None)


@pytest.fixture
def log(folder: DataFolder) -> TaskLog:
    """A log of four entries."""
    log = TaskLog(folder, TASK)
    append(log, 4)
    return log


def read(folder: DataFolder) -> TaskLog:
    return TaskLog(DataFolder.open(folder.path, write=False), TASK)


def reopened(folder: DataFolder) -> TaskLog:
    return TaskLog(folder, TASK)


@pytest.mark.parametrize('which', ['log', 'head'])
def test_no_flipped_bit_takes_an_acknowledged_entry_away(folder: DataFolder, log: TaskLog, which: str) -> None:
    path = log.path if which == 'log' else head_path(log)
    whole = path.read_bytes()
    refused = 0
    folder.close()
    # Every other byte or so, its bits in turn; `lucca attack log-each-bit` tries all.
    for bit in range(0, 8 * len(whole), 17):
        if which == 'head' and bit // 8 % 4096 > 300:
            continue  # padding
        path.write_bytes(flipped(whole, bit))
        try:
            assert read(folder).entries == log.entries
        except MemoryFault:
            refused += 1
    assert (refused > 0) == (which == 'log')


def flipped(data: bytes, bit: int) -> bytes:
    byte = bit // 8
    return data[:byte] + bytes([data[byte] ^ 1 << bit % 8]) + data[byte + 1 :]


def test_a_log_that_was_cut_anywhere_is_told_from_one_that_was_torn(folder: DataFolder, log: TaskLog) -> None:
    whole = log.path.read_bytes()
    folder.close()
    for cut in range(len(whole)):
        log.path.write_bytes(whole[:cut])
        with pytest.raises(
            LogDamagedError, match=r"sorting.log: .*(missing|damaged|torn).*lucca log 'sorting' --verify"
        ):
            read(folder)


def older_log(log: TaskLog) -> bytes:
    return log.path.read_bytes()[: whole_sizes(log)[2]]


DAMAGES: dict[str, tuple[Callable[[TaskLog], None], str, int]] = {
    'cut at the end of an entry': (
        lambda log: os.truncate(log.path, whole_sizes(log)[3]),
        'entry 4, its last one, is missing; 3 entries can be read',
        3,
    ),
    'rolled back': (
        lambda log: (log.path.write_bytes(older_log(log)), None)[1],
        'entries 3 to 4 are missing at its end; 2 entries can be read',
        2,
    ),
    'emptied': (lambda log: os.truncate(log.path, 0), 'entries 1 to 4 are missing at its end; no entry can be read', 0),
    'deleted': (lambda log: log.path.unlink(), 'the file is missing; it had 4 entries', 0),
    'last entry damaged': (
        lambda log: (log.path.write_bytes(log.path.read_bytes().replace(b'Check: ', b'Chick: ')[:]), None)[1],
        'entries 1 to 4 are missing',
        0,
    ),
    'middle damaged': (
        lambda log: (log.path.write_bytes(log.path.read_bytes().replace(b'Entry 3', b'Entry 9')), None)[1],
        r'entry 3 \(line',
        2,
    ),
    'replaced': (lambda log: replace_by_another(log), 'entry 4 is not the one that was written', 5),
}


def replace_by_another(log: TaskLog) -> None:
    with DataFolder.open(log.path.parent.parent.with_name('other'), write=True) as other:
        another = TaskLog(other, TASK)
        append(another, 5, 'quince')
        shutil.copy(another.path, log.path)


@pytest.mark.parametrize('name', DAMAGES)
def test_a_damaged_log_is_refused_until_it_is_accepted(folder: DataFolder, log: TaskLog, name: str) -> None:
    damage, said, readable = DAMAGES[name]
    damage(log)
    there = log.path.read_bytes() if log.path.exists() else b''
    if name == 'last entry damaged':
        said = r'entries 1 to 4 are missing|fails its check|cannot be read'
    for _ in range(2):
        with pytest.raises(LogDamagedError, match=said) as told:
            reopened(folder)
    assert f"lucca log '{TASK}' --verify" in str(told.value)
    assert '--accept' in str(told.value)
    answer = accept_log(folder, TASK)
    assert f'continues after entry {readable}' in answer
    again = reopened(folder)
    assert (len(again.entries), again.odd) == (readable, '')
    if log.path.exists() and len(there) > len(log.path.read_bytes()):
        [kept] = folder.tasks_path.glob('sorting.log.damaged-*')
        assert kept.read_bytes() == there
        assert kept.name in answer
    append(again, 2)
    assert reopened(folder).entries == again.entries
    assert 'is not damaged' in accept_log(folder, TASK)


def test_a_lost_head_is_made_anew_and_told(folder: DataFolder, log: TaskLog, caplog: pytest.LogCaptureFixture) -> None:
    head_path(log).unlink()
    assert 'its head is not there' in read(folder).odd
    again = reopened(folder)
    assert again.entries == log.entries
    assert 'its head is not there' in caplog.text
    assert reopened(folder).odd == ''
    os.truncate(log.path, whole_sizes(log)[2])
    with pytest.raises(LogDamagedError, match='entries 3 to 4'):
        reopened(folder)


@pytest.mark.parametrize('block', [0, 4096])
@pytest.mark.parametrize('spoilt', [b'', bytes(256), b'\xff' * 256])
def test_half_a_head_is_enough(folder: DataFolder, log: TaskLog, block: int, spoilt: bytes) -> None:
    data = head_path(log).read_bytes()
    damaged = data[:block] + spoilt + data[block + len(spoilt) :] if spoilt else data[:block]
    if not spoilt and not block:
        return
    head_path(log).write_bytes(damaged)
    again = reopened(folder)
    assert again.entries == log.entries
    assert reopened(folder).odd == ''
    os.truncate(log.path, whole_sizes(log)[2])
    with pytest.raises(LogDamagedError, match='entries 3 to 4'):
        reopened(folder)


def test_a_head_of_another_log_is_not_blamed_on_the_log(folder: DataFolder, log: TaskLog) -> None:
    other = TaskLog(folder, 'tower')
    append(other, 7)
    shutil.copy(head_path(other), head_path(log))
    again = reopened(folder)
    assert again.entries == log.entries
    assert 'its head cannot be read' in again.odd
    assert reopened(folder).odd == ''


def test_an_older_head_is_not_blamed_on_the_log(folder: DataFolder, log: TaskLog) -> None:
    before = head_path(log).read_bytes()
    append(log, 1)
    one_behind = head_path(log).read_bytes()
    head_path(log).write_bytes(before)
    assert (reopened(folder).entries, reopened(folder).odd) == (log.entries, '')
    append(again := reopened(folder), 3)
    head_path(log).write_bytes(one_behind)
    much_later = reopened(folder)
    assert much_later.entries == again.entries
    assert 'counts only 5 of 8 entries' in much_later.odd


def test_what_is_wrong_with_both_is_never_taken_for_a_crash(folder: DataFolder, log: TaskLog) -> None:
    data, head = log.path.read_bytes(), head_path(log).read_bytes()
    log.path.write_bytes(data[:-3])
    for spoilt in (b'', b'\xff' * 4400, head[:4096], b'\xff' * 300 + head[300:]):
        head_path(log).write_bytes(spoilt)
        with pytest.raises(LogDamagedError):
            reopened(folder)
    head_path(log).unlink()
    with pytest.raises(LogDamagedError, match='one entry may be lost, or many'):
        reopened(folder)


# -- crashes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize('note', ['', 'Check: 00000000'])
def test_a_kill_after_every_byte_loses_nothing_and_calls_nothing_damaged(folder: DataFolder, note: str) -> None:
    log = TaskLog(folder, TASK)
    append(log, 1, note)
    for acknowledged in (1, 2):
        before = (log.path.read_bytes(), head_path(log).read_bytes())
        append(log, 1, note)
        after = (log.path.read_bytes(), head_path(log).read_bytes())
        entries = log.entries
        for there, head in states_of_a_crash(before, after):
            log.path.write_bytes(there)
            head_path(log).write_bytes(head)
            again = reopened(folder)
            assert again.entries == entries[: acknowledged + (there == after[0])]
            assert again.odd == ''
            # Whatever a crash left is mended: what is lost from then on is found.
            append(again, 1)
            assert reopened(folder).entries == again.entries
            os.truncate(log.path, log.path.stat().st_size - 1)
            with pytest.raises(LogDamagedError):
                reopened(folder)
        log.path.write_bytes(after[0])
        head_path(log).write_bytes(after[1])


def test_a_kill_while_a_log_is_made_leaves_an_empty_one(folder: DataFolder, log: TaskLog) -> None:
    made = log.path.read_bytes()[: whole_sizes(log)[1]]
    head = HeadFile(log.path, TASK)
    for there in [None, *(made[:cut] for cut in range(len(made) + 1))]:
        head.make(Head(task=head.task))
        log.path.unlink() if there is None else log.path.write_bytes(there)
        again = reopened(folder)
        assert (len(again.entries), again.odd) == (int(there == made), '')
        append(again, 1)
        assert reopened(folder).entries == again.entries


def test_the_entry_is_safe_before_the_head_counts_it(
    folder: DataFolder, log: TaskLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []

    def telling(name: str) -> Callable[..., object]:
        real = getattr(os, name)

        def call(descriptor: int, *rest: object) -> object:
            said.append(f'{name} {Path(os.readlink(f"/proc/self/fd/{descriptor}")).suffix}')
            return real(descriptor, *rest)

        return call

    for name in ('write', 'pwrite', 'fsync', 'fdatasync'):
        monkeypatch.setattr(os, name, telling(name))
    append(log, 1)
    assert said == ['write .log', 'fsync .log', 'pwrite .head', 'fdatasync .head']


def test_a_head_that_cannot_be_written_stops_writing_until_the_log_is_read_anew(
    folder: DataFolder, log: TaskLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        raise OSError(errno.EIO, 'the disk is gone')

    entries = log.entries
    with monkeypatch.context() as patched:
        patched.setattr(os, 'fdatasync', failing)
        with pytest.raises(MemoryFault, match='the disk is gone'):
            append(log, 1)
    with pytest.raises(MemoryFault, match='restart the worker to find out'):
        append(log, 1)
    again = reopened(folder)
    assert again.entries[:4] == entries
    assert len(again.entries) == 5
    assert again.odd == ''


def test_a_disk_that_is_full_from_the_start_leaves_no_log(folder: DataFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, 'No space left on device')

    log = TaskLog(folder, TASK)
    with monkeypatch.context() as patched:
        patched.setattr(os, 'fsync', full)
        with pytest.raises(MemoryFault, match='nothing was recorded'):
            append(log, 1)
    append(log, 2)
    assert reopened(folder).entries == log.entries


# -- other folders, other times --------------------------------------------------------------------------------------


def make_old(folder: DataFolder) -> None:
    """Takes the folder back to the format in which there were no heads."""
    folder.close()
    for path in folder.tasks_path.glob('*.head'):
        path.unlink()
    (folder.path / 'format').write_text('lucca data folder, format 1\n', encoding='utf-8')


def test_a_log_from_before_there_were_heads_is_taken_over_once(folder: DataFolder, log: TaskLog) -> None:
    make_old(folder)
    assert (read(folder).entries, read(folder).odd) == (log.entries, '')
    assert not head_path(log).exists()
    with DataFolder.open(folder.path, write=True) as newer:
        assert (newer.path / 'format').read_text() == 'lucca data folder, format 2\n'
        assert (TaskLog(newer, TASK).entries, TaskLog(newer, TASK).odd) == (log.entries, '')
    head_path(log).unlink()
    assert 'its head is not there' in read(folder).odd


def test_taking_over_may_break_off_and_leaves_damaged_logs_to_be_told(
    folder: DataFolder, log: TaskLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(TaskLog(folder, 'damaged'), 2)
    append(TaskLog(folder, 'torn'), 2)
    make_old(folder)
    damaged, torn = (folder.tasks_path / f'{name}.log' for name in ('damaged', 'torn'))
    damaged.write_bytes(damaged.read_bytes().replace(b'Entry 1', b'Entry 7'))
    torn.write_bytes(torn.read_bytes()[:-5])
    (folder.tasks_path / 'begun.log').write_bytes(header_of('begun')[:20])
    with monkeypatch.context() as patched:
        patched.setattr(DataFolder, 'write_atomically', broken_off)
        with pytest.raises(MemoryFault, match='broke off'):
            DataFolder.open(folder.path, write=True)
    # A lucca of before goes on with the folder meanwhile.
    log.path.write_bytes(log.path.read_bytes()[: whole_sizes(log)[2]])
    with DataFolder.open(folder.path, write=True) as newer:
        assert len(TaskLog(newer, TASK).entries) == 2
        assert len(TaskLog(newer, 'torn').entries) == 1
        assert TaskLog(newer, 'begun').entries == ()
        with pytest.raises(LogDamagedError, match='entry 1'):
            TaskLog(newer, 'damaged')


def broken_off(*_: object) -> None:
    raise MemoryFault('broke off')


def test_a_folder_copied_by_hand_is_whole(folder: DataFolder, log: TaskLog, tmp_path: Path) -> None:
    folder.close()
    shutil.copytree(folder.path, tmp_path / 'copy')
    with DataFolder.open(tmp_path / 'copy', write=True) as copy:
        again = TaskLog(copy, TASK)
        assert (again.entries, again.odd) == (log.entries, '')
        append(again, 1)


@pytest.mark.parametrize('kind', ODD)
@pytest.mark.parametrize('suffix', ['.log', '.head'])
@pytest.mark.timeout(20)
def test_what_is_no_file_is_told_at_once(folder: DataFolder, log: TaskLog, kind: str, suffix: str) -> None:
    path = log.path.with_suffix(suffix)
    path.unlink()
    make_odd(kind, path)
    open_before = os.listdir('/proc/self/fd')
    for _ in range(100):
        with pytest.raises(MemoryFault, match=rf'sorting.*{suffix}'):
            reopened(folder)
    with pytest.raises(MemoryFault):
        append(log, 1)
    assert os.listdir('/proc/self/fd') == open_before


def test_whoever_reads_beside_the_writer_sees_no_damage(folder: DataFolder, log: TaskLog) -> None:
    done = threading.Event()

    def write() -> None:
        try:
            append(log, 300)
        finally:
            done.set()

    writer = threading.Thread(target=write)
    writer.start()
    seen = [0]
    while not done.is_set():
        seen.append(len(read(folder).entries))
    writer.join()
    assert seen == sorted(seen)
    assert len(read(folder).entries) == 304


def test_the_path_of_a_log_is_told_once(folder: DataFolder, log: TaskLog) -> None:
    assert log_path(folder, TASK) == log.path
