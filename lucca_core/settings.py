"""Settings as frozen dataclasses: their defaults, bounds and checks, and how they are read from YAML."""

import dataclasses
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from lucca_core.errors import ConfigError
from lucca_core.yaml_file import LocatedMapping, load_yaml

T = TypeVar('T')


_UNITS: Mapping[str, tuple[float, float]] = {
    's': (0.0, 86_400.0),
    'h': (0.0, 100_000.0),
    'd': (0.0, 100_000.0),
    'm': (0.0, 10.0),
    'mps': (0.0, 2.0),
    'rad': (0.0, 6.3),
    'radps': (0.0, 10.0),
    'hz': (0.0, 1_000.0),
    'px': (0.0, 100_000.0),
    'tokens': (0.0, 100_000_000.0),
    'chars': (0.0, 10_000_000.0),
    'bytes': (0.0, 1e12),
}
_COUNTS = (0.0, 1_000_000.0)
_REALS = (0.0, 1_000.0)
_BOUNDS = 'bounds'


@dataclasses.dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds of a number: from `least` to `most`, both included; with `open`, `least` is excluded."""

    least: float
    most: float
    open: bool = False

    def hold(self, value: float) -> bool:
        """Whether a value is within the bounds; NaN never is."""
        return (self.least < value if self.open else self.least <= value) and value <= self.most

    def __str__(self) -> str:
        least, most = _plain(self.least), _plain(self.most)
        return f'above {least} and at most {most}' if self.open else f'from {least} to {most}'


def setting(
    default: T,
    doc: str,
    *,
    least: float | None = None,
    above: float | None = None,
    most: float | None = None,
    live: bool = False,
) -> T:
    """A dataclass field with a default and a line of documentation for tables and parameter descriptors.

    Every number has an upper and a lower bound. A bound that is not given comes from the unit at the end of the
    setting's name.

    Args:
        default: the default value, which also determines the type.
        doc: the documentation.
        least: smallest allowed value.
        above: exclusive lower bound, instead of `least`.
        most: largest allowed value.
        live: may be changed while a node runs, with immediate effect.
    """
    return dataclasses.field(default=default, metadata={'doc': doc, 'live': live, _BOUNDS: (least, above, most)})


def is_live(item: 'dataclasses.Field[Any]') -> bool:
    """Whether a setting may be changed while a node runs."""
    return bool(item.metadata.get('live'))


def bounds_of(item: 'dataclasses.Field[Any]') -> Bounds | None:
    """The bounds of a setting; None if it is not a number."""
    sample = item.default[0] if isinstance(item.default, tuple) and item.default else item.default
    if isinstance(sample, bool) or not isinstance(sample, int | float):
        return None
    unit = item.name.rsplit('_', 1)[-1] if '_' in item.name else ''
    usual_least, usual_most = _UNITS.get(unit, _COUNTS if isinstance(sample, int) else _REALS)
    least, above, most = item.metadata.get(_BOUNDS, (None, None, None))
    lowest = next(value for value in (above, least, usual_least) if value is not None)
    return Bounds(lowest, usual_most if most is None else most, open=above is not None)


def check_bounds(config: object) -> None:
    """Checks the bounds of all numbers in a settings dataclass. Every `__post_init__` calls this first.

    Raises:
        ValueError: a number is out of bounds; the message names the setting, its value and its bounds.
    """
    for item in dataclasses.fields(config):  # type: ignore[arg-type]
        bounds = bounds_of(item)
        if bounds is None:
            continue
        value = getattr(config, item.name)
        for number in value if isinstance(value, tuple) else (value,):
            if not bounds.hold(number):
                raise ValueError(f'{item.name} must be {bounds}, got {value!r}')


def _plain(number: float) -> str:
    return str(int(number)) if number == int(number) and abs(number) < 1e13 else repr(number)


def from_mapping(config_class: type[T], values: Mapping[str, Any], *, file: str = '') -> T:
    """An instance of a settings dataclass, with `values` in place of its defaults.

    Errors name the line if the values come from a YAML file.

    Raises:
        ConfigError: a name is unknown, a value has the wrong type, or a check refuses it.
    """
    fields = {item.name: item for item in dataclasses.fields(config_class)}  # type: ignore[arg-type]
    hints = typing.get_type_hints(config_class)
    lines = values.key_lines if isinstance(values, LocatedMapping) else {}
    for name, value in values.items():
        line = lines.get(name, 0)
        if name not in fields:
            known = ', '.join(sorted(fields))
            raise ConfigError(f'{config_class.__name__} has no setting {name!r}; it has {known}', file=file, line=line)
        if not _fits(value, hints[name]):
            raise ConfigError(f'{name} must be {type_name(hints[name])}, got {value!r}', file=file, line=line)
    converted = {name: _converted(value, hints[name]) for name, value in values.items()}
    try:
        return config_class(**converted)
    except ValueError as error:
        # Messages of checks contain the setting's name, by which the line is found.
        line = next((lines[word] for word in str(error).split() if word in lines), 0)
        raise ConfigError(str(error), file=file, line=line) from error


def parameters_for(file: Path, node_name: str) -> LocatedMapping:
    """The parameters of one node in a ROS parameter file.

    Later keys override earlier ones: `/**` for all nodes, `/**/node` for the node in any namespace, `node` for the node
    in the root namespace.

    Raises:
        ConfigError: the file cannot be read or is not a parameter file.
    """
    document = load_yaml(file)
    values = LocatedMapping()
    values.key_lines = {}
    for key in ('/**', f'/**/{node_name}', node_name):
        section = _section(document, key, file)
        parameters = None if section is None else _section(section, 'ros__parameters', file)
        if parameters is not None:
            values.update(parameters)
            values.key_lines.update(parameters.key_lines)
    return values


def _section(mapping: LocatedMapping, key: str, file: Path) -> LocatedMapping | None:
    section = mapping.get(key)
    if section is not None and not isinstance(section, LocatedMapping):
        raise ConfigError(f'{key} must be a mapping, got {section!r}', file=str(file), line=mapping.line_of(key))
    return section


def type_name(hint: Any) -> str:
    """The name of a type, as people write it."""
    if hint in (bool, int, float, str):
        return str(hint.__name__)
    return str(hint).replace('typing.', '')


def _fits(value: Any, hint: Any) -> bool:
    origin = typing.get_origin(hint)
    if origin is tuple:
        item_hint = typing.get_args(hint)[0]
        return isinstance(value, list | tuple) and all(_fits(item, item_hint) for item in value)
    if hint is float:
        # A whole number with hundreds of digits does not fit into a float.
        return isinstance(value, float) or (
            isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**1023
        )
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, hint)


def _converted(value: Any, hint: Any) -> Any:
    if typing.get_origin(hint) is tuple:
        item_hint = typing.get_args(hint)[0]
        return tuple(_converted(item, item_hint) for item in value)
    return float(value) if hint is float else value
