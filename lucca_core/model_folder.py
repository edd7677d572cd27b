"""Folders that hold a model, as the specs of detectors and transcribers name them."""

from collections.abc import Sequence
from pathlib import Path

from lucca_core.errors import LuccaError


def model_folder(model: str, files: Sequence[str], error: type[LuccaError]) -> Path | None:
    """The folder that a model spec names; None when it is a name on the hub.

    Args:
        model: a path or a name.
        files: what the folder must hold; a bar separates what may stand for each other.
        error: what is raised.

    Raises:
        LuccaError: `error`: it looks like a path and is no folder, or a file is missing in it; the file is named.
    """
    folder = Path(model).expanduser()
    if not folder.is_dir():
        if model.startswith(('/', '.', '~')) or folder.exists():
            raise error(f'{model!r} is no folder of a model')
        return None
    missing = [
        name.replace('|', ' or ')
        for name in files
        if not any((folder / choice).is_file() for choice in name.split('|'))
    ]
    if missing:
        raise error(f'{folder} holds no such model: {", ".join(missing)} is missing')
    return folder
