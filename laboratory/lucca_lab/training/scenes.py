"""Draws tasks with their tables for training: the rule first, as data; the sentences and the truth follow from it.

Shares no word list and no sentence with the evaluation; `overlap.py` counts.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from lucca_core.yaml_file import load_yaml
from lucca_memory.procedural import ActionSpec, Effect, EffectKind, Lane, Motion, Precondition, TaskSpec

LEXICON_FILE = Path(__file__).with_name('lexicon.yaml')
TRAIN, UNSEEN = 'train', 'unseen'


@cache
def lexicon() -> Mapping[str, Any]:
    """The words of all scenes."""
    return load_yaml(LEXICON_FILE)


@dataclass(frozen=True, slots=True)
class Thing:
    """An object on a drawn table; `in_name`: it is called by its colour too, as in `teal drum`."""

    noun: str
    category: str
    colour: str
    in_name: bool = False

    @property
    def name(self) -> str:
        return f'{self.colour} {self.noun}' if self.in_name else self.noun

    @property
    def described(self) -> str:
        """As `sample_objects` reads it."""
        return f'{self.name} ({self.colour})'


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A task, its table, and its truth: for each group of the order, the action of each object by name."""

    task: TaskSpec
    actions: Mapping[str, ActionSpec]
    containers: tuple[str, ...]
    things: tuple[Thing, ...]
    groups: tuple[Mapping[str, str], ...]
    sentences: tuple[str, ...] = ()
    """The templates that the description is made of, for the comparison with the evaluation."""

    @property
    def wanted(self) -> dict[str, str]:
        """The action of each object that the task asks for."""
        return {name: action for group in self.groups for name, action in group.items()}


@dataclass
class _Draft:
    chance: random.Random
    words: str
    specs: dict[str, ActionSpec] = field(default_factory=dict)
    containers: list[str] = field(default_factory=list)
    templates: list[str] = field(default_factory=list)

    def said(self, *templates: str, **values: str) -> str:
        """One of the templates, filled in."""
        template = self.chance.choice(templates)
        self.templates.append(template)
        return template.format(**values)

    def of(self, key: str) -> list[Any]:
        known = lexicon()[key]
        return list(known[self.words]) if self.words == TRAIN else [*known[TRAIN], *known[self.words]]


def draw_scene(name: str, chance: random.Random, words: str = TRAIN) -> Scene:
    """One scene.

    Args:
        name: of its task.
        chance: where everything is drawn from.
        words: TRAIN, or UNSEEN for categories that no training scene has.
    """
    while True:
        draft = _Draft(chance, words)
        rule = chance.choices(*zip(*_RULES, strict=True))[0]
        things, groups, sentences = rule(draft)
        chance.shuffle(things)
        wanted = sum(map(len, groups))
        if (
            all(groups)
            and wanted < len(things) + (chance.random() < 0.1)
            and len({t.name for t in things}) == len(things)
        ):
            return Scene(
                task=TaskSpec(name=name, description=' '.join(sentences), actions=tuple(draft.specs)),
                actions=draft.specs,
                containers=tuple(draft.containers),
                things=tuple(things),
                groups=tuple(groups),
                sentences=tuple(draft.templates),
            )


_GRASP = (
    'Pick up an object and lower it into {it}.',
    'Take hold of an object, lift it and drop it in {it}; it ends up in {it}.',
    'Bring an object to {it} and leave it there.',
    'Transfer one object from where it lies into {it}.',
)
_PUT_NAMES = (
    'bring_to_{id}',
    'load_{id}',
    'store_in_{id}',
    'drop_in_{id}',
    'carry_to_{id}',
    'move_into_{id}',
    'fill_{id}',
)
_REACH = (
    ('hand_over', 'Bring an object to the person in front of the robot.', EffectKind.GIVEN),
    ('pass', 'Slide an object to the guest.', EffectKind.GIVEN),
    ('deliver', 'Set an object down before the person who asked.', EffectKind.GIVEN),
    ('serve', 'Hold an object out to the visitor until it is taken.', EffectKind.GIVEN),
    ('show', 'Turn a finger towards an object so that people see which one is meant.', EffectKind.POINTED_AT),
    ('indicate', 'Aim a hand at an object without touching it.', EffectKind.POINTED_AT),
    ('single_out', 'Raise an arm in the direction of an object.', EffectKind.POINTED_AT),
)


