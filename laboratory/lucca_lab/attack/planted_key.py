"""A fake key in the environment: if a piece of it appears anywhere, a key has leaked."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lucca_lab.attack.odd_values import SECRET
from lucca_llm.servers.secret import SHORTEST_PIECE

_VARIABLES = ('OPENAI_API_KEY', 'OLLAMA_API_KEY')
_PIECES = frozenset(SECRET[start : start + SHORTEST_PIECE] for start in range(len(SECRET) - SHORTEST_PIECE + 1))


@contextmanager
def planted_key() -> Iterator[None]:
    """Puts the key into every variable from which a client reads one. Child processes inherit it."""
    before = {name: os.environ.get(name) for name in _VARIABLES}
    os.environ.update(dict.fromkeys(_VARIABLES, SECRET))
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


def shows_key(text: str) -> bool:
    """Whether a text contains a piece of the key that is long enough to matter."""
    return any(piece in text for piece in _PIECES)


def files_with_key(folder: Path) -> list[Path]:
    """All files below a folder that contain a piece of the key, including databases and logs."""
    return [
        file
        for file in sorted(folder.rglob('*'))
        if file.is_file() and not file.is_symlink() and shows_key(file.read_bytes().decode('latin-1'))
    ]
