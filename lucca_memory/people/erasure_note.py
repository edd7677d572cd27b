"""Who is being erased: a note in the data folder, written before anything is erased and removed after everything is."""

import json
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from lucca_core.errors import MemoryFault
from lucca_core.regular_file import read_regular, sync_folder
from lucca_memory.data_folder import DataFolder

NOTE = 'erasing.json'


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A person of the store with the identity `uid`. `blank`: the name is taken out of what others said, too; `given_up`: the store
    is not there any more, so that only the rest is left to do."""

    uid: str
    person_id: int
    name: str
    blank: bool = False
    given_up: bool = False


def write_note(folder: DataFolder, note: Note) -> None:
    """Keeps a note; it is on disk once this returns.

    Raises:
        MemoryFault: it could not be written.
    """
    folder.write_atomically(NOTE, json.dumps(asdict(note)))


def read_note(folder: DataFolder) -> Note | None:
    """The note of a folder; None where nobody is being erased.

    Raises:
        MemoryFault: it cannot be read.
    """
    file = folder.path / NOTE
    if not os.path.lexists(file):
        return None
    try:
        found = json.loads(read_regular(file))
        return Note(
            uid=str(found['uid']),
            person_id=int(found['person_id']),
            name=str(found['name']),
            blank=bool(found.get('blank', False)),
            given_up=bool(found.get('given_up', False)),
        )
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise MemoryFault(f'{file} cannot be read: {error}; it says who was being erased') from error


def remove_note(folder: DataFolder) -> None:
    """Removes the note: everything is erased.

    Raises:
        OSError: it could not be removed.
    """
    file: Path = folder.path / NOTE
    file.unlink(missing_ok=True)
    sync_folder(folder.path)


def give_up_store(folder: DataFolder, uid: str) -> None:
    """Lets erasing be finished without the store of people that is given up: without this, the new one would refuse to.

    Args:
        folder: open for writing.
        uid: identity of that store; empty where nobody knows it.

    Raises:
        MemoryFault: the note cannot be read or written.
    """
    note = read_note(folder)
    if note is not None and uid in ('', note.uid):
        write_note(folder, replace(note, given_up=True))
