"""Public sets of instructions as requests at a table, such as LIBERO and the Collaborative Manipulation Corpus.

Each is read from a copy of its own files. None of them is part of this repository; their licences permit reading them
(LIBERO and ALFRED: MIT, HuRIC and RoboLab: Apache 2.0, the corpus: CC BY-SA 4.0).
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
from lucca_lab.understanding.block_instructions import FILE as BLOCKS_FILE
from lucca_lab.understanding.block_instructions import block_requests
from lucca_lab.understanding.drawn_request import USER, DrawnRequest
from lucca_lab.understanding.libero import libero_requests, names_on_table
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
    BLOCKS = 'blocks'


class Half(StrEnum):
    """A half of a set: the half that wordings may be taught from, or the one that figures are reported on."""

    LOOKED_AT = 'looked-at'
    REPORTED = 'reported'


def half_of(requests: Sequence[DrawnRequest], part: Half, seed: int) -> list[DrawnRequest]:
    """Every second request in an order drawn by a seed: the first, third, … are looked at, the others reported.

    Of sets with scenes in groups, those of odd groups are looked at, whatever the seed.
    """
    if any(request.group for request in requests):
        return [request for request in requests if request.group % 2 == (part is Half.LOOKED_AT)]
    drawn = list(requests)
    random.Random(seed).shuffle(drawn)
    return drawn[0 if part is Half.LOOKED_AT else 1 :: 2]


def load_instructions(name: InstructionSet, folder: Path) -> list[DrawnRequest]:
    """The instructions of a set, in the order of its files, without duplicates but for those of RoboLab.

    Args:
        name: the set.
        folder: searched, with its subfolders, for `*.bddl` (LIBERO), `*.hrc` (HuRIC), `traj_data.json` (ALFRED) or
            `task_metadata.json` (RoboLab) or `evaluationDataAvg.csv` (blocks).

    Raises:
        ConfigError: the folder has no such file, or one cannot be read.
    """
    readers: dict[InstructionSet, tuple[str, Callable[[Path], Iterator[DrawnRequest]]]] = {
        InstructionSet.LIBERO: ('*.bddl', libero_requests),
        InstructionSet.HURIC: ('*.hrc', _huric),
        InstructionSet.ALFRED: ('traj_data.json', _alfred),
        InstructionSet.ROBOLAB: (FILE, partial(robolab_requests, variant='default')),
        InstructionSet.ROBOLAB_VAGUE: (FILE, partial(robolab_requests, variant='vague')),
        InstructionSet.ROBOLAB_SPECIFIC: (FILE, partial(robolab_requests, variant='specific')),
        InstructionSet.BLOCKS: (BLOCKS_FILE, block_requests),
    }
    pattern, read = readers[name]
    files = sorted(folder.rglob(pattern))
    if not files:
        raise ConfigError(f'there is no {pattern} in it', file=str(folder))
    found: dict[str, DrawnRequest] = {}
    for file in files:
        try:
            for request in read(file):
                # In RoboLab and in the corpus, the same words are said at different tables.
                is_one = pattern in (FILE, BLOCKS_FILE)
                found.setdefault(f'{len(found)}' if is_one else request.text.lower(), request)
        except (OSError, ValueError, KeyError, TypeError, ElementTree.ParseError) as error:
            raise ConfigError(f'this is not in the format of {name}: {error!r}', file=str(file)) from error
    return list(found.values())


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
    wanted = frozenset((place, name) for name in names_on_table([thing] * count))
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
