"""The names of documents (headings and aliases), and the search for them in a question.

A question says a name if the name's words occur side by side in it, in any inflection. A shorter name within a longer
one that is said does not count: "garden shed key" does not say "garden". If no name is said, a single word misspelt by
one or two edits counts, provided that it is long enough to be hardly mistaken for another word.
"""

from collections.abc import Iterable, Mapping

from lucca_core.edit_distance import edit_distance
from lucca_memory.retrieval.analysis import stem_of, words_of

Stems = tuple[str, ...]

_ONE_EDIT_FROM = 5
_TWO_EDITS_FROM = 8
"""Minimum number of letters of a word that may be misspelt by two edits."""


def stems_of_name(name: str) -> Stems:
    """The words of a name as they are compared; function words count, as in "to do"."""
    return tuple(stem_of(word) for word in words_of(name))


class DocumentNames:
    """Names of the rows of an index. Not thread-safe."""

    def __init__(self, names: Iterable[tuple[int, Iterable[str]]] = ()) -> None:
        self._rows: dict[Stems, list[int]] = {}
        self._of: dict[int, tuple[str, ...]] = {}
        for row, given in names:
            self.add(row, given)

    def add(self, row: int, names: Iterable[str]) -> None:
        """Adds the names of a row."""
        kept = tuple(name for name in names if stems_of_name(name))
        if kept:
            self._of[row] = kept
        for stems in dict.fromkeys(map(stems_of_name, kept)):
            self._rows.setdefault(stems, []).append(row)

    def as_json(self) -> list[list[object]]:
        """Rows and their names, for a file."""
        return [[row, list(names)] for row, names in self._of.items()]

    def said_in(self, question: str) -> Mapping[int, int]:
        """The rows that the question names, with the number of words of the longest name of each."""
        if not self._rows:
            return {}
        words = words_of(question)
        stems = [stem_of(word) for word in words]
        longest = max(map(len, self._rows))
        spans = [
            (begin, begin + size)
            for size in range(1, longest + 1)
            for begin in range(len(stems) - size + 1)
            if tuple(stems[begin : begin + size]) in self._rows
        ]
        # A name within a longer name is part of that one.
        whole = [
            span
            for span in spans
            if not any(span != other and other[0] <= span[0] and span[1] <= other[1] for other in spans)
        ]
        said: dict[int, int] = {}
        for begin, end in whole:
            for row in self._rows[tuple(stems[begin:end])]:
                said[row] = max(said.get(row, 0), end - begin)
        return said or self._misspelt(words)

    def _misspelt(self, words: Iterable[str]) -> Mapping[int, int]:
        nearest = min(
            (
                (edits(word, name), name)
                for word in words
                for (name, *more) in self._rows
                if not more and edits(word, name) <= _most_edits(word)
            ),
            default=None,
        )
        return {} if nearest is None else dict.fromkeys(self._rows[(nearest[1],)], 1)


def _most_edits(word: str) -> int:
    return (len(word) >= _ONE_EDIT_FROM) + (len(word) >= _TWO_EDITS_FROM)


def edits(a: str, b: str) -> int:
    """The edit distance of two words with the same first letter; of others, a number that is never accepted."""
    return edit_distance(a, b) if a[:1] == b[:1] else len(a) + len(b)
