"""The note in the data folder that a person is being erased, which lets an interrupted erasure resume."""

import json
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from lucca_core.errors import MemoryFault
from lucca_core.json_text import parse_json
from lucca_core.regular_file import read_regular, sync_folder
from lucca_memory.data_folder import DataFolder

NOTE = 'erasing.json'


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """The person who is being erased.

    Attributes:
        uid: identity of the person's store.
        blank: also replace the name in what others said.
        given_up: the store no longer exists; only the rest has to be erased.
    """

    uid: str
    person_id: int
    name: str
    blank: bool = False
    given_up: bool = False


def write_note(folder: DataFolder, note: Note) -> None:
    """Writes a note; it is on the disk when this returns.

    Raises:
        MemoryFault: it could not be written.
    """
    folder.write_atomically(NOTE, json.dumps(asdict(note)))


def read_note(folder: DataFolder) -> Note | None:
    """The note of a folder; None if nobody is being erased.

    Raises:
        MemoryFault: it cannot be read.
    """
    file = folder.path / NOTE
    if not os.path.lexists(file):
        return None
    try:
        found = parse_json(read_regular(file))
        return Note(
            uid=str(found['uid']),
            person_id=int(found['person_id']),
            name=str(found['name']),
            blank=bool(found.get('blank', False)),
            given_up=bool(found.get('given_up', False)),
        )
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise MemoryFault(f'{file} cannot be read: {error}; it says who was being erased') from error


def remove_note(folder: DataFolder) -> None:
    """Removes the note after the erasure is complete.

    Raises:
        OSError: it could not be removed.
    """
    file: Path = folder.path / NOTE
    file.unlink(missing_ok=True)
    sync_folder(folder.path)


def give_up_store(folder: DataFolder, uid: str) -> None:
    """Marks the store of a pending erasure as gone, so that the erasure can be finished with a new store.

    Args:
        folder: open for writing.
        uid: identity of the old store; empty if unknown.

    Raises:
        MemoryFault: the note cannot be read or written.
    """
    note = read_note(folder)
    if note is not None and uid in ('', note.uid):
        write_note(folder, replace(note, given_up=True))
