"""The model folder that a detector's or transcriber's spec names, checked for the files that it must hold."""

from collections.abc import Sequence
from pathlib import Path

from lucca_core.errors import LuccaError


def model_folder(model: str, files: Sequence[str], error: type[LuccaError]) -> Path | None:
    """The folder that a model spec names, or None if the spec is a name on the hub.

    Args:
        model: a path or a name.
        files: names of the files that the folder must hold; `a|b` means that either will do.
        error: the class of the exception raised.

    Raises:
        LuccaError: (as `error`) `model` looks like a path but is not a folder, or files are missing, which it names.
    """
    folder = Path(model).expanduser()
    if not folder.is_dir():
        if model.startswith(('/', '.', '~')) or folder.exists():
            raise error(f'{model!r} is not a model folder')
        return None
    missing = [
        name.replace('|', ' or ')
        for name in files
        if not any((folder / choice).is_file() for choice in name.split('|'))
    ]
    if missing:
        raise error(f'{folder} is not a complete model folder: {", ".join(missing)} is missing')
    return folder
