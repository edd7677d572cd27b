"""Random messages and requests of any ROS type, with extreme values in every field."""

import random
from importlib import import_module
from typing import Any

_NUMBERS = (0.0, -0.0, 1.0, -1.0, 0.05, 1e9, -1e9, 1e300, -1e300, float('nan'), float('inf'), float('-inf'))
_SMALL = (0.0, 1.0, -1.0, 1e30, -1e30, float('nan'), float('inf'), float('-inf'))
_TEXTS = (
    '',
    ' ',
    'tidy',
    'sorting',
    'pear',
    '<give(pear)>',
    '<give(pear)><point(apple)>',
    'said:1',
    'said:999999999999999999999999',
    'node:999999999999999999',
    'guest',
    'cli',
    'speech',
    'Anna',
    'c1',
    'intent',
    'outcome',
    'world',
    'rgb8',
    '32FC1',
    'good',
    'pin',
    '../../etc/passwd',
    '/dev/zero',
    'a\nb',
    '\x01\x07',
    '\u202e\u200b',
    '\ufffd',
    '\U0001f34e' * 50,
    'x' * 100_000,
    'in the last 99999999999 days',
    '31 February 99999',
    '{"a": [' * 500,
    "'; DROP TABLE line; --",
)
_MOST = 4


def type_named(name: str) -> Any:
    """The type of a message or service with a name such as `std_msgs/msg/String`."""
    package, folder, kind = name.split('/')
    return getattr(import_module(f'{package}.{folder}'), kind)


def drawn(kind: Any, chance: random.Random) -> Any:
    """A random message of a type."""
    msg = kind()
    for name, field in kind.get_fields_and_field_types().items():
        if chance.random() < 0.15:
            continue  # the field keeps its default
        setattr(msg, name, _value(field, chance))
    return msg


def _value(field: str, chance: random.Random) -> Any:
    if field.startswith('sequence<'):
        inner, _, bound = field[9:-1].partition(', ')
        return _many(inner, chance.choice((0, 1, 2, min(_MOST, int(bound)) if bound else _MOST)), chance)
    if field.endswith(']'):
        inner, _, count = field[:-1].partition('[')
        return _many(inner, int(count), chance)
    if field == 'boolean':
        return chance.random() < 0.5
    if field == 'octet':
        return bytes([chance.randrange(256)])
    if field.startswith(('int', 'uint')):
        bits = int(field.lstrip('uint'))
        low, high = (0, 2**bits - 1) if field.startswith('uint') else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        return chance.choice((low, high, 0, min(1, high), min(7, high), chance.randint(low, high)))
    if field in ('float', 'double'):
        return chance.choice(_SMALL if field == 'float' else _NUMBERS)
    if field.startswith(('string', 'wstring')):
        return chance.choice(_TEXTS)
    return drawn(type_named(field.replace('/', '/msg/', 1) if field.count('/') == 1 else field), chance)


def _many(inner: str, count: int, chance: random.Random) -> list[Any]:
    if inner in ('uint8', 'int8', 'int16', 'float', 'double') and count == _MOST and chance.random() < 0.3:
        return [_value(inner, chance)] * 20_000
    return [_value(inner, chance) for _ in range(count)]
