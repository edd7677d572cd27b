"""Names of people, checked and normalised for prompts, terminals and files."""

import unicodedata

MOST_NAME_CHARS = 80
_MOST_RAW_CHARS = 4 * MOST_NAME_CHARS
_MOST_MARKS = 3
"""Accents on one letter. Some languages need three; many more would overlap the lines of text above."""


def check_name(name: str) -> str:
    """The name in Unicode normal form NFC, with single spaces inside and none at the ends.

    Raises:
        ValueError: the name is too long, has no letter or digit, or holds a character that is invisible, changes the
            writing direction or has a meaning in prompts, calls or terminals (`<`, `>`, backslash).
    """
    # Checked first, because the text comes from outside and may have any length.
    if len(name) > _MOST_RAW_CHARS:
        raise ValueError(f'a name has at most {MOST_NAME_CHARS} characters, got {len(name)}: {name[:40]!a}…')
    normal = ' '.join(unicodedata.normalize('NFC', name).split())
    if len(normal) > MOST_NAME_CHARS:
        raise ValueError(f'a name has at most {MOST_NAME_CHARS} characters, got {len(normal)}: {normal[:40]!a}…')
    for character in normal:
        if not character.isprintable() or _is_blank(character):
            raise ValueError(f'a name must not hold {_described(character)}, got {name[:80]!a}')
        if character in '<>\\':
            raise ValueError(f'a name must not hold {character!r}, got {name[:80]!a}')
    if not any(character.isalnum() for character in normal):
        raise ValueError(f'a name needs a letter or a digit, got {name[:80]!a}')
    marks = 0
    for character in unicodedata.normalize('NFD', normal):
        marks = marks + 1 if unicodedata.category(character) == 'Mn' else 0
        if marks > _MOST_MARKS:
            raise ValueError(f'a name has at most {_MOST_MARKS} accents on a letter, got {name[:80]!a}')
    return normal


def _is_blank(character: str) -> bool:
    """Whether a character is blank without being a space: Hangul fillers, Braille blank, variation selectors, …"""
    return character in '\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0' or (
        '\ufe00' <= character <= '\ufe0f'
        or '\U000e0100' <= character <= '\U000e01ef'
        or '\u180b' <= character <= '\u180f'
    )


def _described(character: str) -> str:
    is_invisible = unicodedata.category(character) in ('Cf', 'Mn', 'Lo', 'So')
    kind = 'an invisible' if is_invisible else 'a control'
    return f'{kind} character such as U+{ord(character):04X}'
