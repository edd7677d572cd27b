"""Settings: a frozen dataclass is the only home of a default and its check; YAML and options override it."""

import dataclasses
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from lucca_core.errors import ConfigError
from lucca_core.yaml_file import LocatedMapping, load_yaml

T = TypeVar('T')


def setting(default: T, doc: str) -> T:
    """A dataclass field with a default and the one line that explains it in tables and parameter descriptors."""
    return dataclasses.field(default=default, metadata={'doc': doc})


def from_mapping(config_class: type[T], values: Mapping[str, Any], *, file: str = '') -> T:
    """An instance of a settings dataclass with `values` laid over its defaults; those of a YAML file know their lines.

    Raises:
        ConfigError: for a name that the dataclass does not have, a value of another type, or one that its check refuses.
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
            raise ConfigError(f'{name} must be {_type_name(hints[name])}, got {value!r}', file=file, line=line)
    converted = {name: _converted(value, hints[name]) for name, value in values.items()}
    try:
        return config_class(**converted)
    except ValueError as error:
        # A check names the setting that it refuses first.
        line = next((lines[word] for word in str(error).split() if word in lines), 0)
        raise ConfigError(str(error), file=file, line=line) from error


def from_ros_yaml(config_class: type[T], file: Path, node_name: str) -> T:
    """The settings of one node from a ROS parameter file, over the defaults; see `parameters_for`."""
    values = parameters_for(file, node_name)
    values.pop('use_sim_time', None)
    return from_mapping(config_class, values, file=str(file))


def parameters_for(file: Path, node_name: str) -> LocatedMapping:
    """The parameters of one node in a ROS parameter file.

    Keys that count, later ones over earlier ones: `/**` for all nodes, `/**/node` for the node in whatever namespace,
    `node` for the node in none.

    Raises:
        ConfigError: the file cannot be read, or is none.
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


def markdown_table(config_class: type) -> str:
    """The table of a settings dataclass as Markdown: name, type, default, meaning."""
    hints = typing.get_type_hints(config_class)
    rows = ['| parameter | type | default | meaning |', '| --- | --- | --- | --- |']
    for item in dataclasses.fields(config_class):
        default = repr(item.default).replace('|', '\\|')
        rows.append(
            f'| `{item.name}` | {_type_name(hints[item.name])} | `{default}` | {item.metadata.get("doc", "")} |'
        )
    return '\n'.join(rows)


def _type_name(hint: Any) -> str:
    if hint in (bool, int, float, str):
        return str(hint.__name__)
    return str(hint).replace('typing.', '')


def _fits(value: Any, hint: Any) -> bool:
    origin = typing.get_origin(hint)
    if origin is tuple:
        item_hint = typing.get_args(hint)[0]
        return isinstance(value, list | tuple) and all(_fits(item, item_hint) for item in value)
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, hint)


def _converted(value: Any, hint: Any) -> Any:
    if typing.get_origin(hint) is tuple:
        item_hint = typing.get_args(hint)[0]
        return tuple(_converted(item, item_hint) for item in value)
    return float(value) if hint is float else value
