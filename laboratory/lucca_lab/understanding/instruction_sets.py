"""Public sets of instructions as requests at a table: LIBERO, HuRIC, ALFRED and RoboLab, each read from its own files.

None of them is part of this repository; their licences permit reading them (LIBERO and ALFRED: MIT, the others: Apache
2.0).
Objects and places are those of a set, with their own names. Instructions that need more than picking and placing,
handing over or pointing are kept as requests for which nothing may move.
"""

import json
import random
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path

from lucca_core.errors import ConfigError
from lucca_lab.understanding.drawn_request import USER, DrawnRequest
from lucca_lab.understanding.robolab_instructions import FILE, robolab_requests

_FEW = 4
_WORDS = re.compile(r'[A-Z]?[a-z]+|[A-Z]+(?![a-z])')


class InstructionSet(StrEnum):
    """A public set of instructions."""

    LIBERO = 'libero'
    HURIC = 'huric'
    ALFRED = 'alfred'
    ROBOLAB = 'robolab'
    ROBOLAB_VAGUE = 'robolab-vague'
    ROBOLAB_SPECIFIC = 'robolab-specific'


class Half(StrEnum):
    """A half of a set: the half that wordings may be taught from, or the one that figures are reported on."""

    LOOKED_AT = 'looked-at'
    REPORTED = 'reported'


def half_of(requests: Sequence[DrawnRequest], part: Half, seed: int) -> list[DrawnRequest]:
    """Every second request in an order drawn by a seed: the first, third, … are looked at, the others reported."""
    drawn = list(requests)
    random.Random(seed).shuffle(drawn)
    return drawn[0 if part is Half.LOOKED_AT else 1 :: 2]


def load_instructions(name: InstructionSet, folder: Path) -> list[DrawnRequest]:
    """The instructions of a set, in the order of its files, without duplicates but for those of RoboLab.

    Args:
        name: the set.
        folder: searched, with its subfolders, for `*.bddl` (LIBERO), `*.hrc` (HuRIC), `traj_data.json` (ALFRED) or
            `task_metadata.json` (RoboLab).

    Raises:
        ConfigError: the folder has no such file, or one cannot be read.
    """
    readers: dict[InstructionSet, tuple[str, Callable[[Path], Iterator[DrawnRequest]]]] = {
        InstructionSet.LIBERO: ('*.bddl', _libero),
        InstructionSet.HURIC: ('*.hrc', _huric),
        InstructionSet.ALFRED: ('traj_data.json', _alfred),
        InstructionSet.ROBOLAB: (FILE, partial(robolab_requests, variant='default')),
        InstructionSet.ROBOLAB_VAGUE: (FILE, partial(robolab_requests, variant='vague')),
        InstructionSet.ROBOLAB_SPECIFIC: (FILE, partial(robolab_requests, variant='specific')),
    }
    pattern, read = readers[name]
    files = sorted(folder.rglob(pattern))
    if not files:
        raise ConfigError(f'there is no {pattern} in it', file=str(folder))
    found: dict[str, DrawnRequest] = {}
    for file in files:
        try:
            for request in read(file):
                # RoboLab has the same words for different scenes, and each task has the same place in all wordings.
                found.setdefault(f'{len(found)}' if pattern == FILE else request.text.lower(), request)
        except (OSError, ValueError, KeyError, TypeError, ElementTree.ParseError) as error:
            raise ConfigError(f'this is not in the format of {name}: {error!r}', file=str(file)) from error
    return list(found.values())


# -- LIBERO: goals are predicates on objects and regions ---------------------------------------------------------------

_MORE = re.compile(r'\b(?:open|close|turn|push|stack)\b', re.IGNORECASE)
_WHERE = re.compile(
    r'\b(?:left|right|middle|center|front|back|next to|between|under)\b|^pick .* (?:on|in) .* and place\b'
)
"""Words that tell a thing or a place by where it stands, which a table without geometry does not show."""
_REGION = re.compile(r'\((\w+)\s*\(:target (\w+)\)\s*\)')
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


