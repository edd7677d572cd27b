"""Whisper model folders and the length limit of transcripts, shared by both Whisper transcribers."""

from collections.abc import Sequence
from pathlib import Path

from lucca_core.errors import SpeechError

MOST_TOKENS = 96
"""Longest transcript, in tokens: twelve seconds of very fast speech."""


def check_folder(model: str, files: Sequence[str]) -> Path | None:
    """Returns the folder that a model spec names; None when it is a name on the hub.

    Raises:
        SpeechError: the spec looks like a path but is no folder, or the folder lacks one of `files`.
    """
    folder = Path(model).expanduser()
    if not folder.is_dir():
        if model.startswith(('/', '.', '~')) or folder.exists():
            raise SpeechError(f'{model!r} is not a model folder')
        return None
    missing = [name for name in files if not (folder / name).is_file()]
    if missing:
        raise SpeechError(f'{folder} is not a model of this kind: {", ".join(missing)} is missing')
    return folder
