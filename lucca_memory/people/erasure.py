"""Erasing a person for good from everything that is stored (unlike forgetting, which can be undone).

Safe at any crash: a note naming the person is written first and removed last, and `finish_erasing`, called whenever the
folder is opened for writing, resumes an interrupted erasure.
"""

import logging
import tarfile
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from lucca_core.errors import MemoryFault
from lucca_core.regular_file import read_regular
from lucca_memory.backup import backups_locked, note_erased, pack, registered_backups, unpack, workplace
from lucca_memory.data_folder import INDEX_FOLDER, DataFolder
from lucca_memory.item_ids import owner_of
from lucca_memory.manifest import files_set_aside
from lucca_memory.people.erasure_note import NOTE, Note, read_note, remove_note, write_note
from lucca_memory.people.file_erasure import drop_index, erase_from_files
from lucca_memory.people.name_eraser import NameEraser
from lucca_memory.people.opening import PEOPLE_FILE, open_store
from lucca_memory.people.rows import name_key
from lucca_memory.people.store import PeopleStore
from lucca_memory.semantic.store.network_store import ARRAYS_FILE
from lucca_memory.semantic.store.sqlite_store import NETWORK_FILE, SqliteNetworkStore

__all__ = ['NOTE', 'Erased', 'erase_person', 'finish_erasing']

