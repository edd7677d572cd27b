"""Invalid values that attacks insert in place of valid ones."""

from typing import Any

SECRET = 'sk-hostile-Ab3dEf6hIj9lMn2pQr5t'  # noqa: S105 - not a real key
ODD_NUMBERS: tuple[Any, ...] = (
    -5,
    2**70,
    1.5,
    float('nan'),
    float('inf'),
    -(2**63),
    '7',
    '',
    True,
    None,
    [1],
    {'n': 1},
    0,
)
ODD_VALUES: tuple[Any, ...] = (
    *ODD_NUMBERS,
    'x',
    '\ud800',
    '\x00',
    SECRET,
    SECRET[:-1],
    'x' * 20_000,
    [],
    {},
    [[]],
    {'': None},
)
