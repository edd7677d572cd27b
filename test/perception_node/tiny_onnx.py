"""Tiny ONNX models that give the same answer for every picture, written by hand: no package is needed to write one."""

import struct
from pathlib import Path

import numpy as np

FLOAT, INT64 = 1, 7


def _number(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes((*out, value))


def _field(number: int, value: int | bytes | str) -> bytes:
    """One field of a message: a number, or bytes with their length."""
    if isinstance(value, int):
        return _number(number << 3) + _number(value)
    data = value.encode() if isinstance(value, str) else value
    return _number(number << 3 | 2) + _number(len(data)) + data


def _value(name: str, shape, kind: int = FLOAT) -> bytes:
    dims = b''.join(_field(1, _field(1, item) if isinstance(item, int) else _field(2, item)) for item in shape)
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, dims)))


def _tensor(name: str, array: np.ndarray) -> bytes:
    dims = b''.join(_field(1, item) for item in array.shape)
    kind, form = (INT64, 'q') if array.dtype.kind == 'i' else (FLOAT, 'f')
    data = struct.pack(f'<{array.size}{form}', *array.ravel().tolist())
    return dims + _field(2, kind) + _field(8, name) + _field(9, data)


def save_onnx(
    file: Path, answers: dict[str, np.ndarray], *, names: str = '', size=(64, 64), batch=1, sized: bool = False
):
    """A model with an input `images` of a size, with `orig_target_sizes` if `sized`, that always gives the answers.

    `names` becomes its metadata, as exports of YOLO write it.
    """
    graph = b''
    for name, array in answers.items():
        graph += _field(1, _field(1, f'{name} value') + _field(2, name) + _field(4, 'Identity'))
        graph += _field(5, _tensor(f'{name} value', array))
        graph += _field(12, _value(name, array.shape, INT64 if array.dtype.kind == 'i' else FLOAT))
    graph += _field(2, 'always the same') + _field(11, _value('images', (batch, 3, *size)))
    graph += _field(11, _value('orig_target_sizes', (1, 2), INT64)) if sized else b''
    about = _field(14, _field(1, 'names') + _field(2, names)) if names else b''
    file.write_bytes(_field(1, 8) + _field(7, graph) + _field(8, _field(1, '') + _field(2, 17)) + about)
    return file
