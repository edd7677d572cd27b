"""Random requests in many moods, each with its table and the expected result.

The result is drawn first, as data; the sentence follows from it. The nouns come from outside, so that most of them are
in no lexicon of ours. The module shares neither words nor code with the reader of instructions.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from importlib import metadata, resources
from pathlib import Path

from lucca_core.errors import ConfigError
from lucca_lab.understanding.drawn_request import CONTAINERS, POINTED, USER, Deed, DrawnRequest

COLOURS = ('red', 'blue', 'green', 'yellow', 'white', 'black')
OBJECTS = 6
_MOODS: Mapping[str, tuple[str, ...]] = {
    'imperative': (
        '{do}.',
        'Please {do}.',
        '{do}, please.',
        'Robot, {do}.',
        'Now {do}.',
        'Go ahead and {do}.',
        '{do}!',
    ),
    'question': (
        'Could you {do}?',
        'Can you please {do}?',
        'Would you {do}?',
        'Will you {do}, please?',
        'Would you mind {doing}?',
        'Would it be possible to {do}?',
        'May I ask you to {do}?',
        'Could you possibly {do}?',
    ),
    'wish': (
        'I would like you to {do}.',
        "I'd like you to {do}.",
        'I want you to {do}.',
        'I need you to {do}.',
        'It would be nice if you could {do}.',
        "I'd be grateful if you could {do}.",
        'I was hoping you could {do}.',
    ),
    'duty': (
        'You should {do}.',
        'Your job is to {do}.',
        'Be so kind as to {do}.',
        'Make sure to {do}.',
        'You can {do} now.',
    ),
}
_VERBS: Mapping[str, tuple[tuple[str, str], ...]] = {
    'box 1': (('put', 'putting'), ('move', 'moving'), ('place', 'placing'), ('drop', 'dropping'), ('stow', 'stowing')),
    USER: (('hand me', 'handing me'), ('pass me', 'passing me'), ('give me', 'giving me'), ('bring me', 'bringing me')),
    POINTED: (('point at', 'pointing at'), ('point to', 'pointing to')),
}
_INTO = {'put': 'in', 'move': 'to', 'place': 'inside', 'drop': 'into', 'stow': 'in'}
_BEYOND = (
    ('throw {it} at me', 'throwing {it} at me'),
    ('open {it}', 'opening {it}'),
    ('paint {it}', 'painting {it}'),
    ('wash {it}', 'washing {it}'),
    ('break {it} in two', 'breaking {it} in two'),
    ('sell {it}', 'selling {it}'),
    ('shake {it}', 'shaking {it}'),
)


def load_nouns(file: Path | None = None) -> tuple[str, ...]:
    """The usable nouns of a file with one in each line; without a file, those of `wonderwords`.

    Raises:
        ConfigError: the file cannot be read, `wonderwords` is not installed, or there are too few usable nouns.
    """
    try:
        if file is not None:
            lines = file.read_text(encoding='utf-8').splitlines()
        else:
            lines = list(wonderwords_list('nounlist.txt'))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f'the nouns cannot be read: {error}', file=str(file)) from error
    taken = {*COLOURS, 'box', 'bowl', 'tower', 'table', 'robot', 'user', 'thing', 'object', 'rest', 'half'}
    nouns = [word for word in map(str.strip, lines) if word.isalpha() and word.islower() and 3 <= len(word) <= 10]
    nouns = [word for word in dict.fromkeys(nouns) if word not in taken and not word.endswith('s')]
    if len(nouns) < 2 * OBJECTS:
        raise ConfigError(f'{2 * OBJECTS} nouns are needed, got {len(nouns)}', file=str(file or 'wonderwords'))
    return tuple(nouns)


def wonderwords_list(name: str) -> tuple[str, ...]:
    """The words in a list of the package `wonderwords`, without rude ones.

    Raises:
        ConfigError: the package is not installed.
    """
    try:
        metadata.version('wonderwords')
    except metadata.PackageNotFoundError as error:
        raise ConfigError(
            "give a file of words, or install the package wonderwords: pip install 'lucca-lab[words]'"
        ) from error
    rude = set(_asset('profanitylist.txt'))
    return tuple(word for word in _asset(name) if word not in rude)


def _asset(name: str) -> list[str]:
    return resources.files('wonderwords').joinpath(f'assets/{name}').read_text('utf-8').splitlines()


def draw_requests(count: int, seed: int, nouns: Sequence[str]) -> list[DrawnRequest]:
    """Draws requests of all kinds in turn, in random moods. The same seed gives the same requests."""
    chance = random.Random(seed)
    kinds = [*_KINDS]
    return [_Drawing(chance, nouns).draw(kinds[number % len(kinds)]) for number in range(count)]


class _Drawing:
    def __init__(self, chance: random.Random, nouns: Sequence[str]) -> None:
        self.chance = chance
        self.names = chance.sample(list(nouns), OBJECTS)
        # Three objects share a colour; the fourth one's colour is unique.
        often, once, *others = chance.sample(COLOURS, len(COLOURS))
        self.often, self.once = often, once
        self.colours = [often, often, often, once, *others[: OBJECTS - 4]]
        self.absent = chance.choice([word for word in nouns if word not in self.names])

    def draw(self, kind: str) -> DrawnRequest:
        do, doing, wanted, order = _KINDS[kind](self)
        mood = self.chance.choice(list(_MOODS))
        text = self.chance.choice(_MOODS[mood]).format(do=do, doing=doing)
        objects = [f'{name} ({colour})' for name, colour in zip(self.names, self.colours, strict=True)]
        self.chance.shuffle(objects)
        return DrawnRequest(
            text=text[0].upper() + text[1:],
            kind=kind,
            mood=mood,
            objects=tuple(objects),
            wanted=tuple(wanted),
            order=tuple(order),
        )

    def place(self) -> str:
        return self.chance.choice(('box 1', 'box 2', 'bowl', USER, POINTED))

    def asked(self, place: str, what: str) -> tuple[str, str]:
        """The request to bring `what` to a place, in the imperative and as a gerund."""
        verb, gerund = self.chance.choice(_VERBS.get(place, _VERBS['box 1']))
        if place in (USER, POINTED):
            return f'{verb} {what}', f'{gerund} {what}'
        where = f'{_INTO[verb]} {"the " if place == "bowl" else ""}{place}'
        return f'{verb} {what} {where}', f'{gerund} {what} {where}'


_Built = tuple[str, str, Sequence[frozenset[Deed]], Sequence[Deed]]


def _single(drawing: _Drawing) -> _Built:
    place, name = drawing.place(), drawing.chance.choice(drawing.names)
    return *drawing.asked(place, f'the {name}'), [frozenset({(place, name)})], ()


def _coloured(drawing: _Drawing) -> _Built:
    place = drawing.place()
    what = drawing.chance.choice((f'the {drawing.once} {drawing.names[3]}', f'the {drawing.once} one'))
    return *drawing.asked(place, what), [frozenset({(place, drawing.names[3])})], ()


def _pair(drawing: _Drawing) -> _Built:
    place, (first, second) = drawing.place(), drawing.chance.sample(drawing.names, 2)
    return *drawing.asked(place, f'the {first} and the {second}'), [frozenset({(place, first), (place, second)})], ()


def _all_of(drawing: _Drawing) -> _Built:
    place, colour = drawing.place(), drawing.often
    what = drawing.chance.choice((f'everything {colour}', f'all {colour} objects', f'every {colour} thing'))
    return *drawing.asked(place, what), [frozenset((place, name) for name in drawing.names[:3])], ()


def _all_but(drawing: _Drawing) -> _Built:
    place, name = drawing.place(), drawing.chance.choice(drawing.names)
    what = drawing.chance.choice((f'everything except the {name}', f'everything but the {name}'))
    return *drawing.asked(place, what), [frozenset((place, other) for other in drawing.names if other != name)], ()


def _some_of(drawing: _Drawing) -> _Built:
    place, three = drawing.place(), drawing.names[:3]
    options = [frozenset((place, name) for name in three if name != left) for left in three]
    return *drawing.asked(place, f'two {drawing.often} objects'), options, ()


def _two_places(drawing: _Drawing) -> _Built:
    (first, second), (here, there) = drawing.chance.sample(drawing.names, 2), drawing.chance.sample(CONTAINERS[:3], 2)
    one, other = drawing.asked(here, f'the {first}'), drawing.asked(there, f'the {second}')
    wanted = [frozenset({(here, first), (there, second)})]
    return f'{one[0]} and {other[0]}', f'{one[1]} and {other[1]}', wanted, ()


def _in_order(drawing: _Drawing) -> _Built:
    (first, second), (here, there) = (
        drawing.chance.sample(drawing.names, 2),
        drawing.chance.sample((*CONTAINERS[:3], USER), 2),
    )
    one, other = drawing.asked(here, f'the {first}'), drawing.asked(there, f'the {second}')
    order = [(here, first), (there, second)]
    return f'first {one[0]} and then {other[0]}', f'first {one[1]} and then {other[1]}', [frozenset(order)], order


def _leaving(drawing: _Drawing) -> _Built:
    place, (name, left) = drawing.place(), drawing.chance.sample(drawing.names, 2)
    do, doing = drawing.asked(place, f'the {name}')
    rest = drawing.chance.choice((f'leave the {left} where it is', f'leave the {left} alone'))
    return f'{do} but {rest}', f'{doing} but {rest}', [frozenset({(place, name)})], ()


def _conditional(drawing: _Drawing) -> _Built:
    place, name = drawing.place(), drawing.chance.choice(drawing.names)
    seen = drawing.chance.random() < 0.5
    other = drawing.chance.choice([item for item in drawing.names if item != name]) if seen else drawing.absent
    word = drawing.chance.choice(('if', 'unless'))
    do, doing = drawing.asked(place, f'the {name}')
    wanted = frozenset({(place, name)}) if seen == (word == 'if') else frozenset()
    tail = f'{word} there is {"an" if other[0] in "aeiou" else "a"} {other} on the table'
    return f'{do} {tail}', f'{doing} {tail}', [wanted], ()


def _beyond(drawing: _Drawing) -> _Built:
    do, doing = drawing.chance.choice(_BEYOND)
    name = f'the {drawing.chance.choice(drawing.names)}'
    return do.format(it=name), doing.format(it=name), (), ()


def _absent(drawing: _Drawing) -> _Built:
    return *drawing.asked(drawing.place(), f'the {drawing.absent}'), (), ()


_KINDS: Mapping[str, Callable[[_Drawing], _Built]] = {
    'single': _single,
    'coloured': _coloured,
    'pair': _pair,
    'all of a colour': _all_of,
    'all but one': _all_but,
    'two of three': _some_of,
    'two places': _two_places,
    'in order': _in_order,
    'leaving one': _leaving,
    'conditional': _conditional,
    'outside': _beyond,
    'not there': _absent,
}
