"""An oracle for descriptions: objects with kinds and colours, and a check that a description is carried out."""

import random
from collections.abc import Callable
from typing import Any

# name: kinds and colour
W: dict[str, tuple[str, str]] = {
    'apple': ('fruit food', 'red'),
    'banana': ('fruit food', 'yellow'),
    'pear': ('fruit food', 'green'),
    'lemon': ('fruit food', 'yellow'),
    'orange': ('fruit food', 'orange'),
    'plum': ('fruit food', 'purple'),
    'strawberry': ('fruit food', 'red'),
    'carrot': ('veg food', 'orange'),
    'tomato': ('veg food', 'red'),
    'broccoli': ('veg food', 'green'),
    'cup': ('kit cont', 'blue'),
    'mug': ('kit cont', 'red'),
    'bowl': ('kit cont', 'purple'),
    'plate': ('kit', 'white'),
    'spoon': ('kit', 'grey'),
    'fork': ('kit', 'grey'),
    'can': ('cont', 'red'),
    'bottle': ('cont', 'green'),
    'jello': ('food sweet', 'magenta'),
    'cookie': ('food', 'brown'),
    'baseball': ('ball toyball sport', 'white'),
    'tennis ball': ('ball sport', 'yellow'),
    'teddy bear': ('toy', 'brown'),
    'toy car': ('toy', 'red'),
    'puzzle': ('toy', 'blue'),
    'hammer': ('tool', 'black'),
    'screwdriver': ('tool', 'yellow'),
    'wrench': ('tool', 'grey'),
    'pencil': ('stat', 'yellow'),
    'eraser': ('stat', 'pink'),
    'stapler': ('stat', 'black'),
    'phone': ('elec', 'black'),
    'sock': ('cloth', 'white'),
    'toothbrush': ('hyg', 'blue'),
}
for c in ['red', 'green', 'blue', 'yellow', 'black', 'white']:
    W[f'{c} cube'] = ('cube toy', c)


def k(name: str, kind: str) -> bool:
    return kind in W[name][0].split()


def c(name: str, *colours: str) -> bool:
    return W[name][1] in colours


def toy(name: str) -> bool:
    return k(name, 'toy') or k(name, 'ball')


B1, B2, BO, P, G, T = 'move_to_box_1', 'move_to_box_2', 'place_in_bowl', 'point', 'give', 'put_on_tower'
F = 'fruit'

Rules = list[tuple[str, Callable[[str], bool]]]
"""The meaning of a description: actions and the objects of each."""


def check(text: str, rules: Rules, table: Any, *, memory: bool, in_order: bool = False) -> None:
    """Has a description carried out on tables drawn for it, and compares what was done with its meaning.

    Args:
        text: the description.
        rules: its meaning.
        table: makes a table of objects and their attributes, with a task.
        memory: with the worker's memory, or with the dialogue alone.
        in_order: the rules have to be followed one after the other.
    """
    rng = random.Random(text)
    for _ in range(1 if memory else 2):
        names = drawn_names(text, rules, rng)
        objects = {name: [] if 'cube' in name else [W[name][1]] for name in names}
        run = table(objects, text).run(memory=memory)
        did = {call.partition('(')[0][1:]: set(run.did(call.partition('(')[0][1:])) for call in run.done}
        assert did == expected(rules, names)
        assert run.finished
        assert len(run.done) == len(set(run.done))
        if in_order:
            ranks = [
                min(rank for rank, (action, fits) in enumerate(rules) if action == name[1:] and fits(rest[:-2]))
                for name, _, rest in (call.partition('(') for call in run.done)
            ]
            assert ranks == sorted(ranks)


def expected(rules: Rules, names: list[str]) -> dict[str, set[str]]:
    """The first matching rule decides where an object goes; pointing rules do not count."""
    wanted: dict[str, set[str]] = {}
    gone: set[str] = set()
    for action, fits in rules:
        found = {name for name in names if fits(name) and name not in gone}
        gone |= found if action != P else set()
        if found:
            wanted.setdefault(action, set()).update(found)
    return wanted


def drawn_names(text: str, rules: Rules, rng: random.Random) -> list[str]:
    """Twelve random objects, and those that the text must find."""
    names = rng.sample(list(W), 12)
    for _, fits in rules:
        fitting = [name for name in W if fits(name)]
        named = fitting if len(fitting) <= 4 and ' the ' in text else fitting[:1]
        names += [name for name in named if name not in names]
    rng.shuffle(names)
    return names
