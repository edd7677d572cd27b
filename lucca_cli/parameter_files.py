"""Checks that a ROS parameter file of the user's names nodes and parameters that exist.

ROS ignores what it does not know: with a speed under a misspelt name, the arms would move at the default.
"""

from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path

from lucca_core.errors import ConfigError
from lucca_core.yaml_file import LocatedMapping, load_yaml

_PARAMETERS = 'ros__parameters'
_OF_ROS = frozenset({'use_sim_time', 'start_type_description_service', 'autostart', 'qos_overrides'})
_ANY = ('*', '**')
_LIKE = 0.85
"""How much like one of ours a name must look that may be somebody else's. At 0.6, `camera_name` was taken for ours."""


def check_names(file: Path, known: Mapping[str, Collection[str]]) -> None:
    """Checks the names in a parameter file.

    A section of a node that is not ours, or a parameter for all nodes that none of ours has, is somebody else's and
    may stand in the file, unless its name is nearly one of ours, or one of ours without its unit.

    Args:
        file: the parameter file.
        known: the names of the parameters of each of our nodes, by the node's name.

    Raises:
        ConfigError: a name is unknown, a value stands outside `ros__parameters`, or nothing stands inside; the message
            says what there is.
    """
    for node, section in _sections(load_yaml(file), '', file):
        if node in _ANY:
            _check_section(section, set().union(*known.values()), 'any node', file, shared=True)
        elif node in known:
            _check_section(section, set(known[node]), f'the node {node}', file, shared=False)
        elif near := get_close_matches(node.lower(), known, 1, _LIKE):
            raise ConfigError(
                f'there is no node {node!r}; did you mean {near[0]!r}?', file=str(file), line=section.line
            )


def _sections(mapping: LocatedMapping, node: str, file: Path) -> Iterator[tuple[str, LocatedMapping]]:
    """Each section of parameters with the name of its node. Names of nodes may have namespaces, or be below them."""
    for key, value in mapping.items():
        if not isinstance(value, LocatedMapping):
            where = f'{node}: ' if node else ''
            if value is None:
                reason = 'is empty; indent what belongs to it, or remove it'
            elif key == _PARAMETERS:
                reason = f'must hold parameters, one NAME: VALUE each, got {value!r}'
            else:
                reason = f'must be below a node and {_PARAMETERS}'
            raise ConfigError(f'{where}{key} {reason}', file=str(file), line=mapping.line_of(key))
        if key == _PARAMETERS:
            yield node, value
        else:
            yield from _sections(value, key.rstrip('/').rpartition('/')[2], file)


def _check_section(section: LocatedMapping, names: Collection[str], whose: str, file: Path, *, shared: bool) -> None:
    for name in section:
        if name in names or name.partition('.')[0] in _OF_ROS:
            continue
        near = _unit_left_out(name, names) or get_close_matches(name.lower(), names, 1, _LIKE if shared else 0.6)
        if not near and shared:
            continue
        hint = f'did you mean {near[0]!r}?' if near else f'it has {", ".join(sorted(names))}'
        if shared:
            hint += ' If it is for a node that is not of lucca, write it below that node'
        raise ConfigError(f'{whose} has no parameter {name!r}; {hint}', file=str(file), line=section.line_of(name))


def _unit_left_out(name: str, names: Collection[str]) -> list[str]:
    """Our names that are this one with a unit behind it, such as `tool_speed_mps` for `tool_speed`."""
    return sorted(item for item in names if item.rpartition('_')[0] == name.lower())
