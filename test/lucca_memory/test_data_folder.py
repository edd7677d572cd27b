"""One writer, private, whole files only, and never somebody else's folder."""

import errno
import os
import stat
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from odd_files import ODD, make_odd

from lucca_core.errors import MemoryFault
from lucca_memory.data_folder import DataFolder, check_folder, check_room, file_name


def test_a_new_folder_is_private_and_names_its_format(tmp_path: Path) -> None:
    with DataFolder.open(tmp_path / 'a' / 'data', write=True) as folder:
        for path in (folder.path, folder.tasks_path):
            assert stat.S_IMODE(path.stat().st_mode) == 0o700
        assert (folder.path / 'format').read_text(encoding='utf-8') == 'lucca data folder, format 2\n'
        assert stat.S_IMODE((folder.path / 'format').stat().st_mode) == 0o600


def test_a_folder_that_others_could_read_is_made_private(tmp_path: Path) -> None:
    DataFolder.open(tmp_path / 'data', write=True).close()
    (tmp_path / 'data').chmod(0o755)
    with DataFolder.open(tmp_path / 'data', write=True) as folder:
        assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700


def test_a_second_writer_is_told_who_holds_the_folder(tmp_path: Path) -> None:
    with (
        DataFolder.open(tmp_path / 'data', write=True),
        pytest.raises(MemoryFault, match=rf'in use by another worker \(process {os.getpid()}\)'),
    ):
        DataFolder.open(tmp_path / 'data', write=True)
    DataFolder.open(tmp_path / 'data', write=True).close()


def test_readers_need_no_lock(tmp_path: Path) -> None:
    with DataFolder.open(tmp_path / 'data', write=True):
        reader = DataFolder.open(tmp_path / 'data', write=False)
        assert not reader.writable
        with pytest.raises(MemoryFault, match='not open for writing'):
            reader.write_atomically('x', 'y')


def test_a_folder_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    DataFolder.open(tmp_path / 'data', write=True).close()
    (tmp_path / 'data' / 'format').write_text('lucca data folder, format 3\n', encoding='utf-8')
    for write in (True, False):
        with pytest.raises(MemoryFault, match='format 3 of a newer lucca'):
            DataFolder.open(tmp_path / 'data', write=write)


def test_a_format_file_that_says_nothing_is_refused(tmp_path: Path) -> None:
    DataFolder.open(tmp_path / 'data', write=True).close()
    (tmp_path / 'data' / 'format').write_text('hello', encoding='utf-8')
    with pytest.raises(MemoryFault, match='should read "lucca data folder, format 2"'):
        DataFolder.open(tmp_path / 'data', write=True)


def test_somebody_elses_folder_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / 'thesis.tex').write_text('x', encoding='utf-8')
    tmp_path.chmod(0o755)
    with pytest.raises(MemoryFault, match='contains other files but no lucca data'):
        DataFolder.open(tmp_path, write=True)
    assert [path.name for path in tmp_path.iterdir()] == ['thesis.tex']
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


def test_a_missing_folder_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(MemoryFault, match='not a lucca data folder'):
        DataFolder.open(tmp_path / 'nothing', write=False)


def test_a_folder_that_cannot_be_made_is_a_memory_fault(tmp_path: Path) -> None:
    (tmp_path / 'file').write_text('', encoding='utf-8')
    with pytest.raises(MemoryFault, match='cannot be used'):
        DataFolder.open(tmp_path / 'file' / 'data', write=True)


def test_a_crash_before_the_format_was_written_is_mended(tmp_path: Path) -> None:
    (tmp_path / 'data').mkdir()
    (tmp_path / 'data' / 'lock').touch()
    with DataFolder.open(tmp_path / 'data', write=True) as folder:
        assert (folder.path / 'format').exists()


def test_a_lost_lock_is_noticed(tmp_path: Path) -> None:
    with DataFolder.open(tmp_path / 'data', write=True) as folder:
        folder.check_lock()
        (folder.path / 'lock').unlink()
        with pytest.raises(MemoryFault, match='is gone'):
            folder.check_lock()
        (folder.path / 'lock').touch()
        with pytest.raises(MemoryFault, match='was replaced'):
            folder.check_lock()
    with pytest.raises(MemoryFault, match='not open for writing'):
        folder.check_lock()


