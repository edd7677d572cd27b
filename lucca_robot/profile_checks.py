"""Checks of a profile's file as a whole: no key that nothing reads, and no joint or controller that is used twice."""

from collections.abc import Iterator
from typing import Any

from lucca_core.errors import ConfigError
from lucca_core.yaml_file import LocatedMapping
from lucca_robot.arm_profile import USUAL_ACCELERATION

_PLACE = frozenset({'link', 'xyz', 'rpy'})
_PART = frozenset({'urdf', 'arguments', 'root', 'without'})
_MOVED = frozenset({'controller', 'joints'})
_KEYS = _PART | {'name', 'parts', 'frames', 'table_top_m', 'camera_link', 'head', 'arms'}
_KEYS_OF_PART = _PART | {'prefix', 'parent', 'xyz', 'rpy'}
_KEYS_OF_HEAD = _MOVED | {'home'}
_KEYS_OF_ARM = _MOVED | {'home', 'seeds', 'tool', 'hand', 'interface', 'accelerations'}
_LARGEST = 1e300
_LEAST_ACCELERATION, _MOST_ACCELERATION = 1.0, 1000.0
_KEYS_OF_HAND = _MOVED | {
    'open',
    'closed',
    'point',
    'closed_above',
    'tilts_rad',
    'pointer',
    'interface',
    'max_effort',
}


def is_number(value: Any) -> bool:
    """Whether a YAML value is a finite number; integers may have any length."""
    return isinstance(value, int | float) and not isinstance(value, bool) and -_LARGEST < value < _LARGEST


def accelerations_of(arm: LocatedMapping, count: int, file: str) -> tuple[float, ...]:
    """The greatest accelerations of an arm's joints, in rad/s².

    Raises:
        ConfigError: there is not one for each joint, or one is too small or too large.
    """
    values = arm.get('accelerations', [USUAL_ACCELERATION] * count)
    allowed = isinstance(values, list) and all(
        is_number(value) and _LEAST_ACCELERATION <= value <= _MOST_ACCELERATION for value in values
    )
    if allowed and len(values) == count:
        return tuple(map(float, values))
    reason = (
        f'accelerations must be {count} numbers from {_LEAST_ACCELERATION:g} to {_MOST_ACCELERATION:g} rad/s², one for '
        f'each joint, got {values!r}'
    )
    raise ConfigError(reason, file=file, line=arm.line_of('accelerations'))


def check_keys(document: LocatedMapping, file: str) -> None:
    """Checks that a profile has no unknown key. A misspelt key would leave its setting at the default.

    Raises:
        ConfigError: a key is unknown; the message has those that are known.
    """
    for section, known, where in _sections(document):
        for key in section:
            if key not in known:
                reason = f'{where} has no {key!r}; it has {", ".join(sorted(known))}'
                raise ConfigError(reason, file=file, line=section.line_of(key))


def check_controllers(document: LocatedMapping, file: str) -> None:
    """Checks that each controller moves one arm, hand or head, and each joint belongs to one controller.

    Raises:
        ConfigError: a controller or joint is used twice, so that one part would move another.
    """
    controllers: dict[str, str] = {}
    joints: dict[str, str] = {}
    for section, where in _moved(document):
        if not section['joints']:
            continue
        for used, key, names in (
            (controllers, 'controller', [section['controller']]),
            (joints, 'joints', section['joints']),
        ):
            for name in names:
                if name in used:
                    reason = f'{name!r} of {where} is a {key.rstrip("s")} of {used[name]} already'
                    raise ConfigError(reason, file=file, line=section.line_of(key))
                used[name] = where


def _moved(document: LocatedMapping) -> Iterator[tuple[LocatedMapping, str]]:
    for name, arm in document['arms'].items():
        yield arm, f'the {name} arm'
        yield arm['hand'], f'the {name} hand'
    yield document['head'], 'the head'


def _sections(document: LocatedMapping) -> Iterator[tuple[LocatedMapping, frozenset[str], str]]:
    """The mappings of a profile with their keys. Values of any other shape are checked where they are read."""
    yield document, _KEYS, 'a profile'
    for part in _list(document, 'parts'):
        yield part, _KEYS_OF_PART, 'a part'
    for frame in _mappings(document, 'frames'):
        yield frame, _PLACE, 'a frame'
    yield from _one(document, 'head', _KEYS_OF_HEAD, 'the head')
    for arm in _mappings(document, 'arms'):
        yield arm, _KEYS_OF_ARM, 'an arm'
        yield from _one(arm, 'tool', _PLACE, 'a tool')
        yield from _one(arm, 'hand', _KEYS_OF_HAND, 'a hand')
        for hand, _, _ in _one(arm, 'hand', _KEYS_OF_HAND, 'a hand'):
            yield from _one(hand, 'pointer', _PLACE, 'a pointer')


def _one(
    mapping: LocatedMapping, key: str, known: frozenset[str], where: str
) -> Iterator[tuple[LocatedMapping, frozenset[str], str]]:
    section = mapping.get(key)
    if isinstance(section, LocatedMapping):
        yield section, known, where


def _mappings(mapping: LocatedMapping, key: str) -> list[LocatedMapping]:
    section = mapping.get(key)
    values = section.values() if isinstance(section, LocatedMapping) else ()
    return [item for item in values if isinstance(item, LocatedMapping)]


def _list(mapping: LocatedMapping, key: str) -> list[LocatedMapping]:
    section = mapping.get(key)
    return [item for item in section if isinstance(item, LocatedMapping)] if isinstance(section, list) else []
