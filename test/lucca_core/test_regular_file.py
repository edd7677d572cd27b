"""Opening and replacing regular files; anything else is refused at once and nothing stays open."""

import os
from contextlib import AbstractContextManager
from io import BufferedWriter
from pathlib import Path

import pytest
from odd_files import ODD, make_odd

from lucca_core.regular_file import (
    check_regular,
    is_absent,
    is_regular,
    new_file,
    open_regular,
    read_regular,
    read_regular_text,
    replacing,
)


@pytest.mark.parametrize('kind', ODD)
@pytest.mark.parametrize('flags', [os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_WRONLY | os.O_APPEND | os.O_CREAT])
@pytest.mark.timeout(20)
def test_anything_but_a_regular_file_is_refused_at_once(tmp_path: Path, kind: str, flags: int) -> None:
    make_odd(kind, tmp_path / 'odd')
    open_before = os.listdir('/proc/self/fd')
    with pytest.raises(OSError, match=r'odd') as told:
        open_regular(tmp_path / 'odd', flags)
    assert told.value.filename == str(tmp_path / 'odd')
    with pytest.raises(OSError, match='odd'):
        check_regular(tmp_path / 'odd')
    assert os.listdir('/proc/self/fd') == open_before


def test_a_file_behind_a_link_is_read(tmp_path: Path) -> None:
    (tmp_path / 'there').write_bytes(b'text')
    (tmp_path / 'link').symlink_to(tmp_path / 'there')
    assert read_regular(tmp_path / 'link') == b'text'


@pytest.mark.parametrize('name', ['a\0b', 'long' * 100, 'missing', '.'])
def test_an_impossible_name_is_no_regular_file(tmp_path: Path, name: str) -> None:
    assert not is_regular(tmp_path / name)
    with pytest.raises(OSError, match=r'null byte|too long|No such file|folder'):
        read_regular_text(tmp_path / name)


def test_text_is_read_as_from_any_text_file(tmp_path: Path) -> None:
    (tmp_path / 'text').write_bytes('zwölf\r\n'.encode())
    assert is_regular(tmp_path / 'text')
    assert read_regular_text(tmp_path / 'text') == 'zwölf\n'


def test_a_missing_file_passes_the_check(tmp_path: Path) -> None:
    check_regular(tmp_path / 'missing')


def test_a_new_file_replaces_nothing_and_is_removed_after_an_error(tmp_path: Path) -> None:
    (tmp_path / 'old').write_bytes(b'old')
    with pytest.raises(FileExistsError), new_file(tmp_path / 'old'):
        pass
    with pytest.raises(ValueError, match='broke off'):
        write_half(new_file(tmp_path / 'new'))
    assert sorted(path.name for path in tmp_path.iterdir()) == ['old']


def test_a_file_is_replaced_only_once_all_is_written(tmp_path: Path) -> None:
    file, elsewhere = tmp_path / 'file', tmp_path / 'elsewhere'
    file.write_bytes(b'old')
    elsewhere.write_bytes(b'not ours')
    (tmp_path / 'file.new').symlink_to(elsewhere)
    with pytest.raises(ValueError, match='broke off'):
        write_half(replacing(file))
    assert (file.read_bytes(), elsewhere.read_bytes()) == (b'old', b'not ours')
    with replacing(file) as stream:
        stream.write(b'new')
        assert file.read_bytes() == b'old'
    assert (file.read_bytes(), elsewhere.read_bytes()) == (b'new', b'not ours')
    assert sorted(path.name for path in tmp_path.iterdir()) == ['elsewhere', 'file']


def write_half(opened: AbstractContextManager[BufferedWriter]) -> None:
    with opened as stream:
        stream.write(b'half')
        raise ValueError('broke off')


def test_only_where_nothing_is_and_no_link_leads_nowhere_a_file_is_absent(tmp_path: Path) -> None:
    assert is_absent(tmp_path / 'a')
    assert is_absent(tmp_path / 'a' / 'b')
    (tmp_path / 'a').symlink_to('away')
    assert not is_absent(tmp_path / 'a')
    assert not is_absent(tmp_path / 'a' / 'b')
    assert not is_absent(tmp_path / 'a' / 'b' / 'c')
    (tmp_path / 'away').mkdir()
    assert is_absent(tmp_path / 'a' / 'b')
    (tmp_path / 'file').touch()
    with pytest.raises(NotADirectoryError):
        is_absent(tmp_path / 'file' / 'b')
