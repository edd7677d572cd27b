"""Backups of a whole data folder as one file, and their return.

A backup holds everything but what is derived (indexes), what belongs to a running worker (the lock), damaged memories that were set
aside, into which erasing does not reach, and which network on a server is the folder's: that one is not in it. Databases are copied as of one moment, logs as far as they are written; both may be in
use. Every backup is registered in the folder, so that erasing a person reaches it. Who was erased stays erased, whatever
backup is brought back.
"""

import contextlib
import fcntl
import json
import os
import shutil
import sqlite3
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from lucca_core.errors import MemoryFault
from lucca_core.regular_file import check_regular, new_file, open_regular, read_regular, reading, sync_folder
from lucca_memory.data_folder import INDEX_FOLDER, DataFolder
from lucca_memory.declarative.head_check import settle_copies
from lucca_memory.manifest import SET_ASIDE
from lucca_memory.people.opening import PEOPLE_FILE
from lucca_memory.people.sqlite_store import SqliteStore
from lucca_memory.semantic.graph.owners import owner_of
from lucca_memory.semantic.opening import ID_FILE
from lucca_memory.semantic.store.sqlite_store import NETWORK_FILE, SqliteNetworkStore

BACKUPS = 'backups'
"""In the data folder: backups without a place of their own, and a `.path` file for each of the others."""

ERASED = 'erased.json'
"""In the data folder: numbers, never names, of those who were erased."""

SUFFIX = '.tar.gz'
_WORKPLACE = '.lucca-backup-'
# A network on a server is not in a backup, so which one it is would be wrong of a copy: it begins one of its own.
_LEFT_OUT = frozenset({'lock', INDEX_FOLDER, BACKUPS, ID_FILE})
_SQLITE_EXTRAS = ('-wal', '-shm', '-journal')


def back_up(data_dir: Path, target: Path | None, now: datetime) -> Path:
    """Writes a backup; any worker may go on meanwhile.

    Args:
        data_dir: a data folder.
        target: the file to write; None for one in the data folder itself.
        now: goes into the name.

    Raises:
        MemoryFault: the folder is none, the target exists, or something cannot be read or written.
    """
    DataFolder.open(data_dir, write=False).close()
    with backups_locked(data_dir):
        file = target or data_dir / BACKUPS / f'lucca-{now:%Y%m%dT%H%M%S%f}{SUFFIX}'
        if file.exists():
            raise MemoryFault(f'{file} exists; choose another name')
        try:
            with workplace(file.parent) as place:
                _copy_folder(data_dir, place)
                settle_copies(place / 'tasks')
                # Registered first: erasing must never miss a backup that exists.
                if target is not None:
                    entry = data_dir / BACKUPS / f'{now:%Y%m%dT%H%M%S%f}.path'
                    _write(entry, f'{target.absolute()}\n'.encode())
                pack(place, file)
        except (OSError, sqlite3.Error) as error:
            raise MemoryFault(f'no backup was made of {data_dir}: {error}') from error
    return file


def restore(file: Path, data_dir: Path, *, replace: bool = False) -> None:
    """Puts a backup in the place of a data folder. After any crash there is the old folder or the restored one.

    Args:
        file: a backup.
        data_dir: where it goes; missing or empty, unless `replace`.
        replace: give up what is there now, its list of backups and of erased people excepted.

    Raises:
        MemoryFault: the file is no whole backup, a worker runs on the folder, or it holds memory; nothing was changed.
    """
    data_dir = data_dir.absolute()
    holds_memory = data_dir.exists() and any(data_dir.iterdir())
    if holds_memory and not replace:
        raise MemoryFault(f'{data_dir} holds memory; give it up with --replace, or choose another folder')
    aside = data_dir.with_name(f'{data_dir.name}.restored')
    try:
        data_dir.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(aside, ignore_errors=True)
        with contextlib.ExitStack() as stack:
            if holds_memory:
                # Held until the end, so that no worker starts on the folder that is given up.
                stack.enter_context(DataFolder.open(data_dir, write=True))
                stack.enter_context(backups_locked(data_dir))
            unpack(file, aside)
            _check_restored(aside)
            # Of a backup that was made when this was not left out.
            (aside / ID_FILE).unlink(missing_ok=True)
            if holds_memory:
                if (data_dir / BACKUPS).exists():
                    _copy_any(data_dir / BACKUPS, aside / BACKUPS)
                if erased := _erased(data_dir):
                    (aside / ERASED).unlink(missing_ok=True)
                    _write(aside / ERASED, json.dumps(erased).encode())
            _apply_erasures(aside)
            _exchange(data_dir, aside)
    except (OSError, sqlite3.Error, tarfile.TarError) as error:
        raise MemoryFault(f'{file} could not be restored: {error}') from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _exchange(data_dir: Path, aside: Path) -> None:
    """Puts a restored folder in the place of the old one, which is deleted once that has succeeded."""
    given_up = data_dir.with_name(f'{data_dir.name}.given-up')
    if given_up.exists():
        # It may be the only old copy: what deletes it has to be a person.
        raise MemoryFault(f'{given_up} was left by a restore that broke off; move it back or delete it, then try again')
    if data_dir.exists():
        data_dir.rename(given_up)
    try:
        aside.rename(data_dir)
    except OSError:
        if given_up.exists():
            given_up.rename(data_dir)
        raise
    sync_folder(data_dir.parent)
    shutil.rmtree(given_up, ignore_errors=True)


