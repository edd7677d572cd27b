"""A generator of sorting tasks in controlled English with a known rule, and of objects for them.

The rule is drawn first, as data; the sentence and the truth for each object follow from it. Kind and colour of each
object are visible on the table, so that the rule can be followed. The generator is independent of every reasoner.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

KINDS = {
    'fruit': ('apple', 'banana', 'pear', 'lemon', 'cherry', 'peach', 'plum', 'mango', 'kiwi', 'strawberry'),
    'vegetable': ('carrot', 'potato', 'onion', 'cucumber', 'broccoli', 'garlic'),
    'tool': ('hammer', 'screwdriver', 'wrench', 'pliers', 'saw'),
    'toy': ('doll', 'teddy bear', 'balloon', 'kite'),
    'kitchenware': ('cup', 'mug', 'plate', 'fork', 'spoon'),
}
"""The nouns of each kind, as any dictionary would classify them."""

PLURALS = {'fruit': 'fruits', 'vegetable': 'vegetables', 'tool': 'tools', 'toy': 'toys', 'kitchenware': 'kitchenware'}
COLOURS = ('red', 'green', 'blue', 'yellow', 'orange', 'purple')
ACTIONS = {
    'move_to_box_1': ('Put {what} in box 1', 'box 1'),
    'move_to_box_2': ('Put {what} in box 2', 'box 2'),
    'place_in_bowl': ('Put {what} in the bowl', 'bowl'),
    'give': ('Give me {what}', "user's side"),
    'point': ('Point at {what}', ''),
}
"""The sentence that asks for each action, and the place that the action fills."""

_LASTING = ('move_to_box_1', 'move_to_box_2', 'place_in_bowl', 'give')


@dataclass(frozen=True, slots=True)
class DrawnThing:
    """An object with its known properties. `name` is unique on its table."""

    name: str
    noun: str
    kind: str
    colour: str

    @property
    def described(self) -> str:
        """The form that `sample_objects` reads: the noun, and the colour in parentheses."""
        return f'{self.noun} ({self.colour})'


@dataclass(frozen=True, slots=True)
class Selector:
    """The objects meant by a clause: those of a kind, of a colour, or of both. An empty value means any."""

    kind: str = ''
    colour: str = ''

    def fits(self, thing: DrawnThing) -> bool:
        """Whether the clause means an object."""
        return self.kind in ('', thing.kind) and self.colour in ('', thing.colour)

    def text(self) -> str:
        """The words for these objects in a clause."""
        if self.kind:
            return ' '.join(part for part in ('all', self.colour, PLURALS[self.kind]) if part)
        return f'every {self.colour} object'


@dataclass(frozen=True, slots=True)
class GeneratedTask:
    """A task, its table and its truth: groups of actions. Each group has to be done before the next one begins."""

    name: str
    description: str
    actions: tuple[str, ...]
    things: tuple[DrawnThing, ...]
    groups: tuple[frozenset[str], ...]


def make_task(name: str, objects: int, chance: random.Random) -> GeneratedTask:
    """Draws a task that needs at least two actions and leaves at least one object alone.

    Args:
        name: the task's name.
        objects: number of objects on its table, at least 4.
        chance: the source of random numbers.

    Raises:
        ValueError: fewer than 4 objects.
    """
    if objects < 4:
        raise ValueError(f'a table for a task needs at least 4 objects, got {objects}')
    while True:
        things = _things(objects, chance)
        made = _ordered(name, things, chance) if chance.random() < 0.25 else _sorted(name, things, chance)
        wanted = sum(map(len, made.groups))
        if 2 <= wanted < objects:
            return made


def _things(count: int, chance: random.Random) -> tuple[DrawnThing, ...]:
    nouns = [(kind, noun) for kind, all_of_it in KINDS.items() for noun in all_of_it]
    counts: dict[str, int] = {}
    things = []
    for _ in range(count):
        kind, noun = chance.choice(nouns)
        counts[noun] = counts.get(noun, 0) + 1
        name = noun if counts[noun] == 1 else f'{noun} {counts[noun]}'
        things.append(DrawnThing(name, noun, kind, chance.choice(COLOURS)))
    return tuple(things)


def _sorted(name: str, things: Sequence[DrawnThing], chance: random.Random) -> GeneratedTask:
    """A task with one or two clauses about different kinds or different colours, to be done in any order."""
    clauses = chance.choice((1, 2))
    if chance.random() < 0.5:
        selectors = [Selector(kind=kind) for kind in chance.sample(list(KINDS), clauses)]
    else:
        selectors = [Selector(colour=colour) for colour in chance.sample(list(COLOURS), clauses)]
    if chance.random() < 0.3:
        selectors = [
            Selector(kind=item.kind or chance.choice(list(KINDS)), colour=item.colour or chance.choice(COLOURS))
            for item in selectors[:1]
        ]
    actions = chance.sample(_LASTING, len(selectors))
    pairs = list(zip(actions, selectors, strict=True))
    sentences = [ACTIONS[action][0].format(what=selector.text()) + '.' for action, selector in pairs]
    sentences.append('Leave everything else where it is.')
    wanted = {f'<{action}({item.name})>' for action, selector in pairs for item in things if selector.fits(item)}
    return GeneratedTask(name, ' '.join(sentences), tuple(actions), tuple(things), (frozenset(wanted),))


def _ordered(name: str, things: Sequence[DrawnThing], chance: random.Random) -> GeneratedTask:
    """A task with one action for all objects of one colour, and then for those of another."""
    action = chance.choice(('point', 'place_in_bowl'))
    first, second = (Selector(colour=colour) for colour in chance.sample(COLOURS, 2))
    sentence = ACTIONS[action][0]
    description = (
        f'First {_lower(sentence.format(what=first.text()))}. Then {_lower(sentence.format(what=second.text()))}.'
    )
    groups = tuple(
        frozenset(f'<{action}({item.name})>' for item in things if selector.fits(item)) for selector in (first, second)
    )
    return GeneratedTask(name, description, (action,), tuple(things), groups)


def _lower(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]
