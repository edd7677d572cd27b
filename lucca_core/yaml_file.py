"""YAML files, read with limits on size, depth and number of values; errors name the file, the line and the reason.

An alias counts as many values as it repeats, so that nested anchors cannot expand to millions of values.
"""

import re
from pathlib import Path
from typing import Any

import yaml
from yaml.composer import Composer
from yaml.constructor import SafeConstructor
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.resolver import Resolver
from yaml.scanner import Scanner

from lucca_core.errors import ConfigError
from lucca_core.regular_file import reading

LARGEST_BYTES = 1_000_000
"""Larger files are refused unread. Lucca's own files have at most 30 kB."""

MOST_VALUES = 100_000
"""Keys and values in one file, including those that aliases repeat."""

DEEPEST = 40
"""Levels of nested lists and mappings."""

LARGEST_INTEGER = 2**63
"""Larger numbers are mistakes; some could not even be printed or converted to float."""

KINDS: dict[type, str] = {
    dict: 'a mapping',
    list: 'a list',
    str: 'a text',
    bool: 'true or false',
    int: 'a whole number',
    float: 'a number',
}
"""What people call the types of values in YAML."""

_SURROGATE = re.compile('[\ud800-\udfff]')


_READ_DIFFERENTLY = re.compile(r'[\t\ufeff\ud800-\udfff]|^%|(?<!\w)!(?!\S)|[|>][-+\d]*#', re.MULTILINE)
"""Texts in which libyaml accepts what PyYAML's own parser refuses, or reads something else."""


class LocatedMapping(dict[str, Any]):
    """A mapping that knows the line on which it begins and the line of each key."""

    line: int = 0
    key_lines: dict[str, int]

    def line_of(self, key: str) -> int:
        """The line of `key`, or the line on which the mapping begins."""
        return self.key_lines.get(key, self.line)


class _Bounded(Composer, SafeConstructor, Resolver):
    """Composes and constructs values within the limits. A parser beside it supplies the events."""

    def __init__(self) -> None:
        Composer.__init__(self)
        SafeConstructor.__init__(self)
        Resolver.__init__(self)
        self._depth = 0
        self._values = 0
        self._values_in: dict[yaml.Node, int] = {}

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node:
        event: Any = self.peek_event()  # type: ignore[attr-defined]  # of the parser
        line = event.start_mark.line + 1
        before = self._values
        self._depth += 1
        if self._depth > DEEPEST:
            raise ConfigError(f'is nested more than {DEEPEST} levels deep', line=line)
        node: yaml.Node = super().compose_node(parent, index)  # type: ignore[assignment]
        self._depth -= 1
        if isinstance(event, yaml.AliasEvent):
            if node not in self._values_in:
                raise ConfigError(f'*{event.anchor} is inside the value that it repeats', line=line)
            self._values += self._values_in[node]
        else:
            self._values += 1
            if event.anchor is not None:
                self._values_in[node] = self._values - before
        if self._values > MOST_VALUES:
            raise ConfigError(f'holds more than {MOST_VALUES} values, counting those that aliases repeat', line=line)
        return node

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            value = super().construct_object(node, deep=deep)
        except (ValueError, AttributeError, LookupError, ArithmeticError, TypeError) as error:
            # For example the 31st of February, a number with 5000 digits, or `!!int ""`.
            raise ConfigError(f'is an invalid value: {error}', line=node.start_mark.line + 1) from error
        if isinstance(value, int) and not -LARGEST_INTEGER <= value <= LARGEST_INTEGER:
            reason = f'whole numbers must be from -2^63 to 2^63, got one of {value.bit_length()} bits'
            raise ConfigError(reason, line=node.start_mark.line + 1)
        if isinstance(value, str) and _SURROGATE.search(value):
            # Such text cannot be written to a file or a message, and no file can have such a name.
            raise ConfigError(
                f'{value!r} has half of a surrogate pair, which is no character', line=node.start_mark.line + 1
            )
        return value


def _construct_mapping(loader: _Bounded, node: yaml.MappingNode) -> LocatedMapping:
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


_Bounded.add_constructor(Resolver.DEFAULT_MAPPING_TAG, _construct_mapping)  # type: ignore[type-var]


class _Loader(Reader, Scanner, Parser, _Bounded):
    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)
        _Bounded.__init__(self)


_FastLoader: Any = _Loader
"""Like `_Loader`, but with libyaml, which needs a seventh of the time, where PyYAML was built with it."""

if yaml.__with_libyaml__:
    from yaml.cyaml import CParser  # type: ignore[attr-defined]

    class _LibyamlLoader(_Bounded, CParser):
        def __init__(self, text: str) -> None:
            CParser.__init__(self, text)
            _Bounded.__init__(self)

    _FastLoader = _LibyamlLoader


def load_yaml(file: Path) -> LocatedMapping:
    """The mapping in a YAML file, with the lines of all its keys.

    Raises:
        ConfigError: the file is missing, too large, not UTF-8 or YAML, or holds something other than a mapping.
    """
    try:
        with reading(file) as stream:
            data = stream.read(LARGEST_BYTES + 1)
        if len(data) > LARGEST_BYTES:
            raise ConfigError(f'is larger than {LARGEST_BYTES} bytes', file=str(file))
        text = data.decode('utf-8')
    except (OSError, ValueError) as error:
        raise ConfigError(f'cannot be read: {error}', file=str(file)) from error
    return parse_yaml(text, str(file))


def _document(text: str) -> Any:
    if _READ_DIFFERENTLY.search(text):
        return _read(_Loader(text))
    try:
        return _read(_FastLoader(text))
    except (ConfigError, yaml.YAMLError):
        # libyaml words its reasons differently, and less exactly.
        return _read(_Loader(text))


def _read(loader: Any) -> Any:
    try:
        return loader.get_single_data()
    finally:
        loader.dispose()


def parse_yaml(text: str, file: str) -> LocatedMapping:
    """Like `load_yaml`, but from a text; `file` names its source in errors."""
    try:
        document = _document(text)
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
        held = KINDS.get(type(document), type(document).__name__)
        raise ConfigError(f'must hold a mapping, holds {held}', file=file, line=1)
    return document
