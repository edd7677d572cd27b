"""Files that are opened only if they are regular: a named pipe, a socket, a device or a folder in the place of one is an error at
once, where a plain `open` would wait for somebody at the other end.

What is opened by somebody else's code, such as a database, is looked at beforehand with `check_regular`.
"""

import contextlib
import errno
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


def open_regular(path: Path, flags: int, mode: int = 0o600) -> int:
    """A descriptor as of `os.open`, which waits for nobody and is not inherited by child processes.

    Raises:
        OSError: it cannot be opened, or is no regular file; names the file.
    """
    try:
        descriptor = os.open(path, flags | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY, mode)
    except OSError as error:
        if error.errno == errno.ENXIO:  # a socket, or a pipe that nobody reads
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
    """A stream of the bytes of a regular file; for `with`.

    Raises:
        OSError: as open_regular.
    """
    return open(open_regular(path, os.O_RDONLY), 'rb')


def read_regular(path: Path) -> bytes:
    """The bytes of a regular file.

    Raises:
        OSError: as open_regular.
    """
    with reading(path) as stream:
        return stream.read()


def check_regular(path: Path) -> None:
    """Shows that a file is a regular one or not there yet.

    Raises:
        OSError: it is something else, or cannot be looked at.
    """
    try:
        found = os.stat(path).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(found):
        raise _not_regular(path, found)


@contextlib.contextmanager
def new_file(path: Path) -> Iterator[BufferedWriter]:
    """A stream into a file that was not there before, for this user alone; synced at the end. Gone again after an error.

    Raises:
        OSError: something has this name, or it could not be written.
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
    """A stream into a draft that takes the place of a file at the end: after any crash there is the old file or the new one.

    Raises:
        OSError: it could not be written; the old file stands.
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
    """Makes names created or renamed in a folder survive a power cut.

    Raises:
        OSError: it could not be done.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _not_regular(path: Path, mode: int) -> OSError:
    kind = _KINDS.get(stat.S_IFMT(mode), 'something else')
    return OSError(errno.EINVAL, f'is {kind}, should be a regular file', str(path))