FACTS_FOLDER = 'facts'
_NOBODY = 2**31 - 1
"""An id that no person has."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """The result of an erasure: how many logs and backups were rewritten, and which files could not be reached.

    Attributes:
        mentions: people whose memory still contains the name (or, with `blanked`, contained it), and in how many texts.
        facts: files of facts that contain the name, and how often; their owner has to change them.
    """

    logs: int = 0
    backups: int = 0
    unreachable: tuple[str, ...] = ()
    mentions: tuple[tuple[str, int], ...] = ()
    blanked: bool = False
    facts: tuple[tuple[str, int], ...] = ()


def erase_person(folder: DataFolder, store: PeopleStore, name: str, *, blank: bool = False) -> Erased:
    """Erases a person from the stores, the indexes, the backups and the task logs of a folder.

    Close open logs and indexes before, and read them again afterwards.

    Args:
        folder: open for writing.
        store: of the person; the folder's own or a shared one.
        name: of the person.
        blank: also replace the name in what others said; otherwise it is only counted there.

    Raises:
        MemoryFault: nobody has this name, or something could not be erased; calling this again or opening the folder
            again resumes.
    """
    person = store.find(name)
    if person is None:
        # Already erased from the store, but not from everything else.
        if (noted := _noted(folder, store)) is not None and name_key(noted.name) == name_key(name):
            return _erase(folder, store, replace(noted, blank=blank or noted.blank))
        if not (blank and store.mentions(NameEraser(name))):
            raise MemoryFault(f'nobody is known by the name {name[:80]!r}')
        # Erased before, but still named by others.
        note = Note(uid=store.uid, person_id=_NOBODY, name=name, blank=True)
    else:
        note = Note(uid=store.uid, person_id=person.person_id, name=person.name, blank=blank)
    write_note(folder, note)
    return _erase(folder, store, note)


def finish_erasing(folder: DataFolder, store: PeopleStore) -> Erased | None:
    """Resumes an interrupted erasure; None if there is none.

    Raises:
        MemoryFault: see `erase_person`.
    """
    noted = _noted(folder, store)
    if noted is None:
        return None
    _log.warning('the interrupted erasure of a person is being finished')
    return _erase(folder, store, noted)


def _noted(folder: DataFolder, store: PeopleStore) -> Note | None:
    note = read_note(folder)
    if note is not None and note.uid != store.uid and not note.given_up:
        raise MemoryFault(f'{folder.path / NOTE} is about a person of another store; open that one to finish erasing')
    return note


def _erase(folder: DataFolder, store: PeopleStore, note: Note) -> Erased:
    uid, person_id, name = note.uid, note.person_id, note.name
    eraser = NameEraser(name)
    note_erased(folder, uid, person_id)
    if store.uid == uid:
        # First, since a robot that follows the store would put lines that remain there back into cleaned networks.
        store.erase(person_id)
    names = {person.person_id: person.name for person in store.people()}
    mentions = [(names.get(number, f'person {number}'), count) for number, count in store.mentions(eraser).items()]
    if note.blank:
        for other in store.blank(eraser):
            drop_index(folder, other)
    with backups_locked(folder.path):
        rewritten, unreachable = _erase_from_backups(folder, uid, person_id, name, blank=note.blank)
    logs = erase_from_files(folder, person_id, name)
    _erase_from_network(folder.path, owner_of(uid, person_id), eraser, store.address, blank=note.blank)
    remove_note(folder)
    aside = tuple(str(file) for file in files_set_aside(folder.path))
    return Erased(
        logs=logs,
        backups=rewritten,
        unreachable=(*unreachable, *aside),
        mentions=tuple(sorted(mentions)),
        blanked=note.blank,
        facts=_facts_with(folder, eraser),
    )


def _facts_with(folder: DataFolder, eraser: NameEraser) -> tuple[tuple[str, int], ...]:
    files = [file for file in sorted((folder.path / FACTS_FOLDER).rglob('*')) if file.is_file()]
    return tuple((str(file), count) for file in files if (count := eraser.count_in(_text_of(file))))


def _text_of(file: Path) -> str:
    try:
        return read_regular(file).decode('utf-8', 'replace')
    except OSError as error:
        raise MemoryFault(f'{file} cannot be searched: {error}') from error


def _erase_from_network(path: Path, owner: str, eraser: NameEraser, address: str = '', *, blank: bool) -> None:
    """Removes the person's nodes from the network, and the name from nodes that belong to everybody (if `blank`, from
    all). With a shared store, does so in the networks of all robots on the server as well."""
    if (path / NETWORK_FILE).exists():
        with closing(SqliteNetworkStore(path / NETWORK_FILE)) as network:
            network.erase(owner, eraser, blank=blank)
    if address:
        from lucca_memory.semantic.store.postgres_store import erase_from_networks

        erase_from_networks(address, path / INDEX_FOLDER / ARRAYS_FILE, owner, eraser, blank=blank)


def _erase_from_backups(
    data: DataFolder, uid: str, person_id: int, name: str, *, blank: bool
) -> tuple[int, tuple[str, ...]]:
    rewritten, unreachable = 0, []
    for file in registered_backups(data.path):
        if not file.exists():
            unreachable.append(str(file))
            continue
        try:
            with workplace(file.parent) as place:
                copy = place / 'data'
                unpack(file, copy)
                with DataFolder.open(copy, write=True, log_key=data.log_key) as folder:
                    # The backup may be from a time when the store was missing or on a server.
                    if (copy / PEOPLE_FILE).exists():
                        _erase_from_copy(folder, uid, person_id, name, blank=blank)
                    erase_from_files(folder, person_id, name)
                    _erase_from_network(copy, owner_of(uid, person_id), NameEraser(name), blank=blank)
                (copy / 'lock').unlink()
                for extra in copy.glob('*.sqlite-*'):
                    extra.unlink()
                pack(copy, file)
                rewritten += 1
        except (OSError, tarfile.TarError, MemoryFault) as error:
            raise MemoryFault(
                f'the backup {file} could not be rewritten: {error}; it still names the person. If it is damaged, '
                f'delete that file and erase again'
            ) from error
    return rewritten, tuple(unreachable)


def _erase_from_copy(folder: DataFolder, uid: str, person_id: int, name: str, *, blank: bool) -> None:
    with open_store(folder) as store:
        known = [person for person in store.people() if person.person_id == person_id]
        if known and store.uid == uid:
            store.erase(person_id)
        if blank:
            store.blank(NameEraser(name))