def test_a_file_is_replaced_whole_or_not_at_all(folder: DataFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.write_atomically('notes', 'old')

    def full(descriptor: int) -> None:
        raise OSError(28, 'No space left on device')

    with monkeypatch.context() as patched:
        patched.setattr(os, 'fsync', full)
        with pytest.raises(MemoryFault, match='No space left'):
            folder.write_atomically('notes', 'new')
    assert (folder.path / 'notes').read_text(encoding='utf-8') == 'old'
    assert not (folder.path / 'notes.new').exists()


@given(st.text(st.characters(exclude_categories=())), st.text(st.characters(exclude_categories=())))
def test_file_names_are_safe_and_tell_names_apart(one: str, other: str) -> None:
    name = file_name(one)
    assert name.isascii()
    assert name == name.lower()
    assert not set(name) & set('/\\.\0')
    assert 0 < len(name) <= 200
    assert (one == other) == (name == file_name(other))


def test_a_check_says_how_a_folder_stands_and_makes_nothing(tmp_path: Path) -> None:
    path = tmp_path / 'a' / 'data'
    assert check_folder(path).startswith(f'{path} will be created')
    assert not (tmp_path / 'a').exists()
    DataFolder.open(path, write=True).close()
    assert check_folder(path).startswith(f'{path}, 0 task logs')
    with pytest.raises(MemoryFault, match='MB are free'):
        check_folder(path, least_free_mb=2**40)
    (tmp_path / 'file').touch()
    with pytest.raises(MemoryFault, match='not a folder that this user can write to'):
        check_folder(tmp_path / 'file')
    with pytest.raises(MemoryFault, match='contains other files'):
        check_folder(tmp_path)


@pytest.mark.parametrize('number', ['0', '-1', '01', '1.0', '+1', '9' * 5_000])
def test_a_folder_of_a_version_that_never_was_is_refused(tmp_path: Path, number: str) -> None:
    DataFolder.open(tmp_path / 'data', write=True).close()
    (tmp_path / 'data' / 'format').write_text(f'lucca data folder, format {number}\n', encoding='utf-8')
    for write in (True, False):
        with pytest.raises(MemoryFault, match='should read "lucca data folder, format 2"'):
            DataFolder.open(tmp_path / 'data', write=write)


@pytest.mark.parametrize('call', ['ftruncate', 'pwrite', 'fsync', 'mkdir', 'replace'])
def test_a_full_disk_while_opening_leaves_neither_a_lock_nor_a_descriptor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    (tmp_path / 'data').mkdir(mode=0o700)

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, 'No space left on device')

    open_before = os.listdir('/proc/self/fd')
    with monkeypatch.context() as patched:
        patched.setattr(os, call, full)
        for _ in range(100):
            with pytest.raises(MemoryFault, match='No space left'):
                DataFolder.open(tmp_path / 'data', write=True)
    assert os.listdir('/proc/self/fd') == open_before
    assert not DataFolder.is_in_use(tmp_path / 'data')
    DataFolder.open(tmp_path / 'data', write=True).close()


def test_a_folder_of_which_opening_was_interrupted_is_not_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DataFolder, 'write_atomically', interrupt)
    with pytest.raises(KeyboardInterrupt):
        DataFolder.open(tmp_path / 'data', write=True)
    assert not DataFolder.is_in_use(tmp_path / 'data')


def interrupt(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize('kind', ODD)
@pytest.mark.parametrize('name', ['format', 'lock', 'format.new', 'tasks'])
@pytest.mark.timeout(20)
def test_what_is_no_regular_file_in_a_folder_is_told_at_once(tmp_path: Path, kind: str, name: str) -> None:
    path = tmp_path / 'data'
    DataFolder.open(path, write=True).close()
    if name == 'tasks':
        (path / name).rmdir()
    elif name == 'format.new':
        (path / 'format').unlink()
        (path / 'tasks').rmdir()
    else:
        (path / name).unlink()
    make_odd(kind, path / name)
    if name == 'tasks' and kind == 'folder':
        return
    if name == 'format.new' and kind != 'folder':
        # A draft is nobody's file: it is made anew, and what a link leads to is left alone.
        DataFolder.open(path, write=True).close()
        assert (path / 'format').is_file()
        return
    with pytest.raises(MemoryFault, match=name.removesuffix('.new')):
        DataFolder.open(path, write=True)
    assert not DataFolder.is_in_use(path)


def test_a_read_only_file_system_is_named_before_anything_is_written(tmp_path, monkeypatch):
    mounted = SimpleNamespace(f_flag=os.ST_RDONLY, f_bavail=2**20, f_frsize=4096)
    monkeypatch.setattr(os, 'statvfs', lambda path: mounted)
    with pytest.raises(MemoryFault, match=rf'file system of {tmp_path} is read-only: mount it for writing'):
        check_room(tmp_path)