def _put(draft: _Draft) -> tuple[str, str]:
    """A new container with its action: the action's name and what sentences call the place."""
    chance = draft.chance
    while True:
        place, mark = chance.choice(draft.of('places')), str(chance.choice(draft.of('marks')))
        plain = chance.random() < 0.25
        name = place if plain else (f'{place} {mark}' if len(mark) == 1 else f'{mark} {place}')
        # Places of one task are often told apart by their mark alone.
        if draft.containers and chance.random() < 0.6:
            kind = next((k for k in draft.of('places') if k in draft.containers[0].split()), place)
            name = f'{kind} {mark}' if len(mark) == 1 else f'{mark} {kind}'
        action = chance.choice(_PUT_NAMES).format(id=name.replace(' ', '_').lower())
        if name not in draft.containers and action not in draft.specs:
            break
    draft.containers.append(name)
    shown = name if len(mark) == 1 and mark in name.split() else f'the {name}'
    draft.specs[action] = ActionSpec(
        name=action,
        description=chance.choice(_GRASP).format(it=shown),
        motion=Motion.PICK_AND_PLACE,
        effect=Effect(EffectKind.CONTAINED, name),
        preconditions=(Precondition.ON_TABLE,),
        lanes=(Lane.ARM,),
    )
    return action, shown


def _reach(draft: _Draft) -> str:
    """An action without a container; its name."""
    name, description, kind = draft.chance.choice(_REACH)
    given = kind is EffectKind.GIVEN
    if given:
        draft.containers.append("guest's side")
    draft.specs[name] = ActionSpec(
        name=name,
        description=description,
        motion=Motion.GIVE if given else Motion.POINT,
        effect=Effect(kind, "guest's side" if given else ''),
        preconditions=(Precondition.ON_TABLE,),
        lanes=(Lane.ARM,),
    )
    return name


def _verb(action: str) -> str:
    return action.replace('_', ' ')


def _colours(draft: _Draft, count: int) -> list[str]:
    return draft.chance.sample(draft.of('colours'), count)


def _categories(draft: _Draft, count: int) -> list[str]:
    return draft.chance.sample(list(lexicon()[draft.words]), count)


def _some(draft: _Draft, category: str, count: int, colours: Sequence[str] = (), *, named: float = 0.2) -> list[Thing]:
    nouns = lexicon()[draft.words][category]['nouns']
    return [
        Thing(noun, category, draft.chance.choice(colours or draft.of('colours')), draft.chance.random() < named)
        for noun in draft.chance.sample(nouns, min(count, len(nouns)))
    ]


def _others(draft: _Draft, without: Sequence[str], count: int, colours: Sequence[str] = ()) -> list[Thing]:
    left = [name for name in lexicon()[draft.words] if name not in without]
    return [_some(draft, draft.chance.choice(left), 1, colours)[0] for _ in range(count if left else 0)]


def _rest(draft: _Draft) -> str:
    return draft.said(
        'Do not touch the rest.',
        'All other things remain on the table.',
        'Ignore what is neither.',
        '',
        'Whatever else you see is not to be moved.',
        'The other objects are none of your business.',
        '',
    )


Rule = Callable[[_Draft], tuple[list[Thing], list[dict[str, str]], list[str]]]


def _by_category(draft: _Draft) -> tuple[list[Thing], list[dict[str, str]], list[str]]:
    """Each of several categories has its place; a place may take two."""
    chance = draft.chance
    places = chance.choice((1, 2, 2, 2, 3))
    sentences = [
        draft.said(
            'Clean up here.', 'Please sort these things.', 'The workshop is a mess.', '', '', 'Pack for the move.'
        )
    ]
    things: list[Thing] = []
    wanted: dict[str, str] = {}
    categories = _categories(draft, min(6, len(lexicon()[draft.words])))
    used: list[str] = []
    for _ in range(places):
        action, place = _put(draft)
        mine = [categories.pop() for _ in range(chance.choice((1, 1, 2)))]
        used += mine
        what = (
            draft.said('{a} and {b}', '{a} as well as {b}', '{a} or {b}', a=mine[0], b=mine[1])
            if len(mine) > 1
            else mine[0]
        )
        sentence = draft.said(
            '{what} go into {place}.',
            'Store {what} in {place}.',
            'Use {place} for {what}.',
            'Into {place} go {what}.',
            '{place} is for {what}.',
            'Please bring {what} to {place}.',
            'Collect the {what} in {place}.',
            'I want all {what} in {place}.',
            'Sort {what} into {place}.',
            '{place}: {what}.',
            what=what,
            place=place,
        )
        sentences.append(sentence[0].upper() + sentence[1:])
        for category in mine:
            found = _some(draft, category, chance.choice((1, 2, 3, 4)))
            things += found
            wanted |= dict.fromkeys((thing.name for thing in found), action)
    things += _others(draft, used, chance.choice((2, 3, 5)))
    sentences.append(_rest(draft))
    return things, [wanted], [text for text in sentences if text]


