"""The prohibitions on disk: they hold from the moment they are there, over restarts, until they are lifted."""

import json
import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lucca_core.errors import MemoryFault
from lucca_core.json_text import parse_json
from lucca_core.namespace import own_path
from lucca_core.protocol.prohibitions import (
    MOST_CHARS,
    MOST_PROHIBITIONS,
    NOTHING_PROHIBITED,
    KeptProhibitions,
    Prohibition,
)
from lucca_core.regular_file import is_absent, reading, replacing, sync_folder

_LOG = logging.getLogger(__name__)

NAME = 'prohibitions.json'
_FORMAT = 1
_LARGEST_BYTES = 200_000
_FIELDS = {'what', 'place', 'person', 'said_at'}
_FIRST, _END = datetime(1970, 1, 1, tzinfo=UTC), datetime(2038, 1, 1, tzinfo=UTC)
"""The moments that the stamp of a message can hold."""


class ProhibitionStore:
    """Keeps prohibitions in one file, which is replaced as a whole. Safe to use from several threads.

    Args:
        folder: folder of the file; created with the first prohibition.
        namespace: that of the robot. Robots that share the folder have separate files.
    """

    def __init__(self, folder: Path, namespace: str = '/') -> None:
        self._file = own_path(folder / NAME, namespace)
        self._changing = threading.Lock()
        self._kept = self._read()
        self._in_doubt = False
        """Whether the last change failed, so that the file may hold something else than `_kept`."""
        if self._kept.fault:
            _LOG.error('%s', self._kept.fault)

    @property
    def file(self) -> Path:
        """The path of the file."""
        return self._file

    def known(self) -> KeptProhibitions:
        """As `kept`, but nothing is read: the same object until the next change."""
        return self._kept

    def kept(self) -> KeptProhibitions:
        """The prohibitions that hold, as last read or written, or the fault for which nothing may move.

        A damaged file is read again, as somebody may have mended it.
        """
        if self._kept.fault and self._changing.acquire(blocking=False):
            try:
                self._kept = self._read()
            finally:
                self._changing.release()
        return self._kept

    def change(self, made: Callable[[tuple[Prohibition, ...]], tuple[Prohibition, ...]]) -> tuple[Prohibition, ...]:
        """Replaces the prohibitions by what `made` makes of them, and returns them once they are safe on the disk.

        Raises:
            MemoryFault: nothing is lifted, and perhaps nothing added: the file is damaged, cannot be written, or would
                get too large. After a restart, what is in the file holds.
        """
        with self._changing:
            self._kept = self._read() if self._kept.fault else self._kept
            if self._kept.fault:
                raise MemoryFault(self._kept.fault)
            prohibitions = made(self._kept.prohibitions)
            if prohibitions == self._kept.prohibitions and not self._in_doubt:
                return prohibitions
            if len(prohibitions) > MOST_PROHIBITIONS:
                raise MemoryFault(f'there are {MOST_PROHIBITIONS} prohibitions already; lift one first')
            self._write(prohibitions)
            self._kept, self._in_doubt = KeptProhibitions(prohibitions=prohibitions), False
            return prohibitions

    def _write(self, prohibitions: tuple[Prohibition, ...]) -> None:
        document = {'format': _FORMAT, 'prohibitions': [item.as_json() for item in prohibitions]}
        try:
            _prohibitions_in(document)  # What cannot be read again would hold everything from the next start on.
            new = not self._file.parent.is_dir()
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with replacing(self._file) as stream:
                stream.write(json.dumps(document, indent=2, ensure_ascii=False).encode() + b'\n')
            if new:
                sync_folder(self._file.parent.parent)
        except (OSError, ValueError) as error:
            # It is not known any more which of both is on the disk, so what either prohibits stays prohibited.
            before, found = self._kept.prohibitions, self._read()
            also = tuple(item for item in found.prohibitions if item not in before)
            self._kept, self._in_doubt = replace(found, prohibitions=(*before, *also)), True
            raise MemoryFault(f'the prohibitions could not be written to {self._file}: {error}') from error

    def _read(self) -> KeptProhibitions:
        try:
            with reading(self._file) as stream:
                data = stream.read(_LARGEST_BYTES + 1)
        except FileNotFoundError:
            try:
                absent = is_absent(self._file)
                return NOTHING_PROHIBITED if absent else self._damaged('a symbolic link leads nowhere')
            except OSError as fault:
                return self._damaged(str(fault))
        except OSError as error:
            return self._damaged(str(error))
        try:
            if len(data) > _LARGEST_BYTES:
                raise ValueError(f'it is larger than {_LARGEST_BYTES} bytes')
            return KeptProhibitions(prohibitions=_prohibitions_in(parse_json(data.decode())))
        except ValueError as error:
            return self._damaged(str(error))

    def _damaged(self, why: str) -> KeptProhibitions:
        return KeptProhibitions(
            fault=f'the file of prohibitions {self._file} cannot be read ({why}), so nothing moves; mend the file, or '
            'remove it if nothing shall be prohibited'
        )


def _prohibitions_in(document: Any) -> tuple[Prohibition, ...]:
    """The prohibitions in a document.

    Raises:
        ValueError: it is anything else.
    """
    if not isinstance(document, dict) or set(document) != {'format', 'prohibitions'} or document['format'] != _FORMAT:
        raise ValueError(f'it is no document of format {_FORMAT}')
    items = document['prohibitions']
    if not isinstance(items, list) or len(items) > MOST_PROHIBITIONS:
        raise ValueError(f'it holds no list of at most {MOST_PROHIBITIONS} prohibitions')
    return tuple(map(_prohibition_in, items))


def _prohibition_in(item: Any) -> Prohibition:
    if not isinstance(item, Mapping) or set(item) != _FIELDS:
        raise ValueError(f'a prohibition has the fields {", ".join(sorted(_FIELDS))}')
    texts = [item['what'], item['place'], item['person']]
    if not all(isinstance(text, str) and len(text) <= MOST_CHARS and text.isprintable() for text in texts):
        raise ValueError(f'the texts of a prohibition have at most {MOST_CHARS} characters that can be printed')
    if not item['what'].strip():
        raise ValueError('a prohibition says what it is about')
    said_at = item['said_at']
    if said_at is not None and not isinstance(said_at, str):
        raise ValueError('said_at is a date and time, or null')
    return Prohibition(
        what=item['what'],
        place=item['place'],
        person=item['person'],
        said_at=_moment_in(said_at) if said_at else None,
    )


def _moment_in(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError('said_at has a time zone')
    # Compared before it is converted, as the first and the last day of all have no UTC everywhere.
    if not _FIRST <= moment < _END:
        raise ValueError(f'said_at is between {_FIRST.year} and {_END.year}')
    return moment.astimezone(UTC)