def _libero(file: Path) -> Iterator[DrawnRequest]:
    text = file.read_text(encoding='utf-8')
    said = _section(text, 'language').strip()
    objects = {name: kind for kind, names in _typed(_section(text, 'objects')) for name in names}
    goals = re.findall(r'\(([A-Za-z]+) ([^()]+)\)', _section(text, 'goal').replace('(And', ''))
    targets = {name: _place(name) for predicate, rest in goals for name in rest.split()[1:]}
    movable = [name for name in objects if not any(target.startswith(name) for target in targets)]
    names = _named([objects[name].replace('_', ' ') for name in movable])
    called = dict(zip(movable, names, strict=True))
    only_put = not _MORE.search(said) and all(
        predicate in ('On', 'In') and rest.split()[0] in called and targets[rest.split()[1]]
        for predicate, rest in goals
    )
    wanted = frozenset((targets[rest.split()[1]], called[rest.split()[0]]) for _, rest in goals) if only_put else None
    regions = (_place(f'{fixture}_{region}') for region, fixture in _REGION.findall(text))
    places = [place for place in dict.fromkeys((*targets.values(), *regions)) if place]
    told_apart = _WHERE.search(re.sub('|'.join(map(re.escape, (*names, *places))), '', said)) is not None
    yield DrawnRequest(
        text=said[0].upper() + said[1:] + '.',
        kind=('put, told by where it is' if told_apart else 'put') if only_put else 'outside',
        mood='imperative',
        objects=tuple(objects[name].replace('_', ' ') for name in movable),
        wanted=() if wanted is None else (wanted,),
        places=tuple(places),
    )


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


def _named(labels: Sequence[str]) -> list[str]:
    """The names that a table gives to objects with these labels: the second `pear` is `pear 2`."""
    seen: dict[str, int] = {}
    names = []
    for label in labels:
        seen[label] = seen.get(label, 0) + 1
        names.append(label if seen[label] == 1 else f'{label} {seen[label]}')
    return names


# -- HuRIC: commands with semantic frames ------------------------------------------------------------------------------

_MOVING = ('Bringing', 'Placing', 'Taking', 'Giving')


def _huric(file: Path) -> Iterator[DrawnRequest]:
    root = ElementTree.parse(file).getroot()  # noqa: S314 - a corpus that the user has chosen
    entities = list(
        dict.fromkeys((entity.get('type') or '').lower().replace('_', ' ') for entity in root.iter('entity'))
    )
    for command in root.iter('command'):
        text = (command.findtext('sentence') or '').strip()
        words = {
            token.get('id') or '': token.get('surface') or '' for token in command.iter('token') if token.get('surface')
        }
        frames = [(frame.get('name') or '', _elements(frame, words)) for frame in command.iter('frame')]
        if not text or not frames:
            continue
        if all(name not in _MOVING for name, _ in frames):
            yield DrawnRequest(text=text, kind='outside', mood='imperative', objects=tuple(entities[:_FEW]))
        elif len(frames) == 1 and (simple := _simple(*frames[0])) is not None:
            theme, place = simple
            others = [name for name in entities if name and name not in (theme, place)]
            yield DrawnRequest(
                text=text,
                kind='give' if place == USER else 'put',
                mood='imperative',
                objects=(theme, *others[:_FEW]),
                wanted=(frozenset({(place, theme)}),),
                places=tuple(name for name in (place, *others[_FEW : _FEW + 2]) if name != USER),
            )


def _elements(frame: ElementTree.Element, words: Mapping[str, str]) -> dict[str, list[str]]:
    return {
        element.get('type') or '': [words.get(token.get('id') or '', '') for token in element.iter('token')]
        for element in frame.iter('frameElement')
    }


