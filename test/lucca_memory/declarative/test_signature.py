"""With a key, nobody but its owner writes in a log unnoticed; without one, nothing is needed and nothing is hidden."""

import builtins
import os
import stat
from pathlib import Path

import pytest
from odd_files import ODD, make_odd
from task_logs import NOW, TASK, append, head_path, states_of_a_crash, whole_sizes

from lucca_core.errors import ConfigError, LogDamagedError, MemoryFault
from lucca_core.protocol.entries import EntryKind
from lucca_memory.backup import back_up, restore
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.blocks import entry_block, parse_log
from lucca_memory.declarative.entry import Entry, entry_to_text
from lucca_memory.declarative.head import HeadFile
from lucca_memory.declarative.head_check import head_of
from lucca_memory.declarative.log import TaskLog
from lucca_memory.declarative.repair import accept_log, rewrite_log
from lucca_memory.declarative.signature import KEY_VARIABLE, LogKey, key_of, load_key, make_key
from lucca_memory.declarative.verification import verify_log

pytest.importorskip('cryptography')


@pytest.fixture(autouse=True)
def quick_syncs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing here cuts the power, so nothing has to wait for the disk."""
    monkeypatch.setattr(os, 'fsync', lambda descriptor: None)
    monkeypatch.setattr(os, 'fdatasync', lambda descriptor: None)


@pytest.fixture
def key(tmp_path: Path) -> LogKey:
    make_key(tmp_path / 'key')
    return load_key(tmp_path / 'key')


@pytest.fixture
def public(tmp_path: Path, key: LogKey) -> LogKey:
    return load_key(tmp_path / 'key.pub')


@pytest.fixture
def log(tmp_path: Path, key: LogKey) -> TaskLog:
    """A signed log of four entries, in a folder that nobody holds."""
    with DataFolder.open(tmp_path / 'data', write=True, log_key=key) as folder:
        log = TaskLog(folder, TASK)
        append(log, 4)
    return log


def damage_of(tmp_path: Path, key: LogKey | None) -> str:
    with DataFolder.open(tmp_path / 'data', write=False, log_key=key) as folder:
        return verify_log(folder, TASK).damage


@pytest.mark.parametrize('kind', ODD)
def test_what_is_no_regular_file_is_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    odd = tmp_path / 'key'
    make_odd(kind, odd)
    monkeypatch.setenv(KEY_VARIABLE, str(odd))
    for setting in (str(odd), ''):
        with pytest.raises(ConfigError, match='the key of the logs cannot be read'):
            key_of(setting)


def test_a_key_is_for_its_owner_alone_and_verifies_by_its_public_half(tmp_path: Path, key: LogKey) -> None:
    assert stat.S_IMODE((tmp_path / 'key').stat().st_mode) == 0o600
    assert (key.can_sign, load_key(tmp_path / 'key.pub').can_sign) == (True, False)
    with pytest.raises(ConfigError, match='no key was made'):
        make_key(tmp_path / 'key')
    (tmp_path / 'key').chmod(0o640)
    with pytest.raises(ConfigError, match='chmod 600'):
        load_key(tmp_path / 'key')
    (tmp_path / 'other').write_bytes(b'-----BEGIN PRIVATE KEY-----\nnone\n')
    with pytest.raises(ConfigError, match='not a PEM key'):
        load_key(tmp_path / 'other')
    with pytest.raises(ConfigError, match='cannot be read'):
        load_key(tmp_path / 'missing')


def test_the_environment_names_the_key(tmp_path: Path, key: LogKey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    assert key_of('') is None
    monkeypatch.setenv(KEY_VARIABLE, str(tmp_path / 'key'))
    found = key_of('')
    assert found is not None
    assert found.can_sign


def test_without_the_library_it_is_said_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: object) -> object:
        if name.startswith('cryptography'):
            raise ImportError(f'No module named {name!r}')
        return real(name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, '__import__', without)
    with pytest.raises(ConfigError, match=r'pip install "cryptography'):
        load_key(tmp_path / 'key')


def test_a_signed_log_is_read_verified_and_goes_on(tmp_path: Path, log: TaskLog, key: LogKey, public: LogKey) -> None:
    for checking in (key, public, None):
        assert damage_of(tmp_path, checking) == ''
    with DataFolder.open(tmp_path / 'data', write=True, log_key=key) as folder:
        again = TaskLog(folder, TASK)
        assert (again.entries, again.odd) == (log.entries, '')
        append(again, 1)
    assert damage_of(tmp_path, public) == ''


def forge(log: TaskLog, data: bytes) -> None:
    """Writes a log and a head with checks that fit, as whoever can write the files could."""
    log.path.write_bytes(data)
    file = HeadFile(log.path, TASK)
    file.make(head_of(parse_log(data, 'log')))


def unsigned_entry(log: TaskLog, number: int, check: int) -> bytes:
    return entry_block(entry_to_text(Entry(kind=EntryKind.FINISHED, entry_id=number)), check)[0]


def test_what_somebody_else_wrote_is_found(tmp_path: Path, log: TaskLog, public: LogKey) -> None:
    data, head = log.path.read_bytes(), head_path(log).read_bytes()
    parsed = parse_log(data, 'log')
    # Shorter, with a head that fits; the last entry is signed, the head is not.
    forge(log, data[: whole_sizes(log)[2]])
    assert damage_of(tmp_path, None) == ''
    assert 'its head, or what it counts, is not signed' in damage_of(tmp_path, public)
    # One entry more, which the head does not count yet, as after a crash.
    log.path.write_bytes(data + unsigned_entry(log, 5, parsed.check))
    head_path(log).write_bytes(head)
    assert damage_of(tmp_path, None) == ''
    assert 'entry 5 is not signed' in damage_of(tmp_path, public)
    # Another entry in the middle, and all checks anew.
    changed = data[: parsed.ends[2]] + unsigned_entry(log, 3, parsed.checks[2])
    forge(log, changed)
    assert damage_of(tmp_path, None) == ''
    assert 'is not signed' in damage_of(tmp_path, public)
    # Without a head, the last entry speaks for all.
    head_path(log).unlink()
    assert 'entry 3 is not signed' in damage_of(tmp_path, public)
    log.path.write_bytes(data)
    assert damage_of(tmp_path, public) == ''


def test_another_key_signs_nothing(tmp_path: Path, log: TaskLog) -> None:
    make_key(tmp_path / 'another')
    other = load_key(tmp_path / 'another')
    with DataFolder.open(tmp_path / 'data', write=True, log_key=other) as folder:
        with pytest.raises(LogDamagedError, match='not signed by the key'):
            TaskLog(folder, TASK)
        assert 'continues after entry 4' in accept_log(folder, TASK)
        append(TaskLog(folder, TASK), 1)
    assert damage_of(tmp_path, other) == ''


def test_signing_begins_and_ends_only_when_it_is_asked_for(tmp_path: Path, key: LogKey, log: TaskLog) -> None:
    with DataFolder.open(tmp_path / 'data', write=True) as folder:
        with pytest.raises(LogDamagedError, match=KEY_VARIABLE):
            TaskLog(folder, TASK)
        accept_log(folder, TASK)
        append(TaskLog(folder, TASK), 1)
    assert 'is not signed' in damage_of(tmp_path, key)
    with DataFolder.open(tmp_path / 'data', write=True, log_key=key) as folder:
        accept_log(folder, TASK)
        append(again := TaskLog(folder, TASK), 1)
        assert len(again.entries) == 6
    assert damage_of(tmp_path, key) == ''


def test_a_public_key_cannot_write(tmp_path: Path, public: LogKey) -> None:
    with pytest.raises(MemoryFault, match='the given key is public'):
        DataFolder.open(tmp_path / 'data', write=True, log_key=public)
    assert not DataFolder.is_in_use(tmp_path / 'data')


def test_a_kill_after_any_byte_of_a_signed_log_loses_nothing(tmp_path: Path, key: LogKey) -> None:
    with DataFolder.open(tmp_path / 'data', write=True, log_key=key) as folder:
        log = TaskLog(folder, TASK)
        append(log, 1)
        before = (log.path.read_bytes(), head_path(log).read_bytes())
        append(log, 1)
        after = (log.path.read_bytes(), head_path(log).read_bytes())
        for there, head in states_of_a_crash(before, after)[::3]:
            log.path.write_bytes(there)
            head_path(log).write_bytes(head)
            again = TaskLog(folder, TASK)
            assert again.entries == log.entries[: 1 + (there == after[0])]
            assert again.odd == ''


def test_a_signed_log_is_written_anew_and_backed_up_with_its_key(tmp_path: Path, key: LogKey, log: TaskLog) -> None:
    parsed = parse_log(log.path.read_bytes(), 'log')
    with DataFolder.open(tmp_path / 'data', write=True) as folder, pytest.raises(MemoryFault, match=KEY_VARIABLE):
        rewrite_log(folder, log.path, parsed, TASK, log.path.read_bytes())
    with DataFolder.open(tmp_path / 'data', write=True, log_key=key) as folder:
        rewrite_log(folder, log.path, parsed, TASK, log.path.read_bytes()[: parsed.ends[3]])
        assert len(TaskLog(folder, TASK).entries) == 3
    restore(back_up(tmp_path / 'data', tmp_path / 'b.tar.gz', NOW), tmp_path / 'copy')
    with DataFolder.open(tmp_path / 'copy', write=True, log_key=key) as copy:
        append(again := TaskLog(copy, TASK), 1)
        assert len(again.entries) == 4
    os.truncate(tmp_path / 'copy' / 'tasks' / 'sorting.log', parsed.ends[1])
    with DataFolder.open(tmp_path / 'copy', write=False, log_key=key) as copy:
        assert 'missing' in verify_log(copy, TASK).damage
