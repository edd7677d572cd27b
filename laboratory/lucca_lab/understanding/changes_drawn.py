"""Random tasks with a change of mind in their middle, and the expected results.

The place of each object, before and after the change, is drawn as data; the sentences follow from it. The module shares
neither words nor code with the reader of instructions.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

PERSON = 'Ana'
PLACES = ('box 1', 'box 2', 'bowl')
USER = 'user'
OBJECTS = 7
_COLOURS = ('red', 'blue', 'green', 'yellow', 'white', 'black')

Plan = dict[str, str]
"""The place of each object, by its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnChange:
    """A task and a change that is said while an action is executed.

    Attributes:
        text: the task.
        objects: the objects on the table, as `noun (colour)`.
        plan: the place of each object that the task asks for.
        kind: the kind of the change.
        at: number of the action, from 0, during which the change is said.
        say: takes the objects handled so far, the current one last; returns what is said and the new plan.
    """

    text: str
    objects: tuple[str, ...]
    plan: Mapping[str, str]
    kind: str
    at: int
    say: Callable[[Sequence[str]], tuple[str, Plan]]


def draw_changes(count: int, seed: int, nouns: Sequence[str]) -> list[DrawnChange]:
    """Draws changes of all kinds in turn, at random steps of their tasks. The same seed gives the same changes."""
    chance = random.Random(seed)
    kinds = list(_KINDS)
    return [_draw(chance, nouns, kinds[number % len(kinds)]) for number in range(count)]


def _draw(chance: random.Random, nouns: Sequence[str], kind: str) -> DrawnChange:
    names = chance.sample(list(nouns), OBJECTS)
    asked = names[: chance.choice((3, 4))]
    one_place = kind == 'addition without a place' or chance.random() < 0.5
    place = chance.choice((*PLACES, USER))
    plan = {name: place if one_place else chance.choice((*PLACES, USER)) for name in asked}
    spare = [name for name in names if name not in plan]
    seed = chance.randrange(2**32)

    def say(handled: Sequence[str]) -> tuple[str, Plan]:
        return _KINDS[kind](random.Random(seed), dict(plan), list(handled), spare)

    return DrawnChange(
        text=_task(chance, plan),
        objects=tuple(f'{name} ({chance.choice(_COLOURS)})' for name in chance.sample(names, OBJECTS)),
        plan=plan,
        kind=kind,
        at=chance.randrange(len(plan)),
        say=say,
    )


def _task(chance: random.Random, plan: Mapping[str, str]) -> str:
    if len(set(plan.values())) == 1:
        *first, last = [f'the {name}' for name in plan]
        what = f'{", ".join(first)} and {last}'
        text = _asked(next(iter(plan.values())), what)
    else:
        text = ', '.join(_asked(place, f'the {name}') for name, place in plan.items())
    return chance.choice(('Please {}.', 'Could you {}?', '{}.', 'I would like you to {}.')).format(text)


def _asked(place: str, what: str) -> str:
    return f'give me {what}' if place == USER else f'put {what} {_into(place)}'


def _into(place: str) -> str:
    return 'in the bowl' if place == 'bowl' else f'in {place}'


def _onto(chance: random.Random, place: str) -> str:
    if place == USER:
        return 'to me'
    return f'{chance.choice(("in", "into"))} {"the bowl" if place == "bowl" else place}'


def _other_place(chance: random.Random, place: str) -> str:
    return chance.choice([item for item in (*PLACES, USER) if item != place])


_Said = tuple[str, Plan]


def _bare_addition(chance: random.Random, plan: Plan, handled: list[str], spare: list[str]) -> _Said:
    name = chance.choice(spare)
    said = chance.choice(
        ('And the {}, too.', 'The {} as well, please.', 'Also the {}.', 'Oh, and the {} too!', 'Add the {}, please.',
         'And also the {}.')
    )  # fmt: skip
    return said.format(name), {**plan, name: next(iter(plan.values()))}


def _addition(chance: random.Random, plan: Plan, handled: list[str], spare: list[str]) -> _Said:
    name, place = chance.choice(spare), chance.choice((*PLACES, USER))
    said = chance.choice(
        (f'And {_asked(place, f"the {name}")}, too.', f'Also {_asked(place, f"the {name}")}.',
         f'And the {name} {_onto(chance, place)} as well.', f'Oh, and please {_asked(place, f"the {name}")} as well.')
    )  # fmt: skip
    return said, {**plan, name: place}


def _revision(chance: random.Random, plan: Plan, handled: list[str], spare: list[str]) -> _Said:
    name = chance.choice([item for item in plan if item not in handled] or list(plan))
    return _revised(chance, plan, name, handled)


def _late_revision(chance: random.Random, plan: Plan, handled: list[str], spare: list[str]) -> _Said:
    return _revised(chance, plan, chance.choice(handled), handled)


def _revised(chance: random.Random, plan: Plan, name: str, handled: list[str]) -> _Said:
    place = _other_place(chance, plan[name])
    said = chance.choice(
        (f'No, the {name} {_onto(chance, place)}.', f'Actually, {_asked(place, f"the {name}")} instead.',
         f'Wait, the {name} {_onto(chance, place)}!', f'I changed my mind: {_asked(place, f"the {name}")}.',
         f'Sorry, the {name} {_onto(chance, place)}, please.', f'{_asked(place, f"the {name}")} instead.')
    )  # fmt: skip
    return said, plan if name in handled else {**plan, name: place}


def _retraction(chance: random.Random, plan: Plan, handled: list[str], spare: list[str]) -> _Said:
    return _retracted(
        chance, plan, chance.choice([item for item in plan if item not in handled] or list(plan)), handled
    )


def _late_retraction(chance: random.Random, plan: Plan, handled: list[str], spare: list[str]) -> _Said:
    return _retracted(chance, plan, chance.choice(handled), handled)


def _retracted(chance: random.Random, plan: Plan, name: str, handled: list[str]) -> _Said:
    said = chance.choice(
        ('Leave the {} after all.', 'Forget the {}.', 'Not the {}.', 'You can skip the {}.',
         "Don't move the {} after all.",
         'No, leave the {} where it is.', 'Without the {}, please.', 'Never mind the {}.', 'Leave out the {}, please.')
    )  # fmt: skip
    return said.format(name), plan if name in handled else {key: place for key, place in plan.items() if key != name}


def _replacement(chance: random.Random, plan: Plan, handled: list[str], spare: list[str]) -> _Said:
    name, other = chance.choice([item for item in plan if item not in handled] or list(plan)), chance.choice(spare)
    said = chance.choice(
        (f'Not the {name}, the {other}.', f'The {other} instead of the {name}.', f'No, not the {name} but the {other}.')
    )
    if name in handled:
        return said, {**plan, other: plan[name]}
    return said, {other if key == name else key: place for key, place in plan.items()}


def _correction(chance: random.Random, plan: Plan, handled: list[str], spare: list[str]) -> _Said:
    other = chance.choice(spare)
    said = chance.choice(('Not that one, the {}!', 'No, not that one. I meant the {}.', 'Wrong one, take the {}.',
                          'That was the wrong one, I meant the {}.'))  # fmt: skip
    return said.format(other), {**plan, other: plan[handled[-1]]}


_KINDS: Mapping[str, Callable[[random.Random, Plan, list[str], list[str]], _Said]] = {
    'addition without a place': _bare_addition,
    'addition': _addition,
    'revision': _revision,
    'revision of what is done': _late_revision,
    'retraction': _retraction,
    'retraction of what is done': _late_retraction,
    'replacement': _replacement,
    'correction': _correction,
}