def registered_backups(data_dir: Path) -> tuple[Path, ...]:
    """Every backup that was made of a folder, there or not.

    Raises:
        MemoryFault: the list cannot be read.
    """
    folder = data_dir / BACKUPS
    try:
        elsewhere = [Path(read_regular(entry).decode('utf-8').strip()) for entry in sorted(folder.glob('*.path'))]
    except (OSError, UnicodeDecodeError) as error:
        raise MemoryFault(f'the list of backups in {folder} cannot be read: {error}') from error
    return (*sorted(folder.glob(f'*{SUFFIX}')), *elsewhere)


@contextlib.contextmanager
def backups_locked(data_dir: Path) -> Iterator[None]:
    """Nobody else makes, restores or rewrites backups of the folder meanwhile.

    Raises:
        MemoryFault: the lock cannot be taken.
    """
    folder = data_dir / BACKUPS
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        lock = open_regular(folder / 'lock', os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise MemoryFault(f'backups of {data_dir} cannot be locked: {error}') from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


@contextlib.contextmanager
def workplace(folder: Path) -> Iterator[Path]:
    """A folder beside a backup for the time of rewriting it; what a crash left of an earlier one is removed first.

    Raises:
        OSError: it cannot be made.
    """
    clear_leftovers(folder)
    with tempfile.TemporaryDirectory(prefix=_WORKPLACE, dir=folder) as name:
        yield Path(name)


def clear_leftovers(folder: Path) -> None:
    """Removes what a crash left of rewriting a backup."""
    for left in folder.glob(f'{_WORKPLACE}*'):
        shutil.rmtree(left, ignore_errors=True)


def pack(folder: Path, file: Path) -> None:
    """Writes a folder into an archive, atomically.

    Raises:
        OSError: it could not be written.
    """
    draft = file.with_name(f'.{file.name}.new')
    draft.unlink(missing_ok=True)
    try:
        with (
            new_file(draft) as stream,
            tarfile.open(fileobj=stream, mode='w:gz', compresslevel=3) as archive,
        ):
            for path in sorted(folder.rglob('*')):
                archive.add(path, path.relative_to(folder).as_posix(), recursive=False)
        draft.replace(file)
        sync_folder(file.parent)
    finally:
        draft.unlink(missing_ok=True)


def unpack(file: Path, folder: Path) -> None:
    """The contents of an archive in a new folder; whatever would lie outside of it is refused.

    Raises:
        OSError, tarfile.TarError: it cannot be read or written.
    """
    folder.mkdir(mode=0o700)
    try:
        with reading(file) as stream, tarfile.open(fileobj=stream, mode='r:gz') as archive:
            archive.extractall(folder, filter='data')
    except (EOFError, zlib.error) as error:
        raise tarfile.ReadError(f'it is cut off or damaged: {error}') from error


def note_erased(folder: DataFolder, uid: str, person_id: int) -> None:
    """Remembers, by number, that a person of a store was erased.

    Raises:
        MemoryFault: it could not be written.
    """
    entries = [*_erased(folder.path), [uid, person_id]]
    folder.write_atomically(ERASED, json.dumps(sorted(map(list, {(str(u), int(p)) for u, p in entries}))))


def _erased(path: Path) -> list[list[Any]]:
    file = path / ERASED
    try:
        return list(json.loads(read_regular(file))) if os.path.lexists(file) else []
    except (OSError, ValueError) as error:
        raise MemoryFault(f'{file} cannot be read: {error}') from error


def _apply_erasures(path: Path) -> None:
    erased = {(str(uid), int(person_id)) for uid, person_id in _erased(path)}
    if (path / PEOPLE_FILE).exists():
        with SqliteStore(path / PEOPLE_FILE) as store:
            for person in store.people():
                if (store.uid, person.person_id) in erased:
                    store.erase(person.person_id)
    # Of a store that robots share, too: what the network has of its people lies here.
    if erased and (path / NETWORK_FILE).exists():
        with contextlib.closing(SqliteNetworkStore(path / NETWORK_FILE)) as network:
            for uid, person_id in sorted(erased):
                network.erase(owner_of(uid, person_id))


def _check_restored(path: Path) -> None:
    DataFolder.open(path, write=False).close()
    for file in path.rglob('*.sqlite'):
        with contextlib.closing(sqlite3.connect(file)) as connection:
            verdict = connection.execute('PRAGMA quick_check').fetchone()[0]
        if verdict != 'ok':
            raise MemoryFault(f'{file.name} in the backup is damaged: {verdict}')


def _copy_folder(source: Path, target: Path) -> None:
    for path in sorted(source.iterdir()):
        left_out = path.name in _LEFT_OUT or SET_ASIDE in path.name
        if not left_out and not path.name.endswith(('.new', *_SQLITE_EXTRAS)):
            _copy_any(path, target / path.name)


def _copy_any(source: Path, target: Path) -> None:
    if source.is_dir() and not source.is_symlink():
        target.mkdir(mode=0o700)
        for path in sorted(source.iterdir()):
            if not path.name.endswith(('.new', *_SQLITE_EXTRAS)):
                _copy_any(path, target / path.name)
    elif source.suffix == '.sqlite':
        check_regular(source)
        with (
            contextlib.closing(sqlite3.connect(f'{source.absolute().as_uri()}?mode=ro', uri=True)) as original,
            contextlib.closing(sqlite3.connect(target)) as copy,
        ):
            original.backup(copy)
        target.chmod(0o600)
    elif not source.is_symlink():
        check_regular(source)
        with contextlib.suppress(FileNotFoundError):
            shutil.copy2(source, target)


def _write(file: Path, data: bytes) -> None:
    with new_file(file) as stream:
        stream.write(data)
    sync_folder(file.parent)
