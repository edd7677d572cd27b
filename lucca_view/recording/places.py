"""The places of a data folder's recordings: its folder `recordings`, which also notes recordings elsewhere."""

import hashlib
from pathlib import Path

from lucca_core.errors import RecordingError
from lucca_core.regular_file import read_regular
from lucca_memory.data_folder import RECORDINGS

SUFFIX = '.mcap'
_NOTE = '.path'


def recordings_folder(data_dir: Path) -> Path:
    """The folder for recordings inside a data folder; it may not exist yet."""
    return data_dir / RECORDINGS


def note_place(data_dir: Path, file: Path) -> None:
    """Notes a recording that is elsewhere, so that `memory forget` can name it.

    Raises:
        RecordingError: the note cannot be written.
    """
    folder, place = recordings_folder(data_dir), file.absolute()
    if place.parent == folder.absolute():
        return
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        name = hashlib.sha256(str(place).encode(errors='surrogateescape')).hexdigest()[:16]
        (folder / f'{name}{_NOTE}').write_text(f'{place}\n', encoding='utf-8', errors='surrogateescape')
    except OSError as error:
        raise RecordingError(f'{folder}: the place of the recording cannot be noted: {error}') from error


def known_recordings(data_dir: Path) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """The recordings in the data folder, and those noted elsewhere that still exist.

    Raises:
        RecordingError: a note cannot be read.
    """
    folder = recordings_folder(data_dir)
    try:
        noted = [read_regular(note).decode('utf-8', 'surrogateescape').strip() for note in folder.glob(f'*{_NOTE}')]
        elsewhere = tuple(sorted(place for place in map(Path, noted) if place.exists()))
        return tuple(sorted(folder.glob(f'*{SUFFIX}'))), elsewhere
    except OSError as error:
        raise RecordingError(f'{folder}: the list of recordings cannot be read: {error}') from error
