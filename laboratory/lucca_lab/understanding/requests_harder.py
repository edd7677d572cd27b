"""A generator of harder requests with expected results: references, counts, conditions, order, corrections.

As in `requests_drawn.py`, the result is drawn first, as data, and nothing is shared with the reader of instructions. If
no action can do a request, or what is seen cannot decide it, then every motion is wrong.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

from lucca_lab.understanding.drawn_request import USER, Deed, DrawnRequest

OFTEN = 4
"""Number of objects that share a colour. Every other object has a colour of its own."""
_COLOURS = ('red', 'blue', 'green', 'yellow', 'white', 'black')
_PLACES = ('box 1', 'box 2', 'bowl', USER)
_Wanted = Sequence[frozenset[Deed]]
_Built = tuple[str, _Wanted, Sequence[Deed]]


def draw_harder_requests(count: int, seed: int, nouns: Sequence[str]) -> list[DrawnRequest]:
    """Draws harder requests of all kinds in turn. The same seed gives the same requests."""
    chance = random.Random(seed)
    kinds = list(_KINDS)
    return [_draw(_Scene(chance, nouns), kinds[number % len(kinds)]) for number in range(count)]


class _Scene:
    """Seven objects: four of one colour, and three with a colour each."""

    def __init__(self, chance: random.Random, nouns: Sequence[str]) -> None:
        self.chance = chance
        self.names = chance.sample(list(nouns), OFTEN + 3)
        self.colour, *others = chance.sample(_COLOURS, 4)
        self.colours = [*([self.colour] * OFTEN), *others]
        self.alike, self.single = self.names[:OFTEN], self.names[OFTEN:]
        self.absent = chance.choice([noun for noun in nouns if noun not in self.names])

    def two(self) -> list[str]:
        return self.chance.sample(self.names, 2)

    def place(self) -> str:
        return self.chance.choice(_PLACES)

    def places(self) -> list[str]:
        return self.chance.sample(_PLACES, 2)

    def one_of(self, *wordings: str) -> str:
        return self.chance.choice(wordings)


def _draw(scene: _Scene, kind: str) -> DrawnRequest:
    text, wanted, order = _KINDS[kind](scene)
    objects = [f'{name} ({colour})' for name, colour in zip(scene.names, scene.colours, strict=True)]
    scene.chance.shuffle(objects)
    text = scene.chance.choice(('{}.', 'Please {}.', '{}!')).format(text) if text[-1] not in '.?!' else text
    return DrawnRequest(
        text=text[0].upper() + text[1:],
        kind=kind,
        mood='imperative',
        objects=tuple(objects),
        wanted=tuple(wanted),
        order=tuple(order),
    )


def _ask(place: str, what: str) -> str:
    return f'give me {what}' if place == USER else f'put {what} {_in(place)}'


def _in(place: str) -> str:
    return 'in the bowl' if place == 'bowl' else 'over here to me' if place == USER else f'in {place}'


def _all(place: str, names: Sequence[str]) -> frozenset[Deed]:
    return frozenset((place, name) for name in names)


def _some(place: str, names: Sequence[str], count: int) -> list[frozenset[Deed]]:
    return [_all(place, chosen) for chosen in combinations(names, count)]


def _it(scene: _Scene) -> _Built:
    name, place = scene.two()[0], scene.chance.choice(_PLACES[:3])
    said = scene.one_of(
        'take the {0} and put it {1}', 'pick up the {0}, then place it {1}', 'grab the {0} and drop it {1}'
    )
    return said.format(name, _in(place)), [_all(place, [name])], ()


def _them(scene: _Scene) -> _Built:
    names, place = scene.two(), scene.chance.choice(_PLACES[:3])
    said = scene.one_of(
        'take the {0} and the {1} and put them {2}', 'pick up the {0} and the {1}. Put both of them {2}'
    )
    return said.format(*names, _in(place)), [_all(place, names)], ()


def _half(scene: _Scene) -> _Built:
    place = scene.place()
    said = scene.one_of(f'half of the {scene.colour} objects', f'half the {scene.colour} things')
    return _ask(place, said), _some(place, scene.alike, OFTEN // 2), ()


def _count(scene: _Scene) -> _Built:
    place, number = scene.place(), scene.chance.choice((1, 2, 3))
    word = ('one', 'two', 'three')[number - 1]
    things = 'object' if number == 1 else 'objects'
    said = scene.one_of(f'{word} of the {scene.colour} objects', f'{word} {scene.colour} {things}',
                        f'exactly {word} {scene.colour} {things}')  # fmt: skip
    return _ask(place, said), _some(place, scene.alike, number), ()


def _all_but_one_of(scene: _Scene) -> _Built:
    place = scene.place()
    return _ask(place, f'all but one of the {scene.colour} objects'), _some(place, scene.alike, OFTEN - 1), ()


def _too_many(scene: _Scene) -> _Built:
    return _ask(scene.place(), f'six {scene.colour} objects'), (), ()


def _until(scene: _Scene) -> _Built:
    place = scene.chance.choice(_PLACES[:2])
    said = f'put {scene.colour} objects in {place} until two are in it'
    return said, _some(place, scene.alike, 2), ()


def _alphabetical(scene: _Scene) -> _Built:
    place, names = scene.place(), sorted(scene.alike)
    back = scene.chance.random() < 0.3
    order = [(place, name) for name in (reversed(names) if back else names)]
    said = f'in {"reverse " if back else ""}alphabetical order'
    return f'{_ask(place, f"the {scene.colour} objects")} {said}', [frozenset(order)], order


def _swap(scene: _Scene) -> _Built:
    first, second = scene.two()
    return scene.one_of(f'swap the {first} and the {second}', f'exchange the {first} for the {second}'), (), ()


def _prohibition(scene: _Scene) -> _Built:
    place, name = scene.chance.choice(_PLACES[:3]), scene.chance.choice(scene.names)
    others = [other for other in scene.names if other != name]
    said = scene.one_of(
        f'put everything {_in(place)}, but never touch the {name}',
        f'put everything {_in(place)}, but the {name} must stay on the table',
        f'never touch the {name}. Put everything else {_in(place)}',
        f'nothing but the {name} may stay on the table. Put the rest {_in(place)}',
    )
    return said, [_all(place, others)], ()


def _exceptions(scene: _Scene) -> _Built:
    place, kept = scene.place(), scene.two()
    said = scene.one_of('everything except the {0} and the {1}', 'everything but the {0} and the {1}',
                        'all objects apart from the {0} and the {1}').format(*kept)  # fmt: skip
    return _ask(place, said), [_all(place, [name for name in scene.names if name not in kept])], ()


def _neither(scene: _Scene) -> _Built:
    place, other = scene.place(), scene.colours[OFTEN]
    said = scene.one_of(f'everything that is neither {scene.colour} nor {other}',
                        f'everything that is not {scene.colour} and not {other}')  # fmt: skip
    return _ask(place, said), [_all(place, scene.single[1:])], ()


def _either(scene: _Scene) -> _Built:
    place, names = scene.place(), scene.two()
    return _ask(place, f'either the {names[0]} or the {names[1]}'), _some(place, names, 1), ()


def _only(scene: _Scene) -> _Built:
    place, name = scene.place(), scene.chance.choice(scene.names)
    return _ask(place, scene.one_of(f'only the {name}', f'nothing but the {name}')), [_all(place, [name])], ()


def _mixed(scene: _Scene) -> _Built:
    place, name = scene.place(), scene.single[0]
    said = f'the {name} and everything {scene.colour}'
    return _ask(place, said), [_all(place, [name, *scene.alike])], ()


def _if_else(scene: _Scene) -> _Built:
    (first, second), (here, there) = scene.two(), scene.places()
    seen = scene.chance.random() < 0.5
    cue = scene.chance.choice([name for name in scene.names if name not in (first, second)]) if seen else scene.absent
    said = f'if there is a {cue}, {_ask(here, f"the {first}")}, otherwise {_ask(there, f"the {second}")}'
    return said, [_all(here, [first]) if seen else _all(there, [second])], ()


def _before(scene: _Scene) -> _Built:
    (first, second), (here, there) = scene.two(), scene.places()
    said = scene.one_of(
        f'before you {_ask(there, f"the {second}")}, {_ask(here, f"the {first}")}',
        f'{_ask(here, f"the {first}")} before you {_ask(there, f"the {second}")}',
        f'{_ask(there, f"the {second}")}, but first {_ask(here, f"the {first}")}',
        f'after you {_ask(here, f"the {first}")}, {_ask(there, f"the {second}")}',
    )
    order = [(here, first), (there, second)]
    return said, [frozenset(order)], order


def _self_correction(scene: _Scene) -> _Built:
    place, (wrong, right) = scene.chance.choice(_PLACES), scene.two()
    said = scene.one_of(
        f'{_ask(place, f"the {wrong}, no, the {right}")}',
        f'{_ask(place, f"the {wrong}, sorry, the {right}")}',
        f'{_ask(place, f"the {wrong}, I mean the {right}")}',
        f'{_ask(place, f"the {wrong}")}. No, the {right}.',
        f'{_ask(place, f"the {wrong}")}, no, wait, the {right}',
        f'{_ask(place, f"the {wrong}, or rather the {right}")}',
        f'{_ask(place, f"the {wrong}, actually the {right}")}',
    )
    return said, [_all(place, [right])], ()


def _beside(scene: _Scene) -> _Built:
    place, name = scene.place(), scene.chance.choice(scene.names)
    said = scene.one_of(f'the one next to the {name}', f'the object behind the {name}',
                        f'what is left of the {name}',
                        f'the thing closest to the {name}', 'the object in the middle',
                        'the leftmost object')  # fmt: skip
    return _ask(place, said), (), ()


def _undecidable(scene: _Scene) -> _Built:
    what = scene.one_of('the biggest object', 'the heaviest thing', 'everything old', 'the expensive things',
                        'my favourite', 'the nicest one', 'what I need most', 'the usual')  # fmt: skip
    return _ask(scene.place(), what), (), ()


def _not_now(scene: _Scene) -> _Built:
    asked = _ask(scene.place(), f'the {scene.two()[0]}')
    tail = scene.one_of('tomorrow', 'when I say so', 'if I am not back by noon', 'once the light is green',
                        'unless you would rather not', 'every day at five', 'in an hour', 'after lunch',
                        'if Bob agrees', 'as often as you can', 'when it rains', 'in your dreams')  # fmt: skip
    return f'{asked} {tail}', (), ()


def _no_request(scene: _Scene) -> _Built:
    name, place = scene.two()[0], scene.chance.choice(_PLACES[:3])
    return scene.one_of(
        f'did you put the {name} {_in(place)}?',
        f'I put the {name} {_in(place)} yesterday.',
        f'she told me to put the {name} {_in(place)}.',
        f'who put the {name} {_in(place)}?',
        f'do not put the {name} {_in(place)}.',
        f'never put the {name} {_in(place)}.',
        f'you do not have to put the {name} {_in(place)}.',
        f'what if you put the {name} {_in(place)}?',
        f'I would never put the {name} {_in(place)}.',
        f'Bob wants to put the {name} {_in(place)}.',
        f'the {name} is {_in(place)}.',
        f'you put the {name} {_in(place)} last time.',
        f'no need to put the {name} {_in(place)}.',
        f'should I put the {name} {_in(place)}?',
        f'let me put the {name} {_in(place)}.',
        f'if you put the {name} {_in(place)}, I will be angry.',
    ), (), ()  # fmt: skip


def _no_place(scene: _Scene) -> _Built:
    name = scene.two()[0]
    where = scene.one_of('in box 3', 'in the basket', 'on the shelf', 'under the table', 'behind box 1',
                         'next to box 2',
                         'between box 1 and box 2', 'in the box', 'outside box 1', 'near the bowl',
                         'on the floor', 'in the second bowl')  # fmt: skip
    return f'put the {name} {where}', (), ()


def _negated_place(scene: _Scene) -> _Built:
    name, place = scene.two()[0], scene.chance.choice(_PLACES[:3])
    said = scene.one_of(f'put the {name} anywhere but {_in(place)}', f'put the {name} not {_in(place)}',
                        f'put the {name} {_in(place)} or somewhere else')  # fmt: skip
    return said, (), ()


_KINDS: Mapping[str, Callable[[_Scene], _Built]] = {
    'it': _it,
    'them': _them,
    'half': _half,
    'count': _count,
    'all but one of': _all_but_one_of,
    'too many': _too_many,
    'until': _until,
    'alphabetical': _alphabetical,
    'swap': _swap,
    'prohibition': _prohibition,
    'exceptions': _exceptions,
    'neither': _neither,
    'either': _either,
    'only': _only,
    'mixed': _mixed,
    'if, otherwise': _if_else,
    'before and after': _before,
    'self-correction': _self_correction,
    'beside': _beside,
    'undecidable': _undecidable,
    'not now': _not_now,
    'no request': _no_request,
    'no such place': _no_place,
    'any other place': _negated_place,
}
