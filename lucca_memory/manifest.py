"""Which memories a data folder holds, so that one that is gone is an error and not, silently, a new one.

    DATA/memories.json      {"people.sqlite": "IDENTITY", …}; an identity is empty where a memory has none

A memory is entered once it is there, and taken out only where somebody says so: `begin_anew`, which `lucca doctor --new-memory`
calls.
"""

import json
import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from lucca_core.errors import MemoryFault, NewerVersionError
from lucca_core.regular_file import read_regular
from lucca_memory.data_folder import DataFolder
from lucca_memory.people.erasure_note import give_up_store
from lucca_memory.people.schema import MIGRATIONS as PEOPLE
from lucca_memory.semantic.store.schema import MIGRATIONS as NETWORK
from lucca_memory.store.sqlite_check import check_database

MANIFEST_FILE = 'memories.json'
PEOPLE_FILE = 'people.sqlite'
NETWORK_FILE = 'network.sqlite'
SET_ASIDE = '.set-aside-'
"""In the name of a damaged memory that was set aside; the time follows."""

_STEPS = {PEOPLE_FILE: PEOPLE, NETWORK_FILE: NETWORK}
_EXTRAS = ('-wal', '-shm', '-journal')


def memories_of(path: Path) -> Mapping[str, str]:
    """Identities of the memories that a data folder should hold, by file.

    Raises:
        MemoryFault: the list cannot be read.
    """
    file = path / MANIFEST_FILE
    if not os.path.lexists(file):
        return {}
    try:
        document = json.loads(read_regular(file).decode('utf-8'))
    except (OSError, ValueError, RecursionError) as error:
        raise MemoryFault(f'{file} cannot be read: {error}; lucca doctor --new-memory writes it anew') from error
    if not isinstance(document, dict) or not all(isinstance(uid, str) for uid in document.values()):
        raise MemoryFault(f'{file} is no list of memories; lucca doctor --new-memory writes it anew')
    return document


def enter_memory(folder: DataFolder, name: str, uid: str = '') -> None:
    """Enters a memory that is there; nothing where the folder is only read.

    Raises:
        MemoryFault: the list cannot be read or written.
    """
    memories = memories_of(folder.path)
    if folder.writable and memories.get(name) != uid:
        _write(folder, {**memories, name: uid})


def leave_out(folder: DataFolder, name: str) -> None:
    """Takes a memory out that the folder shall not hold any more.

    Raises:
        MemoryFault: the list cannot be read or written.
    """
    memories = memories_of(folder.path)
    if name in memories:
        _write(folder, {other: uid for other, uid in memories.items() if other != name})


def damaged_memories(path: Path) -> tuple[str, ...]:
    """What is wrong with the memories of a data folder, one sentence each; all of them are read.

    Raises:
        MemoryFault: the list of them cannot be read.
    """
    found, memories = [], memories_of(path)
    for name, steps in _STEPS.items():
        try:
            check_database(path / name, steps, expected=name in memories, uid=memories.get(name, ''), whole=True)
        except MemoryFault as error:
            found.append(str(error))
    return tuple(found)


def begin_anew(folder: DataFolder, now: datetime) -> tuple[str, ...]:
    """Lets the folder begin anew with each memory that is missing or damaged; what is whole stays.

    A damaged file is set aside beside the new one, for whoever can read it: erasing a person does not reach into it. Nothing is done
    where a memory is of a newer version: that one is not damaged.

    Returns:
        What was done, a sentence each.

    Raises:
        MemoryFault: it could not be done.
    """
    told = []
    try:
        memories = dict(memories_of(folder.path))
    except MemoryFault:
        memories = {}
        told.append(f'{MANIFEST_FILE} could not be read and was written anew')
    lost = []
    for name, steps in _STEPS.items():
        try:
            check_database(folder.path / name, steps, expected=name in memories, uid=memories.get(name, ''), whole=True)
        except NewerVersionError:
            raise
        except MemoryFault:
            lost.append(name)
    for name in lost:
        uid = memories.pop(name, '')
        if name == PEOPLE_FILE:
            give_up_store(folder, uid)
        told.append(_set_aside(folder.path / name, now) or f'{name} is not there and will be a new memory')
    _write(folder, memories)
    return tuple(told)


def files_set_aside(path: Path) -> tuple[Path, ...]:
    """Damaged memories that were set aside in a data folder."""
    return tuple(sorted(path.glob(f'*{SET_ASIDE}*')))


def _set_aside(file: Path, now: datetime) -> str:
    aside = file.with_name(f'{file.name}{SET_ASIDE}{now:%Y%m%dT%H%M%S%f}')
    moved = ''
    try:
        for extra in (*_EXTRAS, ''):
            source = file.with_name(f'{file.name}{extra}')
            if os.path.lexists(source):
                source.rename(aside.with_name(f'{aside.name}{extra}'))
                moved = f'{file.name} was set aside as {aside.name}; a new memory begins'
    except OSError as error:
        raise MemoryFault(f'{file} could not be set aside: {error}') from error
    return moved


def _write(folder: DataFolder, memories: Mapping[str, str]) -> None:
    folder.write_atomically(MANIFEST_FILE, json.dumps(memories, sort_keys=True, indent=1) + '\n')
