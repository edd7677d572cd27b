"""The list of memories that a data folder should hold, so that a missing one is an error and is not replaced silently.

    DATA/memories.json      {"people.sqlite": "IDENTITY", …}; the identity is empty for a memory without one

A memory is listed once it exists, and removed from the list only on request: `lucca doctor --new-memory` calls
`begin_anew`.
"""

import json
import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from lucca_core.errors import MemoryFault, NewerVersionError
from lucca_core.json_text import parse_json
from lucca_core.regular_file import read_regular
from lucca_memory.aside_names import free_ending
from lucca_memory.data_folder import DataFolder
from lucca_memory.people.erasure_note import give_up_store
from lucca_memory.people.schema import MIGRATIONS as PEOPLE
from lucca_memory.semantic.store.schema import MIGRATIONS as NETWORK
from lucca_memory.store.sqlite_check import check_database

MANIFEST_FILE = 'memories.json'
PEOPLE_FILE = 'people.sqlite'
NETWORK_FILE = 'network.sqlite'
SET_ASIDE = '.set-aside-'
"""Part of the file name of a damaged memory that was set aside, followed by the time."""

_STEPS = {PEOPLE_FILE: PEOPLE, NETWORK_FILE: NETWORK}
SQLITE_EXTRAS = ('-wal', '-shm', '-journal')
"""Ends of the names of the files that SQLite keeps beside a database."""


def memories_of(path: Path) -> Mapping[str, str]:
    """The identities of the memories that a data folder should hold, by file name.

    Raises:
        MemoryFault: the list cannot be read.
    """
    file = path / MANIFEST_FILE
    if not os.path.lexists(file):
        return {}
    try:
        document = parse_json(read_regular(file).decode('utf-8'))
    except (OSError, ValueError) as error:
        raise MemoryFault(f'{file} cannot be read: {error}; lucca doctor --new-memory replaces it') from error
    if not isinstance(document, dict) or not all(isinstance(uid, str) for uid in document.values()):
        raise MemoryFault(f'{file} is not a list of memories; lucca doctor --new-memory replaces it')
    return document


def enter_memory(folder: DataFolder, name: str, uid: str = '') -> None:
    """Adds an existing memory to the list; does nothing in a folder opened for reading.

    Raises:
        MemoryFault: the list cannot be read or written.
    """
    memories = memories_of(folder.path)
    if folder.writable and memories.get(name) != uid:
        _write(folder, {**memories, name: uid})


def leave_out(folder: DataFolder, name: str) -> None:
    """Removes a memory from the list.

    Raises:
        MemoryFault: the list cannot be read or written.
    """
    memories = memories_of(folder.path)
    if name in memories:
        _write(folder, {other: uid for other, uid in memories.items() if other != name})


def damaged_memories(path: Path, *, whole: bool = True) -> tuple[str, ...]:
    """Checks all memories of a data folder; returns a sentence per problem.

    `whole`: read all of each, however large.

    Raises:
        MemoryFault: the list cannot be read.
    """
    found, memories = [], memories_of(path)
    for name, steps in _STEPS.items():
        try:
            check_database(path / name, steps, expected=name in memories, uid=memories.get(name, ''), whole=whole)
        except MemoryFault as error:
            found.append(str(error))
    return tuple(found)


def begin_anew(folder: DataFolder, now: datetime) -> tuple[str, ...]:
    """Prepares a folder to start each missing or damaged memory anew; intact ones stay.

    A damaged file is set aside; erasing a person does not reach it. A memory of a newer version is not damaged: if
    there is one, nothing is changed.

    Returns:
        What was done, one sentence each.

    Raises:
        MemoryFault: a file could not be moved or written.
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
        told.append(_set_aside(folder.path / name, now) or f'{name} is missing; a new memory will be created')
    _write(folder, memories)
    return tuple(told)


def files_set_aside(path: Path) -> tuple[Path, ...]:
    """The damaged memories that were set aside in a data folder."""
    return tuple(sorted(path.glob(f'*{SET_ASIDE}*')))


def _set_aside(file: Path, now: datetime) -> str:
    ending = free_ending((file,), f'{SET_ASIDE}{now:%Y%m%dT%H%M%S%f}')
    aside = file.with_name(file.name + ending)
    moved = ''
    try:
        for extra in (*SQLITE_EXTRAS, ''):
            source = file.with_name(f'{file.name}{extra}')
            if os.path.lexists(source):
                source.rename(aside.with_name(f'{aside.name}{extra}'))
                moved = f'{file.name} was set aside as {aside.name}; a new memory begins'
    except OSError as error:
        raise MemoryFault(f'{file} could not be set aside: {error}') from error
    return moved


def _write(folder: DataFolder, memories: Mapping[str, str]) -> None:
    folder.write_atomically(MANIFEST_FILE, json.dumps(memories, sort_keys=True, indent=1) + '\n')
