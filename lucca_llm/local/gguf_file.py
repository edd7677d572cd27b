"""A check of the beginning of a GGUF file, so that other files are refused before llama.cpp reads them."""

import struct
from pathlib import Path

from lucca_core.errors import ConfigError

_HEADER = struct.Struct('<4sIQQ')
_VERSIONS = (2, 3)


def check_gguf(file: Path) -> None:
    """Checks that a file begins like a model in GGUF. Whether its tensors are complete shows when llama.cpp loads it.

    Raises:
        ConfigError: it is missing, cannot be read, or is not a GGUF file of a known version.
    """
    try:
        with file.open('rb') as stream:
            head = stream.read(_HEADER.size)
    except OSError as error:
        raise ConfigError(f'cannot be read as a model: {error.strerror or error}', file=str(file)) from error
    if len(head) < _HEADER.size or not head.startswith(b'GGUF'):
        raise ConfigError(f'is no model in GGUF: it begins with {head[:4]!r}, not with {b"GGUF"!r}', file=str(file))
    _, version, tensors, _ = _HEADER.unpack(head)
    if version not in _VERSIONS:
        raise ConfigError(f'is GGUF of version {version}; versions {_VERSIONS} are known', file=str(file))
    if not tensors:
        raise ConfigError('is a GGUF without tensors, such as a vocabulary; a model has some', file=str(file))
