"""Attack on the action-call parser: an independent second parser must agree with it on random texts."""

import random
import string
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from action_node.gate.call_parser import parse_action
from lucca_core.codes import ReasonCode
from lucca_core.errors import RefusalError
from lucca_lab.attack.attack import Attack, Broken, Counts, Trial

_NAMES = ('give', 'point', 'move_to_box_1', 'a' * 64, 'a' * 65, 'Give', '1give', '_give', 'g\u0456ve', '', 'give2')
_OBJECTS = (
    'pear',
    'red cube',
    'pear 2',
    ' pear',
    'pear ',
    '',
    'a' * 80,
    'a' * 81,
    'p\u200bear',
    'p\near',
    '\U0001f34e',
    'x(y',
    '\ud800',
    'é',
)
_PROSE = (
    '',
    ' ',
    'I will now ',
    '\n',
    '1. ',
    'The pear (green) ',
    'done.',
    'f(x)',
    'f (x)',
    '<think>',
    '\uff1cgive(pear)\uff1e',
    '->',
    '()',
)
_SOUP = '<>()ab_ 1A\u0430\uff1c\u200b\n,.'
_LOWER, _DIGITS = frozenset(string.ascii_lowercase), frozenset(string.digits)
_BEFORE_A_BRACKET = frozenset(string.ascii_letters + string.digits + '_')


@contextmanager
def _open(folder: Path) -> Iterator[Trial]:
    def trial(chance: random.Random) -> Counts:
        text = _drawn(chance)
        found, expected = _answer(text), reference(text)
        if found != expected:
            raise Broken(f'{text[:200]!a} is {found!r}, by the grammar {expected!r}')
        return {'calls' if isinstance(found, tuple) else str(found): 1}

    yield trial


def _answer(text: str) -> tuple[str, str] | ReasonCode:
    try:
        call = parse_action(text)
    except RefusalError as refusal:
        return refusal.code
    return call.name, call.argument


def reference(text: str) -> tuple[str, str] | ReasonCode:
    """Name and argument of the only call in a text, or the reason why there is none.

    It follows the grammar and shares no code with the parser.
    """
    if len(text) > 8192:
        return ReasonCode.MALFORMED
    pairs, left_over, begin = [], 0, -1
    for place, char in enumerate(text):
        if char == '<':
            left_over += begin >= 0
            begin = place
        elif char == '>' and begin >= 0:
            pairs.append((begin, place))
            begin = -1
        elif char == '>':
            left_over += 1
    left_over += begin >= 0
    calls = [(start, end) for start, end in pairs if '(' in text[start:end]]
    if len(calls) != 1:
        return ReasonCode.SEVERAL_ACTIONS if calls else ReasonCode.MALFORMED
    if left_over or len(pairs) > 1:
        return ReasonCode.MALFORMED
    start, end = calls[0]
    for place, char in enumerate(text):
        outside = place < start or place > end + 1
        if char == '(' and outside and place > 0 and text[place - 1] in _BEFORE_A_BRACKET:
            return ReasonCode.SEVERAL_ACTIONS
    name, _, rest = text[start + 1 : end].partition('(')
    known = bool(name) and len(name) <= 64 and name[0] in _LOWER and set(name) <= _LOWER | _DIGITS | {'_'}
    argument = rest[:-1]
    whole = rest.endswith(')') and 1 <= len(argument) <= 80 and not set(argument) & set('()')
    plain = argument.isprintable() and argument.strip() == argument
    return (name, argument) if known and whole and plain else ReasonCode.MALFORMED


def _drawn(chance: random.Random) -> str:
    kind = chance.random()
    if kind < 0.2:
        return ''.join(chance.choices(_SOUP, k=chance.randint(0, 60)))
    call = f'<{chance.choice(_NAMES[:3])}({chance.choice(_OBJECTS[:3])})>'
    if kind < 0.4:
        return f'{chance.choice(_PROSE)}{call}{chance.choice(_PROSE)}'
    if kind < 0.6:
        return f'<{chance.choice(_NAMES)}({chance.choice(_OBJECTS)})>'
    if kind < 0.7:
        return ''.join(chance.choices((call, *_PROSE), k=chance.randint(1, 5)))
    if kind < 0.72:
        return call + chance.choice(_SOUP) * chance.choice((8192 - len(call), 8193 - len(call)))
    text = list(call)
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(text) + 1)
        text[place : place + chance.randint(0, 2)] = chance.choice(
            (chance.choice(_SOUP), chr(chance.randrange(0x3000)), '')
        )
    return ''.join(text)


PART = Attack(
    name='texts',
    promise='A text is the one call that a second parser finds in it, or is refused with the code that it gives.',
    open=_open,
    sample=2000,
    count=100_000,
)
