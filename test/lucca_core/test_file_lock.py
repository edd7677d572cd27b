"""A lock that another process holds is told from a file that cannot be locked, whatever the file system answers."""

import errno
import fcntl
import os
from pathlib import Path

import pytest

from lucca_core.file_lock import cannot_be_locked, lock_at_once

HELD = (errno.EAGAIN, errno.EACCES)
NO_LOCKS = (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EBADF)


def answers(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the file system answer with this error to each lock."""

    def refused(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, 'flock', refused)


@pytest.mark.parametrize('number', HELD)
def test_a_lock_of_another_process_is_no_error_by_either_number(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    answers(number, monkeypatch)
    assert not lock_at_once(0)
    assert cannot_be_locked(Path('/tmp')) == ''  # noqa: S108 - nothing stays there


@pytest.mark.parametrize('number', NO_LOCKS)
def test_a_file_that_cannot_be_locked_is_an_error_and_is_named(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers(number, monkeypatch)
    with pytest.raises(OSError, match=os.strerror(number)):
        lock_at_once(0)
    assert cannot_be_locked(tmp_path / 'not' / 'yet') == os.strerror(number)
    assert not list(tmp_path.iterdir())


def test_shared_locks_exclude_only_exclusive_ones(tmp_path: Path) -> None:
    file = tmp_path / 'lock'
    file.touch()
    with file.open('r+') as first, file.open('r+') as second, file.open('r+') as third:
        assert lock_at_once(first.fileno(), shared=True)
        assert lock_at_once(second.fileno(), shared=True)
        assert not lock_at_once(third.fileno())
    assert cannot_be_locked(tmp_path) == ''


def test_below_a_folder_that_may_not_be_searched_nothing_is_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hidden = tmp_path / 'hidden'
    hidden.mkdir()
    stat = Path.stat

    def searched(path: Path, **options: bool) -> os.stat_result:
        if hidden in path.parents:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return stat(path, **options)

    # By chmod, it would be searched by root all the same.
    monkeypatch.setattr(Path, 'stat', searched)
    assert cannot_be_locked(hidden / 'lucca') == ''


def test_a_folder_that_cannot_be_written_has_nothing_to_lock() -> None:
    assert cannot_be_locked(Path('/proc/lucca')) == ''
