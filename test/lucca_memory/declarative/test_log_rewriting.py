"""Logs written anew, verified and backed up as a whole: after a kill or beside the writer, none looks damaged."""

import os
import threading
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from task_logs import NOW, TASK, append, whole_sizes

from lucca_core.errors import LogDamagedError, MemoryFault
from lucca_memory.backup import back_up, restore
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.blocks import entry_block, header_check, header_of, parse_log
from lucca_memory.declarative.entry import entry_to_text
from lucca_memory.declarative.head import HeadFile
from lucca_memory.declarative.log import TaskLog, log_path
from lucca_memory.declarative.repair import rewrite_log
from lucca_memory.declarative.verification import verify_log, verify_logs


@pytest.fixture
def log(folder: DataFolder) -> TaskLog:
    """A log of four entries."""
    log = TaskLog(folder, TASK)
    append(log, 4)
    return log


class Killed(BaseException):
    """The process ends here."""


def killing(patched: pytest.MonkeyPatch, at: int) -> list[int]:
    """Ends the process at the given change of the disk; says in the list how many there were."""
    seen = [0]

    def counting(name: str) -> None:
        real = getattr(os, name)

        def call(*arguments: object, **named: object) -> object:
            seen[0] += 1
            if seen[0] == at:
                raise Killed
            return real(*arguments, **named)

        patched.setattr(os, name, call)

    for name in ('replace', 'pwrite', 'unlink'):
        counting(name)
    return seen


@pytest.mark.parametrize('new_task', [TASK, 'tea for somebody'])
@pytest.mark.parametrize('damage', [False, True])
def test_a_kill_while_a_log_is_written_anew_leaves_the_old_one_or_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, new_task: str, damage: bool
) -> None:
    at, steps = 0, 1
    while at <= steps:
        at += 1
        with DataFolder.open(tmp_path / str(at), write=True) as folder:
            log = TaskLog(folder, TASK)
            append(log, 3)
            if damage:
                os.truncate(log.path, whole_sizes(log)[2])
            old = parse_log(log.path.read_bytes(), 'log')
            data = header_of(new_task)
            check = header_check(new_task)
            for entry in old.entries:
                block, check = entry_block(entry_to_text(replace(entry, note='quince')), check)
                data += block
            with monkeypatch.context() as patched:
                seen = killing(patched, at)
                with suppress(Killed):
                    rewrite_log(folder, log.path, old, new_task, data)
                steps = seen[0]
            if new_task != TASK:
                # Whoever had it named anew does it again.
                if log.path.exists():
                    rewrite_log(folder, log.path, old, new_task, data)
                else:
                    HeadFile(log.path, TASK).remove()
            elif not damage:
                assert {entry.note for entry in TaskLog(folder, TASK).entries} in ({'pear'}, {'quince'})
            [found] = verify_logs(folder)
            assert found.task == new_task
            assert bool(found.damage) == damage
            assert found.odd == ''
    assert steps >= 2


def test_each_log_of_a_folder_is_told_about(folder: DataFolder, log: TaskLog) -> None:
    for task in ('🍐', 'x' * 300, ''):
        append(TaskLog(folder, task), 1)
    assert [item.sentence() for item in verify_logs(folder) if item.task] == [
        '🍐: 1 entry, whole',
        'sorting: 4 entries, whole',
        f'{"x" * 300}: 1 entry, whole',
    ]
    log_path(folder, '🍐').unlink()
    assert verify_log(folder, '🍐').damage == verify_logs(folder)[1].damage != ''
    with pytest.raises(MemoryFault, match="there is no log of 'tower'"):
        verify_log(folder, 'tower')


def test_a_backup_made_while_the_log_is_written_is_whole(folder: DataFolder, log: TaskLog, tmp_path: Path) -> None:
    done = threading.Event()

    def write() -> None:
        while not done.is_set():
            append(log, 1)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        files = [back_up(folder.path, tmp_path / f'{number}.tar.gz', NOW + timedelta(number)) for number in range(5)]
    finally:
        done.set()
        writer.join()
    for number, file in enumerate(files):
        restore(file, tmp_path / f'copy {number}')
        with DataFolder.open(tmp_path / f'copy {number}', write=True) as copy:
            again = TaskLog(copy, TASK)
            assert (again.odd, again.torn) == ('', b'')
            assert again.entries == log.entries[: len(again.entries)]


def test_a_backup_keeps_a_damaged_log_as_it_is(folder: DataFolder, log: TaskLog, tmp_path: Path) -> None:
    os.truncate(log.path, whole_sizes(log)[2])
    restore(back_up(folder.path, tmp_path / 'b.tar.gz', NOW), tmp_path / 'copy')
    with DataFolder.open(tmp_path / 'copy', write=True) as copy, pytest.raises(LogDamagedError, match='entries 3 to 4'):
        TaskLog(copy, TASK)
