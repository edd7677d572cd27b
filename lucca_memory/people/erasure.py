"""Erasing a person for good from everything that is stored (unlike forgetting, which can be undone).

Safe at any crash: a note naming the person is written first and removed last, and `finish_erasing`, called whenever the
folder is opened for writing, resumes an interrupted erasure.
"""

import json
import logging
import tarfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import yaml

from lucca_core.errors import LogDamagedError, MemoryFault
from lucca_core.json_text import parse_json
from lucca_core.regular_file import read_regular, sync_folder
from lucca_core.yaml_file import parse_yaml
from lucca_memory.backup import backups_locked, note_erased, pack, registered_backups, unpack, workplace
from lucca_memory.data_folder import INDEX_FOLDER, DataFolder, file_name
from lucca_memory.declarative.blocks import ParsedLog, entry_block, header_of, parse_log
from lucca_memory.declarative.entry import Entry, entry_to_text
from lucca_memory.declarative.head import SUFFIX
from lucca_memory.declarative.log import log_path
from lucca_memory.declarative.repair import rewrite_log
from lucca_memory.item_ids import owner_of
from lucca_memory.manifest import files_set_aside
from lucca_memory.people.erasure_note import NOTE, Note, read_note, remove_note, write_note
from lucca_memory.people.name_eraser import NameEraser
from lucca_memory.people.opening import PEOPLE_FILE, open_store
from lucca_memory.people.rows import name_key
from lucca_memory.people.store import PeopleStore
from lucca_memory.procedural import MOST_DESCRIPTION_CHARS, MOST_NAME_CHARS
from lucca_memory.semantic.store.network_store import ARRAYS_FILE
from lucca_memory.semantic.store.sqlite_store import NETWORK_FILE, SqliteNetworkStore
from lucca_memory.taught_tasks import TAUGHT_FILE, TAUGHT_FOLDER

__all__ = ['NOTE', 'Erased', 'erase_person', 'finish_erasing']

FACTS_FOLDER = 'facts'
_NOBODY = 2**31 - 1
"""An id that no person has."""

_KEPT_FIELDS = frozenset({'kind', 'code', 'time'})
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
            _drop_index(folder, other)
    with backups_locked(folder.path):
        rewritten, unreachable = _erase_from_backups(folder, uid, person_id, name, blank=note.blank)
    logs = _erase_from_files(folder, person_id, name)
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


def _drop_index(folder: DataFolder, person_id: int) -> None:
    for suffix in ('', '.new'):
        (folder.path / INDEX_FOLDER / f'{file_name(f"person-{person_id}")}.index{suffix}').unlink(missing_ok=True)


def _erase_from_files(folder: DataFolder, person_id: int, name: str) -> int:
    try:
        _drop_index(folder, person_id)
        eraser = NameEraser(name)
        _clean_taught(folder, eraser)
        logs = [path for kind in ('*.log*', f'*{SUFFIX}.*') for path in sorted(folder.tasks_path.glob(kind))]
        rewritten = sum([_clean_log(folder, path, eraser) for path in logs])
        for head in folder.tasks_path.glob(f'*{SUFFIX}'):
            # The log is gone, but the head's file name contains the task's name.
            if eraser.occurs_in(unquote(head.stem)) and not head.with_suffix('.log').exists():
                head.unlink()
        return rewritten
    except OSError as error:
        raise MemoryFault(f'a file of {folder.path} could not be rewritten: {error}') from error


def _erase_from_network(path: Path, owner: str, eraser: NameEraser, address: str = '', *, blank: bool) -> None:
    """Removes the person's nodes from the network, and the name from nodes that belong to everybody (if `blank`, from
    all). With a shared store, does so in the networks of all robots on the server as well."""
    if (path / NETWORK_FILE).exists():
        with closing(SqliteNetworkStore(path / NETWORK_FILE)) as network:
            network.erase(owner, eraser, blank=blank)
    if address:
        from lucca_memory.semantic.store.postgres_store import erase_from_networks

        erase_from_networks(address, path / INDEX_FOLDER / ARRAYS_FILE, owner, eraser, blank=blank)