def _one_category(draft: _Draft) -> tuple[list[Thing], list[dict[str, str]], list[str]]:
    """One category, one action, said twice over."""
    chance, category = draft.chance, _categories(draft, 1)[0]
    if chance.random() < 0.6:
        action, place = _put(draft)
        first = draft.said(
            'Gather the {c} in {p}.',
            '{p} should hold the {c}, and them alone.',
            'Find all {c} you can see and store them in {p}.',
            'I need every piece of {c} in {p}.',
            'Let {p} be full of {c}.',
            'Load {p} with {c}.',
            c=category,
            p=place,
        )
    else:
        action = _reach(draft)
        first = draft.said(
            'Please {v} the {c}.',
            '{v} whatever counts as {c}.',
            'Look for {c} and {v} each of them.',
            '{v} all {c}, one by one.',
            c=category,
            v=_verb(action),
        )
    second = draft.said(
        'Take no others.',
        'What is not among the {c} has to wait.',
        'Only {c} are wanted.',
        '',
        '',
        'Leave out all that are not {c}.',
        c=category,
    )
    mine = _some(draft, category, chance.choice((2, 4, 6)))
    things = [*mine, *_others(draft, [category], chance.choice((3, 5, 6)))]
    sentences = [first[0].upper() + first[1:], second]
    return things, [dict.fromkeys((thing.name for thing in mine), action)], [text for text in sentences if text]


def _coloured(
    draft: _Draft, groups: Sequence[Sequence[str]], actions: Sequence[str], plain: Sequence[str]
) -> tuple[list[Thing], list[dict[str, str]]]:
    """Things of any category, some in the colours of each group, some in other colours."""
    chance = draft.chance
    things: list[Thing] = []
    wanted: list[dict[str, str]] = []
    for colours, action in zip(groups, actions, strict=True):
        mine = _others(draft, (), chance.choice((2, 3, 4)), colours)
        things += mine
        wanted.append(dict.fromkeys((thing.name for thing in mine), action))
    return [*things, *_others(draft, (), chance.choice((2, 4, 5)), plain)], wanted


def _in_order(draft: _Draft) -> tuple[list[Thing], list[dict[str, str]], list[str]]:
    """One colour or category before the other."""
    chance = draft.chance
    action = _reach(draft) if chance.random() < 0.6 else _put(draft)[0]
    verb = _verb(action)
    if by_colour := chance.random() < 0.65:
        first, second, *plain = _colours(draft, 5)
        things, wanted = _coloured(draft, [[first], [second]], [action, action], plain)
        a, b = (
            draft.said('the {c} things', 'whatever is {c}', 'anything {c}', 'each {c} item', c=c)
            for c in (first, second)
        )
    else:
        first, second = _categories(draft, 2)
        halves = [_some(draft, category, chance.choice((2, 3, 4))) for category in (first, second)]
        wanted = [dict.fromkeys((thing.name for thing in half), action) for half in halves]
        things = [*halves[0], *halves[1], *_others(draft, (first, second), chance.choice((2, 4)))]
        a, b = (draft.said('the {c}', 'all {c}', c=c) for c in (first, second))
    text = draft.said(
        'Begin with {a}: {v} them. After that {v} {b}.',
        '{v} {a}; as soon as none of these is left, {v} {b}.',
        'Start by going through {a} ({v}). Next come {b}.',
        '{v} {b}, but not before you are through with {a}.',
        'Before anything else, {v} {a}. Go on with {b} later.',
        '{v} {a} and afterwards {b}.',
        'To begin, {v} {a}. Then it is the turn of {b}.',
        a=a,
        b=b,
        v=verb,
    )
    end = draft.said('Skip other colours.', 'Nothing besides.', '', '') if by_colour else _rest(draft)
    return things, wanted, [part for part in (text[0].upper() + text[1:], end) if part]


