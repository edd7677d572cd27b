"""Taking a person's name and index out of the files of a data folder: task logs, taught tasks, heads, indexes."""

import json
import logging
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import yaml

from lucca_core.errors import LogDamagedError, MemoryFault
from lucca_core.json_text import parse_json
from lucca_core.regular_file import read_regular, sync_folder
from lucca_core.yaml_file import parse_yaml
from lucca_memory.data_folder import INDEX_FOLDER, DataFolder, file_name
from lucca_memory.declarative.blocks import ParsedLog, entry_block, header_of, parse_log
from lucca_memory.declarative.entry import Entry, entry_to_text
from lucca_memory.declarative.head import SUFFIX
from lucca_memory.declarative.log import log_path
from lucca_memory.declarative.repair import rewrite_log
from lucca_memory.people.name_eraser import NameEraser
from lucca_memory.procedural import MOST_DESCRIPTION_CHARS, MOST_NAME_CHARS
from lucca_memory.taught_tasks import TAUGHT_FILE, TAUGHT_FOLDER

_KEPT_FIELDS = frozenset({'kind', 'code', 'time'})
_log = logging.getLogger(__name__)


def drop_index(folder: DataFolder, person_id: int) -> None:
    """Deletes the index of a person's lines; the next search builds it anew."""
    for suffix in ('', '.new'):
        (folder.path / INDEX_FOLDER / f'{file_name(f"person-{person_id}")}.index{suffix}').unlink(missing_ok=True)


def erase_from_files(folder: DataFolder, person_id: int, name: str) -> int:
    """Takes a name out of logs and taught tasks; returns how many logs were rewritten.

    Raises:
        MemoryFault: a file could not be read or rewritten; calling this again resumes.
    """
    try:
        drop_index(folder, person_id)
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
