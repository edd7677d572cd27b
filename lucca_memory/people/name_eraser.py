"""Replacing a person's name in texts by "somebody"."""

import re
import unicodedata
from typing import Literal

NOBODY = 'somebody'
"""Replaces the name of an erased person."""

_FORMS: tuple[Literal['NFC', 'NFD', 'NFKC', 'NFKD'], ...] = ('NFC', 'NFD', 'NFKC', 'NFKD')

_MARKS = '[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]'
"""Accents that follow their letter: with one of them, it is another letter."""


class NameEraser:
    """Finds and replaces a name as a separate word, ignoring case and the width of spaces, in any Unicode form.

    An accent may be written as one character or as two: texts are stored as they came.
    """

    def __init__(self, name: str) -> None:
        words = unicodedata.normalize('NFKC', name).split()
        forms = [name, name.casefold(), *(unicodedata.normalize(form, name) for form in _FORMS)]
        spellings = sorted({r'\s+'.join(map(_pattern_of, form.split())) for form in forms})
        self._pattern = re.compile(
            '|'.join(rf'(?<![^\W_]){spelling}(?![^\W_]|{_MARKS})' for spelling in spellings if spelling),
            re.IGNORECASE,
        )
        self._is_empty = not words
        self.words = frozenset(word.casefold() for word in words)
        """The words of the name."""

    def clean(self, text: str) -> str:
        """The text without the name."""
        return text if self._is_empty else self._pattern.sub(NOBODY, text)

    def count_in(self, text: str) -> int:
        """How often the name occurs in the text."""
        return 0 if self._is_empty else sum(1 for _ in self._pattern.finditer(text))

    def occurs_in(self, text: str) -> bool:
        """True if the name occurs in the text."""
        return not self._is_empty and self._pattern.search(text) is not None


def _pattern_of(word: str) -> str:
    return re.escape(word).replace('ss', '(?:ss|ß)')