def _simple(name: str, elements: Mapping[str, Sequence[str]]) -> tuple[str, str] | None:
    """(object, place) of a frame that brings one plain object to the speaker or to one plain place; else None."""
    rest = {kind: words for kind, words in elements.items() if kind not in ('Agent', 'Theme')}
    theme = _plain(elements.get('Theme', ()))
    if not theme or len(rest) != 1 or name == 'Taking':
        return None
    kind, words = next(iter(rest.items()))
    if [word.lower() for word in words] in (['me'], ['to', 'me'], ['for', 'me']):
        return theme, USER
    place = _plain(words[1:]) if kind == 'Goal' and words[0] in ('in', 'on', 'into', 'onto', 'to') else ''
    return (theme, place) if place and place != 'table' and place != theme else None


def _plain(words: Sequence[str]) -> str:
    """The noun of `the mug` or `the remote control`; empty for longer phrases."""
    if len(words) in (2, 3) and words[0] in ('the', 'my', 'a', 'an'):
        return ' '.join(words[1:])
    return ''


# -- ALFRED: goals in the words of annotators --------------------------------------------------------------------------

_CALLED = {'sink basin': 'sink', 'bathtub basin': 'bathtub', 'counter top': 'counter'}
"""Names that only a simulator gives."""
_PLACED = ('pick_and_place_simple', 'pick_two_obj_and_place')


_ELSEWHERE = re.compile(
    r'\b(?:left|right|middle|first|second|third|bottom|top(?= (?:drawer|shelf))|upper|lower|front|back|next to|beside|'
    r'by|near\w*|closest|between|under\w*|beneath|below|above|behind|from|out of|off)\b'
    r'|\bthe (?:\w+ ){1,3}on the \w+(?: \w+)? (?:in|on|to|into)\b',
    re.IGNORECASE,
)
"""Words that tell a thing or a place by where it stands, or a part of it; a table without geometry shows neither."""


def _alfred(file: Path) -> Iterator[DrawnRequest]:
    trajectory = json.loads(file.read_text(encoding='utf-8'))
    goal, kind = trajectory['pddl_params'], str(trajectory['task_type'])
    can = kind in _PLACED and not goal['object_sliced']
    thing, place = (_spoken(str(goal[name])) for name in ('object_target', 'parent_target'))
    present = [_spoken(item['objectName'].partition('_')[0]) for item in trajectory['scene']['object_poses']]
    chance = random.Random(str(trajectory['task_id']))
    others = [name for name in dict.fromkeys(present) if name not in (thing, place)]
    chance.shuffle(others)
    count = 2 if kind == 'pick_two_obj_and_place' else 1
    objects = [*[thing] * count, *others[:_FEW]]
    wanted = frozenset((place, name) for name in _named([thing] * count))
    for annotation in trajectory['turk_annotations']['anns']:
        text = ' '.join(str(annotation['task_desc']).split())
        # `The salt shaker` is no name of the pepper shaker.
        other = any(name.split()[-1] == thing.split()[-1] and name in text.lower() for name in others)
        named = not other and all(_is_named(name, text) for name in (thing, place))
        put = 'put' if named else 'put, named otherwise'
        put += ', told by where it is' if _ELSEWHERE.search(text) else ''
        # What people call the place is no other place, such as the drawer of a dresser.
        elsewhere = (name for name in ('drawer', 'garbage can') if not _is_named(name, text))
        yield DrawnRequest(
            text=text,
            kind=put if can else 'outside',
            mood='imperative',
            objects=tuple(objects),
            wanted=(wanted,) if can else (),
            places=tuple(dict.fromkeys((place or 'shelf', *elsewhere))),
        )


def _is_named(name: str, text: str) -> bool:
    """Whether a text has the noun of a name, such as `sofa` or `pencils`."""
    return bool(name) and re.search(rf'\b{name.split()[-1]}(?:e?s)?\b', text, re.IGNORECASE) is not None


def _spoken(name: str) -> str:
    """`CellPhone` as spoken words: `cell phone`."""
    spoken = ' '.join(_WORDS.findall(name)).lower()
    return _CALLED.get(spoken, spoken)
