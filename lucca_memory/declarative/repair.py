"""Accepting the readable part of a damaged log, and rewriting a whole log."""

import logging
import os
from dataclasses import replace
from pathlib import Path

from lucca_core.errors import LogDamagedError, MemoryFault
from lucca_core.regular_file import read_regular, replacing, sync_folder
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.blocks import ParsedLog, readable_part
from lucca_memory.declarative.head import Head, HeadFile, Slots
from lucca_memory.declarative.head_check import check, head_of
from lucca_memory.declarative.log import existing_log, keep_aside, log_path, utc_now
from lucca_memory.declarative.signature import KEY_VARIABLE, head_message

_log = logging.getLogger(__name__)


def accept_log(folder: DataFolder, task: str) -> str:
    """Continues a damaged log from its readable part; the damaged file is kept beside it. An intact log is unchanged.

    Args:
        folder: open for writing.
        task: name of the task.

    Returns:
        A sentence about what was done.

    Raises:
        MemoryFault: there is no such log, it was written by a newer version, or it could not be written.
    """
    folder.check_lock()
    try:
        log = existing_log(folder, task)
    except LogDamagedError:
        pass
    else:
        return f'the log of {task[:80]!r} is not damaged; {len(log.entries)} entries'
    path = log_path(folder, task)
    try:
        data = read_regular(path) if os.path.lexists(path) else b''
        parsed = readable_part(data, str(path))[0]
        if parsed.checks and parsed.task != task:
            parsed = ParsedLog('', (), data)  # the log of another task
        kept = ''
        if len(data) > parsed.size:
            kept = f'; the damaged file is kept as {keep_aside(path, data, "damaged", utc_now()).name}'
            with replacing(path) as stream:
                stream.write(data[: parsed.size])
        file = HeadFile(path, task)
        slots = file.read() or Slots(None, None)
        epoch = slots.newest.epoch + 1 if slots.newest else 0
        file.make(_signed(folder, replace(head_of(parsed), task=file.task, epoch=epoch), data))
        if not parsed.size:
            path.unlink(missing_ok=True)
            sync_folder(path.parent)
    except OSError as error:
        raise MemoryFault(f'{path} could not be written: {error}') from error
    return f'the log of {task[:80]!r} continues after entry {len(parsed.entries)}{kept}'


def rewrite_log(folder: DataFolder, path: Path, old: ParsedLog, new_task: str, new_data: bytes) -> None:
    """Replaces the bytes of a log and updates its head. A crash leaves the old log or the new one, each with a matching
    head. A damaged log stays damaged.

    Args:
        folder: open for writing.
        path: of the log.
        old: its current content.
        new_task: its task name from now on; if it differs, the file is renamed.
        new_data: its new bytes.

    Raises:
        MemoryFault, OSError: it could not be written.
    """
    target = log_path(folder, new_task) if new_task != old.task else path
    text, name = new_data.decode('utf-8'), f'tasks/{target.name}'
    head_there, head_then = HeadFile(path, old.task), HeadFile(target, new_task)
    slots = head_there.read()
    head = replace(head_of(readable_part(new_data, str(target))[0]), task=head_then.task)
    try:
        verdict = check(old, True, slots, old.task, path.name)
    except LogDamagedError as error:
        _log.warning('%s', error)
        # The entries that the head counts are kept, so that missing ones stay missing.
        counted = slots.newest if slots else None
    else:
        if verdict.kept is not None and verdict.kept.signature and folder.log_key is None:
            raise MemoryFault(f'{path} is signed; rewriting it needs the key: {KEY_VARIABLE}')
        counted = head = _signed(folder, replace(head, epoch=verdict.head.epoch + 1), new_data)
        if target == path:
            head_there.settle(_signed(folder, verdict.head, read_regular(path)), verdict.kept)
            head_there.write(head)
            folder.write_atomically(name, text)
            head_there.settle(head)
            return
    if target == path:
        folder.write_atomically(name, text)
        return
    if counted is not None:
        head_then.make(replace(counted, task=head_then.task))
    folder.write_atomically(name, text)
    # The log first: without its head, a damaged log would pass for intact.
    path.unlink()
    head_there.remove()


def _signed(folder: DataFolder, head: Head, data: bytes) -> Head:
    key = folder.log_key
    return head if key is None else replace(head, signature=key.sign(head_message(head, data)))
