"""Escaping any text into one readable line, and back: names may contain commas, newlines or look-alikes."""

import re
from collections.abc import Sequence

NOTHING = 'none'
"""The text of an empty list."""

_STRUCTURE = frozenset(',;=():')
_ESCAPE = re.compile(r'\\(n|e|u[0-9a-f]{4}|U[0-9a-f]{8}|.|$)', re.DOTALL)


def escape_line(text: str) -> str:
    """Text as one printable line: backslashes and unprintable characters are escaped."""
    return ''.join(_escaped(char) for char in text)


def unescape(text: str) -> str:
    """The inverse of `escape_line` and `escape_word`.

    Raises:
        ValueError: a backslash is not followed by a known escape.
    """
    return _ESCAPE.sub(_unescaped, text)


def escape_word(text: str) -> str:
    """Text as one word of a line: like `escape_line`, with the characters that structure a line escaped too."""
    if not text:
        return '\\e'
    if text == NOTHING:
        return f'{_numbered(text[0])}{text[1:]}'
    parts = [f'\\{char}' if char in _STRUCTURE else _escaped(char) for char in text]
    for end in (0, -1):
        if text[end] == ' ':
            parts[end] = _numbered(' ')
    return ''.join(parts)


def join_words(words: Sequence[str]) -> str:
    """Words as one line, separated by commas; `none` for no words."""
    return ', '.join(map(escape_word, words)) or NOTHING


def split_words(line: str) -> tuple[str, ...]:
    """The inverse of `join_words`.

    Raises:
        ValueError: a backslash is not followed by a known escape.
    """
    return () if line == NOTHING else tuple(map(unescape, split_escaped(line, ', ')))


def split_escaped(line: str, separator: str, most: int = 0) -> list[str]:
    """Splits a line at a separator that begins with a character escaped in words; at most `most` times (0: any)."""
    # Inside words a backslash is written as a number, so one before the separator always means an escaped character.
    return re.split(rf'(?<!\\){re.escape(separator)}', line, maxsplit=most)


def _escaped(char: str) -> str:
    if char == '\\':
        return '\\u005c'
    if char == '\n':
        return '\\n'
    return char if char.isprintable() else _numbered(char)


def _numbered(char: str) -> str:
    code = ord(char)
    return f'\\u{code:04x}' if code <= 0xFFFF else f'\\U{code:08x}'


def _unescaped(match: re.Match[str]) -> str:
    body = match[1]
    if body == 'n':
        return '\n'
    if body == 'e':
        return ''
    if len(body) > 1:
        code = int(body[1:], 16)
        if code > 0x10FFFF:
            raise ValueError(f'{match[0]!r} is not a character')
        return chr(code)
    if body in _STRUCTURE and body:
        return body
    raise ValueError(f'{match[0]!r} is not a known escape')