def _clean_taught(folder: DataFolder, eraser: NameEraser) -> None:
    file = folder.path / TAUGHT_FILE
    if file.exists() and eraser.occurs_in(text := read_regular(file).decode('utf-8')):
        document = _mapped(parse_yaml(text, str(file)), eraser.clean)
        folder.write_atomically(TAUGHT_FILE, yaml.safe_dump(document, allow_unicode=True, sort_keys=False, width=120))
    for file in sorted((folder.path / TAUGHT_FOLDER).glob('*.json')):
        try:
            task = parse_json(read_regular(file))
            cleaned = {
                **task,
                'task': _clean_task(task['task'], eraser),
                'description': eraser.clean(task['description'])[:MOST_DESCRIPTION_CHARS].strip(),
            }
        except (ValueError, LookupError, TypeError) as error:
            raise MemoryFault(f'{file} is not a taught task: {error}; delete it, then erase again') from error
        if cleaned == task:
            continue
        target = f'{TAUGHT_FOLDER}/{file_name(str(cleaned["task"]))}.json'
        folder.write_atomically(target, json.dumps(cleaned, ensure_ascii=False, indent=1) + '\n')
        if folder.path / target != file:
            file.unlink()
        sync_folder(file.parent)


def _clean_task(task: str, eraser: NameEraser) -> str:
    """A task's name without the person's name, within the allowed length, as "somebody" may be longer."""
    return eraser.clean(task)[:MOST_NAME_CHARS].strip() if eraser.occurs_in(task) else task


def _clean_log(folder: DataFolder, path: Path, eraser: NameEraser) -> int:
    """Rewrites a log, or a piece that was set aside, if it contains the name; returns 1 if so."""
    data = read_regular(path)
    try:
        parsed = parse_log(data, str(path)) if path.suffix == '.log' else None
    except LogDamagedError as error:
        _log.warning('the name is taken out of a damaged log as plain text: %s', error)
        parsed = None
    if parsed is None or not parsed.size:
        text, name = data.decode('utf-8', 'replace'), _clean_name(path, eraser)
        if not eraser.occurs_in(text) and name == path.name:
            return 0
        folder.write_atomically(f'tasks/{name}', eraser.clean(text))
        if name != path.name:
            path.unlink()
        return 1
    return _rewrite(folder, path, parsed, eraser)


def _clean_name(path: Path, eraser: NameEraser) -> str:
    """The file name of a log without the person's name; a log in use is renamed with its header."""
    stem, _, rest = path.name.partition('.')
    task = unquote(stem)
    return f'{file_name(eraser.clean(task))}.{rest}' if rest != 'log' and eraser.occurs_in(task) else path.name


def _rewrite(folder: DataFolder, path: Path, parsed: ParsedLog, eraser: NameEraser) -> int:
    labels = {seen.label.casefold() for entry in parsed.entries for seen in entry.seen}
    # The person may have the name of an object on the table; names of objects are kept.
    is_thing = any(eraser.occurs_in(label) for label in labels)

    def cleaned(entry: Entry) -> Entry:
        if is_thing:
            return replace(entry, note=eraser.clean(entry.note))
        values = {
            item.name: _mapped(getattr(entry, item.name), eraser.clean)
            for item in fields(entry)
            if item.name not in _KEPT_FIELDS
        }
        return replace(entry, **values)

    entries = [cleaned(entry) for entry in parsed.entries]
    task = _clean_task(parsed.task, eraser)
    if (
        task == parsed.task
        and tuple(entries) == parsed.entries
        and not eraser.occurs_in(parsed.torn.decode('utf-8', 'replace'))
    ):
        return 0
    data = header_of(task)
    check = int(data[-9:-1], 16)
    for entry in entries:
        block, check = entry_block(entry_to_text(entry), check)
        data += block
    data += eraser.clean(parsed.torn.decode('utf-8', 'replace')).encode()
    if task != parsed.task:
        renamed = log_path(folder, task)
        # The same text: this log, renamed before a crash.
        if renamed.exists() and read_regular(renamed) != data:
            raise MemoryFault(f'{path.name} cannot be renamed to {renamed.name}: there is a log of that name')
    rewrite_log(folder, path, parsed, task, data)
    sync_folder(path.parent)
    return 1


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
                    _erase_from_files(folder, person_id, name)
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


def _mapped(value: Any, clean: Callable[[str], str]) -> Any:
    """Applies `clean` to every text in a JSON value."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, tuple | list):
        return type(value)(_mapped(item, clean) for item in value)
    if isinstance(value, dict):
        return {_mapped(key, clean): _mapped(item, clean) for key, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{item.name: _mapped(getattr(value, item.name), clean) for item in fields(value)})
    return value
