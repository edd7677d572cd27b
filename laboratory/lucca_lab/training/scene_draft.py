"""The draft of a random scene: its words, places, actions and things."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from lucca_core.yaml_file import load_yaml
from lucca_memory.procedural import ActionSpec, Effect, EffectKind, Lane, Motion, Precondition

LEXICON_FILE = Path(__file__).with_name('lexicon.yaml')
TRAIN, UNSEEN = 'train', 'unseen'


@cache
def lexicon() -> Mapping[str, Any]:
    """The words of all scenes."""
    return load_yaml(LEXICON_FILE)


@dataclass(frozen=True, slots=True)
class Thing:
    """An object on a table. `in_name`: its name contains its colour, as in `teal drum`."""

    noun: str
    category: str
    colour: str
    in_name: bool = False

    @property
    def name(self) -> str:
        return f'{self.colour} {self.noun}' if self.in_name else self.noun

    @property
    def described(self) -> str:
        """The form that `sample_objects` reads."""
        return f'{self.name} ({self.colour})'


@dataclass
class Draft:
    """What has been drawn for a scene so far: actions by name, containers, and the templates of its sentences."""

    chance: random.Random
    words: str
    specs: dict[str, ActionSpec] = field(default_factory=dict)
    containers: list[str] = field(default_factory=list)
    templates: list[str] = field(default_factory=list)

    def said(self, *templates: str, **values: str) -> str:
        """A random one of the templates, filled in."""
        template = self.chance.choice(templates)
        self.templates.append(template)
        return template.format(**values)

    def of(self, key: str) -> list[Any]:
        """The lexicon's words under a key. Unseen words are added to those for training."""
        known = lexicon()[key]
        return list(known[self.words]) if self.words == TRAIN else [*known[TRAIN], *known[self.words]]


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


def add_place(draft: Draft) -> tuple[str, str]:
    """Adds a container with its action. Returns the action's name and the place's name in sentences."""
    chance = draft.chance
    while True:
        place, mark = chance.choice(draft.of('places')), str(chance.choice(draft.of('marks')))
        plain = chance.random() < 0.25
        name = place if plain else (f'{place} {mark}' if len(mark) == 1 else f'{mark} {place}')
        # The places of one task often differ only in their mark.
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


def add_reach(draft: Draft) -> str:
    """Adds an action without a container and returns its name."""
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


def verb_of(action: str) -> str:
    """The words for an action in sentences."""
    return action.replace('_', ' ')


def some_colours(draft: Draft, count: int) -> list[str]:
    """Random different colours."""
    return draft.chance.sample(draft.of('colours'), count)


def some_categories(draft: Draft, count: int) -> list[str]:
    """Random different categories."""
    return draft.chance.sample(list(lexicon()[draft.words]), count)


def some_of(draft: Draft, category: str, count: int, colours: Sequence[str] = (), *, named: float = 0.2) -> list[Thing]:
    """Random different things of one category. A share `named` of them has the colour in its name."""
    nouns = lexicon()[draft.words][category]['nouns']
    return [
        Thing(noun, category, draft.chance.choice(colours or draft.of('colours')), draft.chance.random() < named)
        for noun in draft.chance.sample(nouns, min(count, len(nouns)))
    ]


def some_others(draft: Draft, without: Sequence[str], count: int, colours: Sequence[str] = ()) -> list[Thing]:
    """Random things of any category except some."""
    left = [name for name in lexicon()[draft.words] if name not in without]
    return [some_of(draft, draft.chance.choice(left), 1, colours)[0] for _ in range(count if left else 0)]


def said_of_the_rest(draft: Draft) -> str:
    """A random sentence about the things that are not wanted; it may be empty."""
    return draft.said(
        'Do not touch the rest.',
        'All other things remain on the table.',
        'Ignore what is neither.',
        '',
        'Whatever else you see is not to be moved.',
        'The other objects are none of your business.',
        '',
    )
