"""Backing up a whole data folder into one archive, and restoring it.

A backup contains everything except derived files (indexes), the lock of a running worker, damaged memories that were
set aside (erasing does not reach them), and the identity of a network on a server. Databases are copied as of one
moment, logs as far as they are written; both may be in use. Every backup is registered in the folder, so that erasing
a person reaches it. Erased people stay erased, whichever backup is restored.
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
from lucca_core.json_text import parse_json
from lucca_core.regular_file import check_regular, new_file, open_regular, read_regular, reading, sync_folder
from lucca_memory.data_folder import INDEX_FOLDER, RECORDINGS, DataFolder
from lucca_memory.declarative.head_check import settle_copies
from lucca_memory.declarative.signature import key_of
from lucca_memory.item_ids import owner_of
from lucca_memory.manifest import SET_ASIDE, SQLITE_EXTRAS
from lucca_memory.people.file_erasure import erase_from_files
from lucca_memory.people.name_eraser import NameEraser
from lucca_memory.people.opening import PEOPLE_FILE
from lucca_memory.people.sqlite_store import SqliteStore
from lucca_memory.semantic.opening import ID_FILE
from lucca_memory.semantic.store.sqlite_store import NETWORK_FILE, SqliteNetworkStore

BACKUPS = 'backups'
"""Folder inside the data folder for backups without a path of their own, and a `.path` file for each of the others."""

ERASED = 'erased.json'
"""File inside the data folder with the ids, never the names, of erased people."""

SUFFIX = '.tar.gz'
_WORKPLACE = '.lucca-backup-'
# A backup does not contain a network on a server, so its identity is left out: a restored folder starts a new network.
_LEFT_OUT = frozenset({'lock', INDEX_FOLDER, BACKUPS, RECORDINGS, ID_FILE})


def back_up(data_dir: Path, target: Path | None, now: datetime) -> Path:
    """Writes a backup. A worker may keep running meanwhile.

    Args:
        data_dir: a data folder.
        target: the file to write; None to write into the data folder itself.
        now: becomes part of the file name.

    Raises:
        MemoryFault: `data_dir` is not a data folder, the target exists, or a file cannot be read or written.
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
    """Replaces a data folder by the contents of a backup. A crash leaves either the old folder or the restored one.

    Args:
        file: a backup.
        data_dir: where it goes; missing or empty, unless `replace`.
        replace: discard the current contents, except the lists of backups and of erased people.

    Raises:
        MemoryFault: the backup is incomplete, a worker uses the folder, or it holds memory; nothing was changed.
    """
    data_dir = data_dir.absolute()
    holds_memory = data_dir.exists() and any(data_dir.iterdir())
    if holds_memory and not replace:
        raise MemoryFault(f'{data_dir} holds memory; replace it with --replace, or choose another folder')
    aside = data_dir.with_name(f'{data_dir.name}.restored')
    try:
        data_dir.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(aside, ignore_errors=True)
        with contextlib.ExitStack() as stack:
            if holds_memory:
                # Held until the end, so that no worker starts on the folder that is replaced.
                stack.enter_context(DataFolder.open(data_dir, write=True))
                stack.enter_context(backups_locked(data_dir))
            unpack(file, aside)
            _check_restored(aside)
            # Earlier versions included this file in backups.
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
    """Moves a restored folder into place and then deletes the old one."""
    given_up = data_dir.with_name(f'{data_dir.name}.given-up')
    if given_up.exists():
        # This may be the only copy of the old folder, so only a person may delete it.
        raise MemoryFault(f'{given_up} was left by an interrupted restore; move it back or delete it, then try again')
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
    """The paths of all registered backups of a folder, whether they still exist or not.

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
    """Holds the lock that making, restoring and rewriting backups of a folder requires.

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
    """A temporary folder beside a backup for rewriting it; leftovers of a crash are removed first.

    Raises:
        OSError: it cannot be made.
    """
    clear_leftovers(folder)
    with tempfile.TemporaryDirectory(prefix=_WORKPLACE, dir=folder) as name:
        yield Path(name)


def clear_leftovers(folder: Path) -> None:
    """Removes what a crash left behind while a backup was rewritten."""
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
    """Extracts an archive into a new folder; refuses entries that would land outside it.

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
    """Records, by id, that a person of a store was erased.

    Raises:
        MemoryFault: it could not be written.
    """
    entries = [*_erased(folder.path), [uid, person_id]]
    folder.write_atomically(ERASED, json.dumps(sorted(map(list, {(str(u), int(p)) for u, p in entries}))))


def _erased(path: Path) -> list[list[Any]]:
    file = path / ERASED
    try:
        return list(parse_json(read_regular(file))) if os.path.lexists(file) else []
    except (OSError, ValueError) as error:
        raise MemoryFault(f'{file} cannot be read: {error}') from error


def _apply_erasures(path: Path) -> None:
    """Erases the people of the list from a restored folder, and their names, which the list does not have.

    Raises:
        MemoryFault: something could not be erased; logs that are signed need their key.
    """
    erased = {(str(uid), int(person_id)) for uid, person_id in _erased(path)}
    names: dict[tuple[str, int], str] = {}
    if (path / PEOPLE_FILE).exists():
        with SqliteStore(path / PEOPLE_FILE) as store:
            for person in store.people():
                if (store.uid, person.person_id) in erased:
                    names[store.uid, person.person_id] = person.name
                    store.erase(person.person_id)
    if names:
        with DataFolder.open(path, write=True, log_key=key_of('')) as folder:
            for (_, person_id), name in names.items():
                erase_from_files(folder, person_id, name)
        (path / 'lock').unlink()
    # Shared stores count, too: this folder's network may hold statements of their people.
    if erased and (path / NETWORK_FILE).exists():
        with contextlib.closing(SqliteNetworkStore(path / NETWORK_FILE)) as network:
            for uid, person_id in sorted(erased):
                known = names.get((uid, person_id))
                network.erase(owner_of(uid, person_id), None if known is None else NameEraser(known))


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
        if not left_out and not path.name.endswith(('.new', *SQLITE_EXTRAS)):
            _copy_any(path, target / path.name)


def _copy_any(source: Path, target: Path) -> None:
    if source.is_dir() and not source.is_symlink():
        target.mkdir(mode=0o700)
        for path in sorted(source.iterdir()):
            if not path.name.endswith(('.new', *SQLITE_EXTRAS)):
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
