"""The WordPiece tokenizer of uncased BERT models: text to token ids.

Devlin et al. 2019, section 3. Text is normalised, split at spaces and punctuation, and matched with the longest pieces
of the vocabulary first. As in the uncased models: lower case, no accents, every CJK character is a word.
"""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from lucca_core.regular_file import read_regular_text

LONGEST_WORD = 100
"""Longer words become one unknown token."""


@dataclass(frozen=True, slots=True)
class Marks:
    """The tokens of a vocabulary that begin and end a text, and that stand for an unknown word."""

    begin: str
    end: str
    unknown: str
    between: int = 1
    """How many ends stand between two texts that are read together."""


BERT_MARKS = Marks('[CLS]', '[SEP]', '[UNK]')


class WordPiece:
    """The tokenizer of one vocabulary."""

    def __init__(self, vocabulary: Mapping[str, int], max_tokens: int, marks: Marks = BERT_MARKS) -> None:
        """`max_tokens` includes the begin and end tokens.

        Raises:
            ValueError: the vocabulary lacks one of the marks.
        """
        wanted = marks.begin, marks.end, marks.unknown
        if missing := [mark for mark in wanted if mark not in vocabulary]:
            raise ValueError(f'the vocabulary lacks {", ".join(missing)}')
        self._vocabulary = vocabulary
        self._begin, self._end, self._unknown = (vocabulary[mark] for mark in wanted)
        self._between = marks.between
        self._max_pieces = max_tokens - 2
        self._pieces = lru_cache(maxsize=50_000)(self._split_word)

    @classmethod
    def load(cls, file: Path, max_tokens: int, marks: Marks = BERT_MARKS) -> 'WordPiece':
        """Reads a `vocab.txt` with one token per line.

        Raises:
            OSError: the file cannot be read.
            ValueError: it is not a vocabulary.
        """
        words = read_regular_text(file).split('\n')
        return cls({word: number for number, word in enumerate(words) if word}, max_tokens, marks)

    def ids(self, text: str) -> list[int]:
        """Token ids of a text with begin and end tokens, cut to the allowed length."""
        return [self._begin, *self._cut(text, self._max_pieces), self._end]

    def pair_ids(self, left: str, right: str, longest: int) -> tuple[list[int], int]:
        """Token ids of two texts that are read together, with marks, and where the second text begins.

        They are at most `longest` with the marks. If they would be more, the longer text is cut, or both if each has
        more than half of the room.

        Raises:
            ValueError: there is not even room for the marks.
        """
        room = longest - 2 - self._between
        if room < 0:
            raise ValueError(f'two texts need more than {longest} tokens')
        first, second = self._cut(left, room), self._cut(right, room)
        first = first[: max(room - len(second), room // 2)]
        second = second[: room - len(first)]
        head = [self._begin, *first, *[self._end] * self._between]
        return [*head, *second, self._end], len(head)

    def _cut(self, text: str, most: int) -> list[int]:
        """Token ids of the beginning of a text, without marks."""
        ids: list[int] = []
        # A token has at least one character, so text far beyond the limit can be ignored.
        for word in _words(text[: LONGEST_WORD * most]):
            ids.extend(self._pieces(word))
            if len(ids) >= most:
                break
        return ids[:most]

    def is_whole(self, word: str) -> bool:
        """Whether a word is one piece of the vocabulary."""
        return word.lower() in self._vocabulary

    def _split_word(self, word: str) -> tuple[int, ...]:
        if len(word) > LONGEST_WORD:
            return (self._unknown,)
        ids, start = [], 0
        while start < len(word):
            prefix = '##' if start else ''
            for end in range(len(word), start, -1):
                if (piece := self._vocabulary.get(prefix + word[start:end])) is not None:
                    break
            else:
                return (self._unknown,)
            ids.append(piece)
            start = end
        return tuple(ids)


def _words(text: str) -> list[str]:
    parts: list[str] = []
    for char in unicodedata.normalize('NFD', text.lower()):
        category = unicodedata.category(char)
        if category == 'Mn' or char in '\0�' or (category in ('Cc', 'Cf') and char not in '\t\n\r'):
            continue
        if _is_punctuation(char, category) or _is_cjk(ord(char)):
            parts.append(f' {char} ')
        else:
            parts.append(char)
    return ''.join(parts).split()


def _is_punctuation(char: str, category: str) -> bool:
    # As in BERT, all ASCII symbols count as punctuation, whatever their Unicode category.
    return category.startswith('P') or (char.isascii() and char.isprintable() and not char.isalnum() and char != ' ')


def _is_cjk(code: int) -> bool:
    return (
        0x4E00 <= code <= 0x9FFF
        or 0x3400 <= code <= 0x4DBF
        or 0x20000 <= code <= 0x2CEAF
        or 0xF900 <= code <= 0xFAFF
        or 0x2F800 <= code <= 0x2FA1F
    )
