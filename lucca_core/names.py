"""What may be the name of a person: it stands in prompts, on terminals and in files, and two that look alike must be one."""

import unicodedata

MOST_NAME_CHARS = 80
_MOST_RAW_CHARS = 4 * MOST_NAME_CHARS
_MOST_MARKS = 3
"""Accents on one letter; there are languages that need three, and texts that climb over the lines above them."""


def check_name(name: str) -> str:
    """The name in its normal form (NFC), with single spaces and none around it.

    Raises:
        ValueError: it is empty or too long, has no letter or digit, or holds a character that is not seen, changes the direction
            of writing, or that prompts, calls or terminals give a meaning (`<`, `>`, backslash). The message says which.
    """
    # Before anything is made of it: it comes from outside and may have any length.
    if len(name) > _MOST_RAW_CHARS:
        raise ValueError(f'a name has {MOST_NAME_CHARS} characters at most, got {len(name)}: {name[:40]!a}…')
    normal = ' '.join(unicodedata.normalize('NFC', name).split())
    if len(normal) > MOST_NAME_CHARS:
        raise ValueError(f'a name has {MOST_NAME_CHARS} characters at most, got {len(normal)}: {normal[:40]!a}…')
    for character in normal:
        if not character.isprintable() or _is_blank(character):
            raise ValueError(f'a name holds no {_described(character)}, got {name[:80]!a}')
        if character in '<>\\':
            raise ValueError(f'a name holds no {character!r}, got {name[:80]!a}')
    if not any(character.isalnum() for character in normal):
        raise ValueError(f'a name needs a letter or a digit, got {name[:80]!a}')
    marks = 0
    for character in unicodedata.normalize('NFD', normal):
        marks = marks + 1 if unicodedata.category(character) == 'Mn' else 0
        if marks > _MOST_MARKS:
            raise ValueError(f'a name has {_MOST_MARKS} accents on a letter at most, got {name[:80]!a}')
    return normal


def _is_blank(character: str) -> bool:
    """Characters that print nothing although they are no spaces: Hangul fillers, Braille blank, variation selectors, …"""
    return character in '\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0' or (
        '\ufe00' <= character <= '\ufe0f'
        or '\U000e0100' <= character <= '\U000e01ef'
        or '\u180b' <= character <= '\u180f'
    )


def _described(character: str) -> str:
    kind = (
        'character that is not seen'
        if unicodedata.category(character) in ('Cf', 'Mn', 'Lo', 'So')
        else 'control character'
    )
    return f'{kind} such as U+{ord(character):04X}'
