"""YAML files whose mistakes are reported with file, line and reason."""

from pathlib import Path
from typing import Any

import yaml

from lucca_core.errors import ConfigError
from lucca_core.regular_file import read_regular


class LocatedMapping(dict[str, Any]):
    """A mapping that remembers the line it began on and the line of each key."""

    line: int = 0
    key_lines: dict[str, int]

    def line_of(self, key: str) -> int:
        """Line of `key`, or the line where the mapping begins."""
        return self.key_lines.get(key, self.line)


class _Loader(yaml.SafeLoader):
    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep=deep)
        except (ValueError, AttributeError) as error:  # as for the 31st of February, or a number of 5000 digits
            raise ConfigError(f'is no value of its kind: {error}', line=node.start_mark.line + 1) from error


def _construct_mapping(loader: _Loader, node: yaml.MappingNode) -> LocatedMapping:
    loader.flatten_mapping(node)
    result = LocatedMapping()
    result.line = node.start_mark.line + 1
    result.key_lines = {}
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node, deep=True)
        line = key_node.start_mark.line + 1
        if not isinstance(key, str):
            raise ConfigError(f'keys must be text, got {key!r}', line=line)
        if key in result:
            raise ConfigError(f'{key!r} is given twice', line=line)
        result[key] = loader.construct_object(value_node, deep=True)
        result.key_lines[key] = line
    return result


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _construct_mapping)


def load_yaml(file: Path) -> LocatedMapping:
    """The mapping in a YAML file; every mapping inside knows its lines.

    Raises:
        ConfigError: the file is missing, is not UTF-8 or YAML, or holds something other than a mapping.
    """
    try:
        text = read_regular(file).decode('utf-8')
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f'cannot be read: {error}', file=str(file)) from error
    return parse_yaml(text, str(file))


def parse_yaml(text: str, file: str) -> LocatedMapping:
    """As `load_yaml`, from text; `file` names it in errors."""
    try:
        document = yaml.load(text, Loader=_Loader)  # noqa: S506 - _Loader is a SafeLoader
    except ConfigError as error:
        raise ConfigError(error.reason, file=file, line=error.line) from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        raise ConfigError(f'is not YAML: {error.problem}', file=file, line=line) from error
    except (yaml.YAMLError, RecursionError) as error:
        raise ConfigError(f'is not YAML: {error}', file=file) from error
    if document is None:
        document = LocatedMapping()
        document.key_lines = {}
    if not isinstance(document, LocatedMapping):
        raise ConfigError(f'must hold a mapping, holds a {type(document).__name__}', file=file, line=1)
    return document
