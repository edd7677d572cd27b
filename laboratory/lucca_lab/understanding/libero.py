"""LIBERO's instructions: goals are predicates on objects and regions, in scenes with coordinates.

Scenes are seen from opposite the robot, by a camera at a large x that looks along -x, so that is where the user sits.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from lucca_lab.understanding.drawn_request import DrawnRequest

_MORE = re.compile(r'\b(?:open|close|turn|push|stack)\b', re.IGNORECASE)
_WHERE = re.compile(
    r'\b(?:left|right|middle|center|front|back|next to|between|under)\b|^pick .* (?:on|in) .* and place\b'
)
"""Words that tell a thing or a place by where it stands."""
_REGION = re.compile(r'\((\w+)\s*\(:target (\w+)\)\s*\)')
_SPOT = re.compile(r'\((?P<region>\w+)\s*\(:target (?P<target>\w+)\)\s*\(:ranges \(\s*\((?P<range>[^()]+)\)\s*\)\s*\)')
"""A region with its range `x y x y` (m)."""
_STANDS = re.compile(r'\((?:On|In) (\w+) (\w+)\)')
_APART_M = 0.001
"""Puts the parts of a piece of furniture at places of their own."""
_REGIONS = {
    'top_region': 'top drawer of the {}',
    'middle_region': 'middle drawer of the {}',
    'bottom_region': 'bottom drawer of the {}',
    'top_side': 'top of the {}',
    'front_contain_region': 'front compartment of the {}',
    'back_contain_region': 'back compartment of the {}',
    'left_contain_region': 'left compartment of the {}',
    'right_contain_region': 'right compartment of the {}',
    'contain_region': '{}',
    'heating_region': '{}',
    'cook_region': '{}',
}


def libero_requests(file: Path) -> Iterator[DrawnRequest]:
    """The request of a `.bddl` file.

    Several things of a kind of which one is a place, such as two plates, are all places. What lies in or on furniture
    is not on the table, so no action of ours can take it.

    Raises:
        ValueError, KeyError: the file is not in the format.
    """
    text = file.read_text(encoding='utf-8')
    said = _section(text, 'language').strip()
    objects = {name: kind for kind, names in _typed(_section(text, 'objects')) for name in names}
    goals = re.findall(r'\(([A-Za-z]+) ([^()]+)\)', _section(text, 'goal').replace('(And', ''))
    aims = [name for predicate, rest in goals for name in rest.split()[1:]]
    place_kinds = {kind for name, kind in objects.items() if any(aim.startswith(name) for aim in aims)}
    holders = [name for name, kind in objects.items() if kind in place_kinds]
    targets = {name: _place(name) for name in (*aims, *holders)}
    for holder in holders if len(holders) > len(place_kinds) else ():
        number = holder.rpartition('_')[2]
        targets |= {name: f'{place} {number}' for name, place in targets.items() if name.startswith(holder)}
    movable = [name for name in objects if name not in holders]
    names = names_on_table([objects[name].replace('_', ' ') for name in movable])
    called = dict(zip(movable, names, strict=True))
    regions = {f'{fixture}_{region}': _place(f'{fixture}_{region}') for region, fixture in _REGION.findall(text)}
    places = list(dict.fromkeys(filter(None, (*targets.values(), *regions.values()))))
    stands = dict(_STANDS.findall(_section(text, 'init')))
    held = {called[name]: regions[at] for name, at in stands.items() if name in called and regions.get(at)}
    only_put = not _MORE.search(said) and all(
        predicate in ('On', 'In') and called.get(rest.split()[0]) and targets[rest.split()[1]]
        for predicate, rest in goals
    )
    wanted = frozenset((targets[rest.split()[1]], called[rest.split()[0]]) for _, rest in goals) if only_put else None
    if wanted is not None and any(name in held for _, name in wanted):
        wanted = None
    told_apart = _WHERE.search(re.sub('|'.join(map(re.escape, (*names, *places))), '', said)) is not None
    yield DrawnRequest(
        text=said[0].upper() + said[1:] + '.',
        kind=('put, told by where it is' if told_apart else 'put') if wanted is not None else 'outside',
        mood='imperative',
        objects=tuple(objects[name].replace('_', ' ') for name in movable),
        wanted=() if wanted is None else (wanted,),
        places=tuple(places),
        at_m=_layout(text, stands, called, {**targets, **regions}),
        held=held,
    )


def _layout(
    text: str, stands: Mapping[str, str], called: Mapping[str, str], places: Mapping[str, str]
) -> dict[str, tuple[float, float]]:
    """Where the objects and places are in the world (m), by spoken name; empty unless all are known."""
    spots: dict[str, tuple[float, float]] = {}
    for match in _SPOT.finditer(text):
        x1, y1, x2, y2 = map(float, match['range'].split())
        spots[f'{match["target"]}_{match["region"]}'] = (x1 + x2) / 2, (y1 + y2) / 2

    def spot_of(name: str) -> tuple[float, float] | None:
        """The spot of a thing, or of what it stands on; of a region, that of its furniture."""
        for _ in range(len(stands) + 1):
            if name in spots:
                return spots[name]
            thing = next((item for item in stands if name == item or name.startswith(f'{item}_')), None)
            if thing is None:
                return None
            name = stands[thing]
        return None

    found: dict[str, tuple[float, float]] = {}
    for number, (name, spoken) in enumerate((*called.items(), *places.items())):
        if not spoken or spoken in found:
            continue
        spot = spot_of(name)
        if spot is None:
            return {}
        found[spoken] = spot[0] + _APART_M * number, spot[1]
    return found


def _section(text: str, name: str) -> str:
    """The body of `(:name …)`."""
    start = text.index(f'(:{name}') + len(name) + 2
    depth = 1
    for at in range(start, len(text)):
        depth += {'(': 1, ')': -1}.get(text[at], 0)
        if depth == 0:
            return text[start:at]
    raise ValueError(f'(:{name} is never closed')


def _typed(body: str) -> list[tuple[str, list[str]]]:
    lines = (line.partition(' - ') for line in body.splitlines() if ' - ' in line)
    return [(kind.strip(), names.split()) for names, _, kind in lines]


def _place(name: str) -> str:
    """The spoken name of a place; empty for a spot on the table."""
    if 'table' in name or name.startswith(('floor', 'desk_region')):
        return ''
    if number := re.search(r'_\d+(?=_|$)', name):
        kind, region = name[: number.start()].replace('_', ' '), name[number.end() :].strip('_')
        shape = _REGIONS.get(region, '{}') if region else '{}'
        # Only cabinets have drawers.
        return shape.format(kind) if 'cabinet' in kind or region.endswith(('side', 'contain_region')) else kind
    return ''


def names_on_table(labels: Sequence[str]) -> list[str]:
    """The names that a table gives to objects with these labels: the second `pear` is `pear 2`."""
    seen: dict[str, int] = {}
    names = []
    for label in labels:
        seen[label] = seen.get(label, 0) + 1
        names.append(label if seen[label] == 1 else f'{label} {seen[label]}')
    return names
