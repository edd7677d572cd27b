"""Opening and replacing of regular files; a pipe, socket, device or folder in their place raises an error at once.

A plain `open` would block on a pipe until its other end is opened. Files that a library opens itself, such as
databases, are checked beforehand with `check_regular`.
"""

import contextlib
import errno
import io
import os
import stat
from collections.abc import Iterator
from io import BufferedReader, BufferedWriter
from pathlib import Path

_KINDS = {
    stat.S_IFIFO: 'a named pipe',
    stat.S_IFSOCK: 'a socket',
    stat.S_IFCHR: 'a device',
    stat.S_IFBLK: 'a device',
    stat.S_IFDIR: 'a folder',
}


def open_regular(path: Path, flags: int) -> int:
    """Like `os.open`, but never blocks; child processes do not inherit the descriptor.

    Raises:
        OSError: the file cannot be opened or is not a regular file.
    """
    try:
        descriptor = os.open(path, flags | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY, 0o600)
    except ValueError as error:  # a null byte in the name
        raise OSError(errno.EINVAL, str(error), str(path)) from error
    except OSError as error:
        if error.errno == errno.ENXIO:  # a socket, or a pipe without a reader
            raise _not_regular(path, os.stat(path).st_mode) from error
        raise
    try:
        found = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(found):
            raise _not_regular(path, found)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def reading(path: Path) -> BufferedReader:
    """Opens a regular file for reading; for `with`.

    Raises:
        OSError: see open_regular.
    """
    return open(open_regular(path, os.O_RDONLY), 'rb')


def read_regular(path: Path) -> bytes:
    """The bytes of a regular file.

    Raises:
        OSError: see open_regular.
    """
    with reading(path) as stream:
        return stream.read()


def read_regular_text(path: Path) -> str:
    """The text of a regular file, in UTF-8 and with `\\n` at the ends of lines.

    Raises:
        OSError: see open_regular.
        UnicodeDecodeError: the file is not in UTF-8.
    """
    with io.TextIOWrapper(reading(path), encoding='utf-8') as stream:
        return stream.read()


def is_regular(path: Path) -> bool:
    """Whether a path is a regular file. False also if its name is impossible: too long, or with a null byte."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def is_absent(path: Path) -> bool:
    """Whether nothing is at a path, and nothing hides what is: no symbolic link on the way leads nowhere.

    A link that leads nowhere may do so only while a disk is not mounted, so the file may well exist.

    Raises:
        OSError: the path could not be examined.
    """
    for part in (path, *path.absolute().parents):
        try:
            os.lstat(part)
        except FileNotFoundError:
            continue
        if part == path:
            return False
        # The nearest part of the way that is there. If it is a link, it has to lead to a folder.
        return part.is_dir()
    return True


def check_regular(path: Path) -> None:
    """Checks that a path is a regular file or does not exist.

    Raises:
        OSError: the path is something else, or could not be examined.
    """
    try:
        found = os.stat(path).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(found):
        raise _not_regular(path, found)


@contextlib.contextmanager
def new_file(path: Path) -> Iterator[BufferedWriter]:
    """Writes a new file that only its owner can read; it is synced at the end, and removed after an error.

    Raises:
        OSError: the path exists, or the file could not be written.
    """
    descriptor = open_regular(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        with open(descriptor, 'wb') as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
    except BaseException:
        with contextlib.suppress(OSError):
            path.unlink()
        raise


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BufferedWriter]:
    """Replaces a file atomically: after any crash, either the old or the new file is there.

    Raises:
        OSError: the new file could not be written; the old one remains.
    """
    draft = path.with_name(f'{path.name}.new')
    draft.unlink(missing_ok=True)
    with new_file(draft) as stream:
        yield stream
    try:
        draft.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Makes new and renamed files in a folder survive a power failure.

    Raises:
        OSError: the folder could not be synced.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _not_regular(path: Path, mode: int) -> OSError:
    kind = _KINDS.get(stat.S_IFMT(mode), 'something else')
    return OSError(errno.EINVAL, f'is {kind}, should be a regular file', str(path))
