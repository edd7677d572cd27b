"""Pairs of an older and a newer statement, drawn at random, where the newer one may or must not close the older one.

The rules of the product were made on the pairs of `kept`, then mended on those of `kept_fresh`, which have other
sentences. How many of `closed` and `closed_fresh` close is no goal.

The sentences are written for this; no word for a thing, an event or a measure is in a word list of the product.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass

PLACES = ['attic', 'greenhouse', 'boathouse', 'stable', 'bakery', 'pavilion', 'orchard', 'cellar']
EVENTS = ['recital', 'rehearsal', 'tasting', 'excursion', 'carnival', 'regatta', 'banquet', 'seminar']
KINDS = ['pottery', 'falconry', 'beekeeping', 'quilting', 'archery', 'yodelling', 'origami', 'chess']
MEASURES = ['tuition', 'deposit', 'premium', 'insurance', 'subsidy', 'allowance', 'toll', 'stipend']
NAMES = ['Ines', 'Tarek', 'Wanda', 'Okello', 'Birgit', 'Ravi']
KIN = ['brother', 'niece', 'grandfather', 'neighbour', 'landlady', 'flatmate']
DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']


@dataclass(frozen=True)
class Pair:
    """Two statements of one person, and by what design the newer one closes or does not close the older one."""

    design: str
    old: str
    new: str
    closes: bool


@dataclass(frozen=True)
class PairScene:
    """What a pair is about: a value of a thing, another value of the same type, and other things."""

    subject: str
    thing: str
    attribute: str
    value: str
    other: str
    other_thing: str
    other_attribute: str
    is_date: bool

    @property
    def verb(self) -> str:
        """What happened to the value."""
        return 'moved' if self.is_date else 'raised'

    @property
    def at(self) -> str:
        """The link of a value after "is"."""
        return 'on ' if self.is_date else ''


def drawn(chance: random.Random) -> PairScene:
    """A scene at random."""
    if chance.random() < 0.4:
        event, other_event = chance.sample(EVENTS, 2)
        kind, other = chance.sample(KINDS, 2)
        value, new = chance.sample(DAYS, 2)
        return PairScene(f'the {kind} {event}', kind, event, value, new, other, other_event, True)
    measure, other_measure = chance.sample(MEASURES, 2)
    place, other = chance.sample(PLACES, 2)
    numbers = [f'{number} euros' for number in sorted(chance.sample(range(30, 990), 2))]
    subject = chance.choice([f'the {place} {measure}', f'the {measure} for the {place}'])
    return PairScene(subject, place, measure, numbers[0], numbers[1], other, other_measure, False)


def _told(scene: PairScene, chance: random.Random) -> str:
    subject = _capital(scene.subject)
    if scene.is_date:
        return chance.choice([f'{subject} is on {scene.value}.', f'{subject} is planned for {scene.value}.'])
    return chance.choice(
        [f'{subject} is {scene.value}.', f'We agreed on {scene.subject} of {scene.value}.'.replace('on the', 'on a')]
    )


def _change(scene: PairScene, subject: str, chance: random.Random) -> str:
    """A sentence that says that a value changed, in one of many forms."""
    new, capital = scene.other, _capital(subject)
    forms = [
        f'{capital} has been {scene.verb} to {new}.',
        f'{capital} was {scene.verb} to {new}.',
        f'We {scene.verb} {subject} to {new}.',
        f'We have just {scene.verb} {subject} from {scene.value} to {new}.',
        f'I am glad that {subject} has been {scene.verb} to {new}.',
        f'{capital} is now {scene.at}{new}.',
        f'We decided that {subject} is {scene.at}{new} instead.',
    ]
    if not scene.is_date:
        forms += [
            f'{capital} went up to {new}.',
            f'{capital} climbed from {scene.value} to {new}, so I am saving.',
            f'How do I pay {subject.replace("the ", "the increased ", 1)} of {new}?',
            f'{capital} jumped to {new}.',
            f'We now pay {new} for {subject}.',
        ]
    else:
        forms += [
            f'{capital} has been pushed back to {new}, what should I pack?',
            f'We settled on {new} for {subject} instead.',
            f'{capital} will be moved to {new}.',
            f'They rescheduled {subject} to {new}.',
            f'{capital} takes place on {new} now.',
        ]
    return chance.choice(forms)


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _renamed(scene: PairScene, thing: str, attribute: str) -> str:
    return scene.subject.replace(scene.thing, thing).replace(scene.attribute, attribute)


def _same(scene: PairScene, chance: random.Random) -> tuple[str, str]:
    return _told(scene, chance), _change(scene, scene.subject, chance)


def _other_attribute(scene: PairScene, chance: random.Random) -> tuple[str, str]:
    return _told(scene, chance), _change(scene, _renamed(scene, scene.thing, scene.other_attribute), chance)


def _other_thing(scene: PairScene, chance: random.Random) -> tuple[str, str]:
    return _told(scene, chance), _change(scene, _renamed(scene, scene.other_thing, scene.attribute), chance)


def _part_of_the_thing(scene: PairScene, chance: random.Random) -> tuple[str, str]:
    part = chance.choice(['roof', 'kitchen', 'keys', 'catalogue', 'lighting', 'cleaning'])
    return _told(scene, chance), _change(scene, f'the {part} of {scene.subject}', chance)


def _something_for_the_thing(scene: PairScene, chance: random.Random) -> tuple[str, str]:
    extra = chance.choice(['registration', 'surcharge', 'refund', 'preview', 'rehearsal dinner', 'tax'])
    return _told(scene, chance), _change(scene, f'{scene.subject} {extra}', chance)


def _other_person(scene: PairScene, chance: random.Random) -> tuple[str, str]:
    bare = scene.subject.removeprefix('the ')
    owners = ['my', f"my {chance.choice(KIN)}'s", 'her', *(f"{name}'s" for name in chance.sample(NAMES, 2))]
    one, two = chance.sample(owners, 2)
    old = f'{_capital(one)} {bare} is {scene.at}{scene.value}.'
    return old, _change(scene, f'{two} {bare}', chance).replace('We decided', 'They decided')


def _other_occasion(scene: PairScene, chance: random.Random) -> tuple[str, str]:
    one, two = chance.sample(['beginners', 'widows', 'veterans', 'tourists', 'choristers'], 2)
    old = f'{_capital(scene.subject)} for {one} is {scene.at}{scene.value}.'
    return old, _change(scene, f'{scene.subject} for {two}', chance)


def _framed_pair(old: str, new: str) -> Callable[[PairScene, random.Random], tuple[str, str]]:
    """A design from a frame for each statement, with two places, owners and sizes to fill in."""

    def design(scene: PairScene, chance: random.Random) -> tuple[str, str]:
        one, two = chance.sample(['near the lake', 'near the mill', 'in winter', 'in summer', 'with breakfast'], 2)
        owner, other = chance.sample(NAMES, 2)
        size, second = chance.sample(['big', 'small', 'private', 'public', 'upper', 'haunted'], 2)
        words = {'one': one, 'two': two, 'owner': owner, 'other': other, 'size': size, 'second': second}
        return old.format(**_parts(scene), **words), new.format(**_parts(scene), **words)

    return design


def _parts(scene: PairScene) -> dict[str, str]:
    return {
        's': scene.subject,
        'S': _capital(scene.subject),
        'b': scene.subject.removeprefix('the '),
        'v': scene.verb,
        'value': scene.value,
        'new': scene.other,
        'at': scene.at,
    }


def _framed(*frames: str) -> Callable[[PairScene, random.Random], tuple[str, str]]:
    def design(scene: PairScene, chance: random.Random) -> tuple[str, str]:
        return _told(scene, chance), chance.choice(frames).format(**_parts(scene))

    return design


KEPT: dict[str, Callable[[PairScene, random.Random], tuple[str, str]]] = {
    'other attribute': _other_attribute,
    'other thing': _other_thing,
    'part of it': _part_of_the_thing,
    'something for it': _something_for_the_thing,
    'other person': _other_person,
    'other occasion': _other_occasion,
    'question': _framed(
        'Was {s} {v} to {new}?',
        'Did you hear whether {s} has been {v} to {new}?',
        'Should we have {s} {v} to {new}?',
        'Is it true that the new {b} is {at}{new}?',
        '{S} was {v} to {new}, is that right?',
        '{S} is now {at}{new}, or am I wrong?',
    ),
    'supposed': _framed(
        'If {s} was {v} to {new}, we would have to leave.',
        '{S} would be {v} to {new} in that case.',
        'Suppose {s} has been {v} to {new}.',
        'Imagine the new {b} is {at}{new}.',
        'Once {s} is {v} to {new}, we move out.',
        'What would happen with the new {b} of {new}?',
    ),
    'denied': _framed(
        '{S} was not {v} to {new}.',
        '{S} has never been {v} to {new}.',
        'Nobody {v} {s} to {new}.',
        'They refused to have {s} {v} to {new}.',
        'It is a rumour that {s} was {v} to {new}.',
        '{S} was almost {v} to {new}.',
        'It is wrong that {s} was {v} to {new}.',
    ),
    'wished': _framed(
        'I want {s} {v} to {new}.',
        'Please have {s} {v} to {new}.',
        'We should have {s} {v} to {new} instead.',
        'They proposed to have {s} {v} to {new}.',
        '{S} should be {v} to {new}.',
        '{S} may be {v} to {new}.',
        'I dreamt that {s} was {v} to {new}.',
    ),
    'past': _framed(
        'Two years ago {s} was {v} to {new}.',
        'Before the war {s} was {v} to {new}.',
        '{S} had been {v} to {new} before that.',
        '{S} used to be {at}{new}.',
        'Back then we {v} {s} to {new}.',
        'In 1998 {s} was {v} to {new}.',
        '{S} was {v} to {new} years ago.',
    ),
    'reported': _framed(
        'In the novel {s} was {v} to {new}.',
        'Somebody claimed that {s} was {v} to {new}.',
        'The paper wrongly says that {s} was {v} to {new}.',
        'In my game {s} is now {at}{new}.',
    ),
}


def _amount_of_change(scene: PairScene, chance: random.Random) -> tuple[str, str]:
    if scene.is_date:
        frames = ('We {v} {s} by two days.', '{S} is now two hours shorter.', '{S} was {v} by three hours in all.')
    else:
        frames = ('{S} was {v} by {new}.', '{S} is now {new} higher.', '{S} is now {new} above what we can pay.')
    return _framed(*frames)(scene, chance)


FRESH_KEPT: dict[str, Callable[[PairScene, random.Random], tuple[str, str]]] = {
    'other attribute': _other_attribute,
    'other thing': _other_thing,
    'other place': _framed_pair('{S} {one} is {at}{value}.', '{S} {two} was {v} to {new}.'),
    'other owner': _framed_pair('{S} of {owner} is {at}{value}.', '{S} of {other} has been {v} to {new}.'),
    'other size': _framed_pair('The {size} {b} is {at}{value}.', 'The {second} {b} is now {at}{new}.'),
    'amount of change': _amount_of_change,
    'question': _framed(
        'Has {s} really been {v} to {new}?',
        'Who told you that {s} is now {at}{new}?',
        'Can {s} be {v} to {new}?',
        'Do you know if the new {b} is {at}{new}?',
        '{S} was {v} to {new}, right?',
    ),
    'supposed': _framed(
        'Had {s} been {v} to {new}, I would know.',
        'Let us say {s} was {v} to {new}.',
        'In case {s} is {v} to {new}, call me.',
        'What if {s} has been {v} to {new}?',
        'Provided that {s} is now {at}{new}, we can go.',
        'It looks as if {s} was {v} to {new}.',
    ),
    'denied': _framed(
        'Contrary to what I heard, {s} was never {v} to {new}.',
        "They haven't {v} {s} to {new}.",
        'There is no way that {s} was {v} to {new}.',
        'He lied that {s} was {v} to {new}.',
        'It is not true that {s} is now {at}{new}.',
        'The plan to have {s} {v} to {new} was dropped.',
        'By mistake my calendar has {s} at {new} instead.',
    ),
    'wished': _framed(
        'I would like {s} {v} to {new}.',
        'It is high time that {s} was {v} to {new}.',
        'Try to get {s} {v} to {new}.',
        'They want {s} {v} to {new}.',
        'Remind me to have {s} {v} to {new}.',
        'We are hoping that {s} gets {v} to {new}.',
        'Can you see to it that {s} is {v} to {new}?',
    ),
    'past': _framed(
        'Last year {s} was {v} to {new}.',
        'When I was a child, {s} was {v} to {new}.',
        '{S} was once {v} to {new}.',
        'In those days {s} had just been {v} to {new}.',
        'Until the flood {s} was {at}{new}.',
        'At first {s} was {at}{new}.',
    ),
    'reported': _framed(
        'According to a legend {s} was {v} to {new}.',
        'My horoscope says {s} was {v} to {new}.',
        'Tarek joked that {s} was {v} to {new}.',
        'On another planet {s} is now {at}{new}.',
        'The actor shouts that {s} was {v} to {new}.',
        'The old contract says {s} was {v} to {new}.',
    ),
}

FRESH_CLOSED = _framed(
    '{S} has been {v} to {new} as of today.',
    'Good news: {s} has been {v} to {new}.',
    'They have {v} {s} to {new}, which surprised me.',
    'You should know that {s} is {at}{new} now.',
    'We had to accept that {s} was {v} to {new}.',
    'The committee {v} {s} to {new}.',
    '{S} is {at}{new} now instead of {value}.',
    'I heard this morning that {s} has been {v} to {new}.',
    'Since {s} was {v} to {new}, I sleep badly.',
    '{S}, which was {value}, is now {at}{new}.',
)


def kept(seed: int) -> Pair:
    """A pair whose older statement must stay."""
    return _kept(seed, KEPT)


def closed(seed: int) -> Pair:
    """A pair whose newer statement replaces the older one."""
    chance = random.Random(seed)
    return Pair('same', *_same(drawn(chance), chance), closes=True)


def kept_fresh(seed: int) -> Pair:
    """As `kept`, in other sentences."""
    return _kept(seed, FRESH_KEPT)


def closed_fresh(seed: int) -> Pair:
    """As `closed`, in other sentences."""
    chance = random.Random(seed)
    return Pair('same', *FRESH_CLOSED(drawn(chance), chance), closes=True)


def _kept(seed: int, designs: dict[str, Callable[[PairScene, random.Random], tuple[str, str]]]) -> Pair:
    chance = random.Random(seed)
    design = list(designs)[seed % len(designs)]
    return Pair(design, *designs[design](drawn(chance), chance), closes=False)
