"""RoboLab's tasks as requests at a table: each in three wordings, the usual one, a vague and a specific one.

What a task wants is read from the conditions in its Python file, which is parsed and never run. Tasks that want more
than things in or on something, such as stacks or sides, are kept as requests for which nothing may move.
"""

import ast
import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lucca_lab.understanding.drawn_request import USER, Deed, DrawnRequest

FILE = 'task_metadata.json'
_SCENES = Path('assets', 'scenes', '_metadata', 'scene_metadata.json')
_PUTS = ('object_in_container', 'object_inside', 'object_on_top')
_IN_ORDER = 'objects_placed_in_container_in_order'
_TAKES = 'object_picked_up'
_FIXED = re.compile(r'table|plane|looks|physics|light|camera|ground', re.IGNORECASE)
_CONTAINER = re.compile(r'(?:bin|bowl|box|basket|crate|tray|plate|rack|shelf|container|pan|pot|drawer|bucket)$')
_NUMBER = re.compile(r'_[a-z]?\d+\b|\d+$|_?(?:large|small|big)$')


def robolab_requests(file: Path, variant: str) -> Iterator[DrawnRequest]:
    """The tasks in one wording, in the order of the file, so that a task has the same place in all wordings.

    Args:
        file: `robolab/tasks/_metadata/task_metadata.json` of a copy of RoboLab.
        variant: `default`, `vague` or `specific`.
    """
    scenes = json.loads((file.parents[3] / _SCENES).read_text(encoding='utf-8'))
    for task in json.loads(file.read_text(encoding='utf-8')):
        code = (file.parents[1] / str(task['filename'])).read_text(encoding='utf-8')
        conditions = list(_conditions(code, str(task['terminations'])))
        targets = {str(kept[key]) for _, kept in conditions for key in ('container', 'reference_object') if key in kept}
        moved = {name for _, kept in conditions for name in _objects(kept)}
        movable = [
            str(item['name'])
            for item in scenes[str(task['scene'])]
            if item['rigid_body'] is True and not item['static_body'] and not _FIXED.search(str(item['name']))
        ]
        places = [name for name in movable if name in targets or (_is_container(name) and name not in moved)]
        things = [name for name in movable if name not in places]
        names = {**_named(things), **_named([*places, *sorted(targets - {*movable})])}
        wanted, order = _wanted(conditions, names)
        yield DrawnRequest(
            text=str(task['instruction_variants'][variant]),
            kind='outside' if not wanted else 'take' if USER in str(wanted) else 'put',
            mood='imperative',
            objects=tuple(_label(name) for name in things),
            wanted=wanted,
            order=order,
            places=tuple(names[name] for name in places) or ('bin',),
        )


def _conditions(code: str, name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The functions and parameters of what ends a task with success."""
    classes = (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.ClassDef) and node.name == name)
    for call in (node for found in classes for node in ast.walk(found) if isinstance(node, ast.Call)):
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        if isinstance(call.func, ast.Name) and call.func.id == 'DoneTerm' and 'params' in given:
            try:
                yield ast.unparse(given['func']), ast.literal_eval(given['params'])
            except ValueError:
                yield 'computed', {}


def _objects(kept: Mapping[str, Any]) -> list[str]:
    found = kept.get('object', kept.get('objects', []))
    return [found] if isinstance(found, str) else list(found)


def _wanted(
    conditions: Sequence[tuple[str, Mapping[str, Any]]], names: Mapping[str, str]
) -> tuple[tuple[frozenset[Deed], ...], tuple[Deed, ...]]:
    """The sets of deeds that meet all conditions, and the order; none if a condition wants more than these actions."""
    choices: list[list[frozenset[Deed]]] = []
    order: list[Deed] = []
    for function, kept in conditions:
        objects = [names.get(name, '') for name in _objects(kept)]
        place = USER if function == _TAKES else names.get(str(kept.get('container', kept.get('reference_object'))), '')
        if function not in (*_PUTS, _TAKES, _IN_ORDER) or not place or not all(objects):
            return (), ()
        order += [(place, name) for name in objects] if function == _IN_ORDER else []
        logical = kept.get('logical', 'all')
        count = 1 if logical == 'any' else int(kept.get('K', 1)) if logical == 'choose' else len(objects)
        chosen = itertools.combinations(objects, count)
        choices.append([frozenset((place, name) for name in names) for names in chosen])
    wanted = [frozenset(itertools.chain(*chosen)) for chosen in itertools.product(*choices)] if choices else []
    return tuple(wanted), tuple(order)


def _is_container(name: str) -> bool:
    return _CONTAINER.search(_label(name)) is not None


def _label(name: str) -> str:
    """`lizard_figurine_01` or `pumpkinlarge` as the words for one thing, without number and size."""
    while (shorter := _NUMBER.sub('', name)) != name:
        name = shorter
    return re.sub(r'(?<=[^s])s$', '', name.replace('_', ' ').lower())


def _named(names: Sequence[str]) -> dict[str, str]:
    """The names that a table gives: the second `bowl` is `bowl 2`."""
    seen: dict[str, int] = {}
    found = {}
    for name in names:
        label = _label(name)
        seen[label] = seen.get(label, 0) + 1
        found[name] = label if seen[label] == 1 else f'{label} {seen[label]}'
    return found
