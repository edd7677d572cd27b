"""Replacing a person's name in texts by "somebody"."""

import re
import unicodedata

NOBODY = 'somebody'
"""Replaces the name of an erased person."""


class NameEraser:
    """Finds and replaces a name as a separate word, ignoring case, compatibility forms and the width of spaces."""

    def __init__(self, name: str) -> None:
        words = unicodedata.normalize('NFKC', name).split()
        spellings = {r'\s+'.join(map(re.escape, words)), r'\s+'.join(map(re.escape, name.split()))}
        self._pattern = re.compile(
            '|'.join(rf'(?<![^\W_]){spelling}(?![^\W_])' for spelling in spellings if spelling),
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
