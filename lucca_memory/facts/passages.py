"""Splitting a text or Markdown file into passages: paragraphs with their heading and line numbers."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST_WORDS = 120
"""Longer paragraphs are split at line ends; about what a small encoder handles well."""

_HEADING = re.compile(r'^(#{1,6})\s+(.*?)\s*#*\s*$')
_CALLED = re.compile(
    r'^\s*(?:\*\s+|-\s+)?(?:also (?:called|known as)|aliases|other names?):\s*(.+?)\s*\.?\s*$', re.IGNORECASE
)
_FENCE = re.compile(r'^\s*(```|~~~)')


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a file.

    Attributes:
        first_line, last_line: count from 1, both inclusive.
        heading: the path of headings above it.
        names: what it is about: the lowest heading, and what "Also called: ..." below that heading lists.
    """

    file: str
    first_line: int
    last_line: int
    heading: str
    text: str
    names: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """File and lines for people: `gym.md:3-7`."""
        lines = str(self.first_line) if self.first_line == self.last_line else f'{self.first_line}-{self.last_line}'
        return f'{self.file}:{lines}'

    @property
    def searched(self) -> str:
        """The indexed text: heading and paragraph."""
        return f'{self.heading}: {self.text}' if self.heading else self.text


def passages_of(file: str, text: str) -> tuple[Passage, ...]:
    """The passages of a file, in order. Only `.md` files have headings; each line that is not blank is in one passage.

    A heading with nothing below it is a passage of its own.
    """
    headings: list[str] = []
    aliases: tuple[str, ...] = ()
    found: list[Passage] = []
    for first, lines in _blocks(text, markdown=file.lower().endswith('.md')):
        match = _HEADING.match(lines[0]) if file.lower().endswith('.md') else None
        if match is not None and len(lines) == 1:
            level = len(match[1])
            headings = [*headings[: level - 1], *[''] * (level - 1 - len(headings)), match[2]]
            aliases = ()
            found.append(Passage(file, first, first, '', match[2] or lines[0], _names(headings, ())))
            continue
        if headings:
            aliases += tuple(name for line in lines for name in _called(line))
        if found and _is_title(found[-1], headings):
            found.pop()
        path = ', '.join(part for part in headings if part)
        found += [
            Passage(file, number, number + len(part) - 1, path, _joined(part), _names(headings, aliases))
            for number, part in _split(first, lines)
        ]
    return tuple(found)


def _names(headings: list[str], aliases: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in (*headings[-1:], *aliases) if name))


def _called(line: str) -> list[str]:
    match = _CALLED.match(line)
    return [] if match is None else [name.strip() for name in re.split('[,;]', match[1]) if name.strip()]


def _is_title(passage: Passage, headings: list[str]) -> bool:
    return passage.heading == '' and passage.first_line == passage.last_line and headings[-1:] == [passage.text]


def _blocks(text: str, *, markdown: bool) -> Iterator[tuple[int, list[str]]]:
    """Blocks of lines without blank ones, with the number of the first; headings and fenced blocks are separate."""
    block: list[str] = []
    fenced = False
    for number, line in enumerate(text.split('\n'), 1):
        line = line.rstrip('\r')
        is_fence = markdown and _FENCE.match(line) is not None
        alone = markdown and not fenced and _HEADING.match(line) is not None
        if (not line.strip() and not fenced) or alone:
            if block:
                yield number - len(block), block
            block = []
            if alone:
                yield number, [line]
            continue
        block.append(line)
        fenced ^= is_fence
    if block:
        yield text.count('\n') + 2 - len(block), block


def _split(first: int, lines: list[str]) -> Iterator[tuple[int, list[str]]]:
    part: list[str] = []
    words = 0
    for number, line in enumerate(lines, first):
        count = len(line.split())
        if part and words + count > LONGEST_WORDS:
            yield number - len(part), part
            part, words = [], 0
        part.append(line)
        words += count
    yield first + len(lines) - len(part), part


def _joined(lines: list[str]) -> str:
    return '\n'.join(lines).strip()