def _listed(draft: _Draft) -> tuple[list[Thing], list[dict[str, str]], list[str]]:
    """The things are named one by one, with or without a reason."""
    chance = draft.chance
    things = list({thing.noun: thing for thing in _others(draft, (), chance.choice((6, 8, 10)))}.values())
    mine = things[: chance.choice((1, 2, 3, 4))]
    names = [
        chance.choice(('the', 'a', 'the'))
        + ' '
        + (thing.name if thing.in_name or chance.random() < 0.7 else f'{thing.colour} {thing.noun}')
        for thing in mine
    ]
    what = names[0] if len(names) == 1 else ', '.join(names[:-1]) + ' and ' + names[-1]
    if chance.random() < 0.6:
        action = _reach(draft)
        text = draft.said(
            'Please {v} {w}.',
            'I am getting ready for a trip and need {w}: {v} them.',
            'For the play they ask for {w}. {v} those.',
            'The next lesson takes {w}, so {v} what it takes.',
            '{v} {w}, that is all.',
            'My list says: {w}. {v} what is on it.',
            v=_verb(action),
            w=what,
        )
    else:
        action, place = _put(draft)
        text = draft.said(
            'Pack {w} into {p}.',
            'Store {w} in {p}.',
            '{p} gets {w}.',
            'What belongs together is {w}; bring them to {p}.',
            w=what,
            p=place,
        )
    end = draft.said('No other thing is needed.', '', 'Take just these.', '')
    wanted = dict.fromkeys((thing.name for thing in mine), action)
    return things, [wanted], [part for part in (text[0].upper() + text[1:], end) if part]


def _except(draft: _Draft) -> tuple[list[Thing], list[dict[str, str]], list[str]]:
    """A category, but not in some colours; now and then nothing else is on the table."""
    chance, category = draft.chance, _categories(draft, 1)[0]
    barred, *free = _colours(draft, 6)
    both = [barred, free.pop()] if chance.random() < 0.5 else [barred]
    named = chance.choice((0.2, 1.0))
    if chance.random() < 0.7:
        action, place = _put(draft)
        do = draft.said('Store the {c} in {p}', 'Bring {c} to {p}', 'Let all {c} go into {p}', c=category, p=place)
    else:
        action = _reach(draft)
        do = draft.said('{v} the {c}', 'Please {v} all {c}', c=category, v=_verb(action))
    mine = _some(draft, category, chance.choice((2, 3, 4)), free, named=named)
    nouns = {thing.noun for thing in mine}
    out = [
        thing for thing in _some(draft, category, chance.choice((2, 3)), both, named=named) if thing.noun not in nouns
    ]
    if chance.random() < 0.4:  # several of one noun, told apart by colour alone
        noun = mine[0].noun
        mine = [Thing(noun, category, colour, True) for colour in free[: chance.choice((2, 3, 4))]]
        out = [Thing(noun, category, colour, True) for colour in both]
    colours = ' or '.join(both)
    text = draft.said(
        '{do}, except those that are {x}.',
        '{do}. The {x} ones are to be spared.',
        '{do} unless they are {x}.',
        '{do}; what is {x} must not be moved.',
        'No {x} ones, but otherwise: {do}.',
        do=do,
        x=colours,
    )
    things = [*mine, *out, *_others(draft, [category], chance.choice((0, 2, 4)))]
    wanted = dict.fromkeys((thing.name for thing in mine), action)
    return things, [wanted], [text[0].upper() + text[1:], *([_rest(draft)] if chance.random() < 0.3 else [])]


def _by_colour(draft: _Draft) -> tuple[list[Thing], list[dict[str, str]], list[str]]:
    """Colours have places."""
    chance = draft.chance
    count = chance.choice((1, 2, 2))
    colours = _colours(draft, count + 4)
    actions, sentences = [], []
    for colour in colours[:count]:
        action, place = _put(draft)
        actions.append(action)
        text = draft.said(
            '{x} things go into {p}.',
            'Store what is {x} in {p}.',
            '{p} takes the {x} ones.',
            'Sort anything {x} into {p}.',
            'If it is {x}, bring it to {p}.',
            x=colour,
            p=place,
        )
        sentences.append(text[0].upper() + text[1:])
    things, wanted = _coloured(draft, [[colour] for colour in colours[:count]], actions, colours[count:])
    return things, [{name: action for group in wanted for name, action in group.items()}], sentences


_RULES: tuple[tuple[Rule, float], ...] = (
    (_by_category, 0.26),
    (_one_category, 0.2),
    (_in_order, 0.18),
    (_listed, 0.14),
    (_except, 0.14),
    (_by_colour, 0.08),
)
