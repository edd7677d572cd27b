"""What both ways to run Whisper share: where its folder is, and how long an answer may be."""

from collections.abc import Sequence
from pathlib import Path

from lucca_core.errors import SpeechError

MOST_TOKENS = 96
"""Longest transcript: a dozen seconds of the quickest speech."""


def check_folder(model: str, files: Sequence[str]) -> Path | None:
    """The folder that a model spec names; None when it is a name of the hub.

    Raises:
        SpeechError: it looks like a path and is no folder, or a file is missing in it; the file is named.
    """
    folder = Path(model).expanduser()
    if not folder.is_dir():
        if model.startswith(('/', '.', '~')) or folder.exists():
            raise SpeechError(f'{model!r} is no folder of a model')
        return None
    missing = [name for name in files if not (folder / name).is_file()]
    if missing:
        raise SpeechError(f'{folder} holds no such model: {", ".join(missing)} is missing')
    return folder
