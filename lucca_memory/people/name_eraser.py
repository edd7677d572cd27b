"""Replacing a person's name in texts by "somebody"."""

import re
import unicodedata
from typing import Literal

NOBODY = 'somebody'
"""Replaces the name of an erased person."""

_FORMS: tuple[Literal['NFC', 'NFD', 'NFKC', 'NFKD'], ...] = ('NFC', 'NFD', 'NFKC', 'NFKD')

_MARKS = '[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]'
"""Accents that follow their letter: with one of them, it is another letter."""

_UNSPACED = re.compile(
    '[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]{2,}'
)
"""Names in scripts that put no spaces between words: Thai, Lao, Burmese, Khmer, Japanese, Chinese."""

_APOSTROPHES = "'\u2018\u2019\u02bc\u00b4`"
_HYPHENS = '-\u2010\u2011\u2012\u2013\u2212'
_ALIKE = {sign: f'[{re.escape(signs)}]' for signs in (_APOSTROPHES, _HYPHENS) for sign in signs}
"""Apostrophes and hyphens, which keyboards and transcribers write in several ways."""


class NameEraser:
    """Finds and replaces a name as a separate word, ignoring case and the width of spaces, in any Unicode form.

    An accent may be written as one character or as two: texts are stored as they came. In scripts without spaces, the
    name is found inside a run of characters, too.
    """

    def __init__(self, name: str) -> None:
        words = unicodedata.normalize('NFKC', name).split()
        forms = [name, name.casefold(), *(unicodedata.normalize(form, name) for form in _FORMS)]
        spellings = sorted({r'\s+'.join(map(_pattern_of, form.split())) for form in forms})
        begin, end = (r'(?<![^\W_])', rf'(?![^\W_]|{_MARKS})') if not _UNSPACED.fullmatch(''.join(words)) else ('', '')
        self._pattern = re.compile(
            '|'.join(f'{begin}{spelling}{end}' for spelling in spellings if spelling), re.IGNORECASE
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
    return ''.join(_ALIKE.get(char) or re.escape(char) for char in word).replace('ss', '(?:ss|ß)')
