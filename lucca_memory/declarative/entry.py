"""One entry of a task log (what happened, when, and the state of the table), and its text format.

The text serves people, language models and programs ("Robots Can Multitask Too", section III-F keeps a log of this
kind): one fact per line, nothing positional, every value escaped onto its line.
"""

import math
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from sys import intern
from typing import Any

from lucca_core.codes import ReasonCode
from lucca_core.protocol.entries import EntryFacts, EntryKind
from lucca_core.protocol.snapshots import TABLE, Snapshot
from lucca_memory.declarative.escaping import escape_line, escape_word, join_words, split_escaped, split_words, unescape

EPOCH = datetime.fromtimestamp(0, UTC)

ON_TABLE = 'Objects on the table'
POINTED_AT = 'Pointed at'
"""Prefixes of the lines of an entry that answers about the log may cite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenObject:
    """An object as it stood when an entry was written. The position is in the world frame, in m."""

    object_id: str
    name: str
    label: str
    container: str = TABLE
    position_m: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        if not all(map(math.isfinite, self.position_m)):
            raise ValueError(f'position_m of {self.name!r} must be finite, got {self.position_m}')


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry(EntryFacts):
    """One entry of a log.

    Attributes:
        entry_id: counts from 1; 0 until the entry is written.
        time: UTC wall time.
        contents: names of the objects in each container.
        on_table: names of the objects in no container.
        pointed_at: names of the objects pointed at so far; None if the task does not point.
        left: names that the last working memory listed; None if there was none.
        known_as: pairs of an id that perception uses now and the id of the same object in the log.
    """

    entry_id: int = 0
    time: datetime = EPOCH
    contents: tuple[tuple[str, tuple[str, ...]], ...] = ()
    on_table: tuple[str, ...] = ()
    seen: tuple[SeenObject, ...] = ()
    known_as: tuple[tuple[str, str], ...] = ()
    pointed_at: tuple[str, ...] | None = None
    left: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.time.utcoffset() is None:
            raise ValueError(f'time must have a time zone, got {self.time!r}')
        if not (math.isfinite(self.duration_s) and self.duration_s >= 0):
            raise ValueError(f'duration_s must be finite and not negative, got {self.duration_s}')
        if min(self.entry_id, self.intent_id, self.attempts) < 0:
            raise ValueError(f'numbers must not be negative, got {self.entry_id}, {self.intent_id} and {self.attempts}')

    @property
    def done(self) -> bool:
        """True for an outcome with a verified effect."""
        return self.kind is EntryKind.OUTCOME and self.code == ReasonCode.DONE

    @property
    def refused(self) -> bool:
        """True for the outcome of an action that the gate refused."""
        return self.kind is EntryKind.OUTCOME and self.intent_id == 0


def table_of(
    snapshot: Snapshot,
) -> tuple[tuple[tuple[str, tuple[str, ...]], ...], tuple[str, ...], tuple[SeenObject, ...]]:
    """`contents`, `on_table` and `seen` of an entry, from a snapshot; positions rounded to the millimetre."""
    contents = tuple((item.name, item.contents) for item in snapshot.containers)
    seen = tuple(
        SeenObject(
            # The same names occur in every entry of a log, but each message creates new strings.
            object_id=intern(item.object_id),
            name=intern(item.name),
            label=intern(item.label),
            container=intern(item.container),
            position_m=_rounded(item.pose_world.position_m),
        )
        for item in snapshot
    )
    return contents, tuple(item.name for item in snapshot.on_table()), seen


def entry_to_text(entry: Entry, without: Collection[str] = ()) -> str:
    """The lines of an entry, each with a newline, without the checksum line and those with the given keys."""
    lines = [f'Entry {entry.entry_id}']
    for name, line in _LINES.items():
        if name == 'on_table':
            lines += [f'In {escape_word(place)}: {join_words(held)}' for place, held in entry.contents]
        value = getattr(entry, name)
        if line.key not in without and (name in _ALWAYS or value != _DEFAULTS[name]):
            lines.append(f'{line.key}: {line.to_text(value)}')
    return ''.join(f'{line}\n' for line in lines)


def entry_from_text(text: str) -> Entry:
    """The inverse of `entry_to_text` with all lines.

    Raises:
        ValueError: the text is not an entry; names the line.
    """
    lines = text.removesuffix('\n').split('\n')
    values: dict[str, object] = {}
    contents: list[tuple[str, tuple[str, ...]]] = []
    for number, line in enumerate(lines):
        try:
            if number == 0:
                values['entry_id'] = _numbered_heading(line)
            elif line.startswith('In '):
                name, held = _split_once(line.removeprefix('In '), ': ')
                contents.append((unescape(name), split_words(held)))
            else:
                key, value = _split_once(line, ': ')
                field = _FIELD_OF_KEY.get(key)
                if field is None or field in values:
                    raise ValueError(f'{key!r} is not a field of an entry, or is given twice')
                values[field] = _LINES[field].from_text(value)
        except ValueError as error:
            raise ValueError(f'line {number + 1} of the entry: {error}') from error
    if 'kind' not in values:
        raise ValueError('the entry has no kind')
    return Entry(contents=tuple(contents), **values)  # type: ignore[arg-type]


def text_for_model(entries: Iterable[Entry]) -> str:
    """Entries for a language model: without times, ids and positions, to save tokens."""
    return '\n'.join(entry_to_text(entry, _NOT_FOR_MODEL) for entry in entries)


def _numbered_heading(line: str) -> int:
    number = line.removeprefix('Entry ')
    if not line.startswith('Entry ') or not (number.isascii() and number.isdigit()):
        raise ValueError(f'expected "Entry NUMBER", got {line[:80]!r}')
    return int(number)


def _split_once(text: str, separator: str) -> tuple[str, str]:
    parts = split_escaped(text, separator, most=1)
    if len(parts) != 2:
        raise ValueError(f'expected "KEY: VALUE", got {text[:80]!r}')
    return parts[0], parts[1]


# Inside a word, `=`, `(` and `)` are escaped with a backslash, so they cannot be mistaken for structure.
_SEEN = re.compile(r'(?P<id>.*?) = (?P<name>.*?) \((?P<label>.*?)(?<!\\)\) in (?P<place>.*) at (\S+) (\S+) (\S+)')


def _seen_to_text(seen: SeenObject) -> str:
    x, y, z = seen.position_m
    words = [escape_word(word) for word in (seen.object_id, seen.name, seen.label, seen.container)]
    return f'{words[0]} = {words[1]} ({words[2]}) in {words[3]} at {x!r} {y!r} {z!r}'


def _seen_from_text(text: str) -> SeenObject:
    match = _SEEN.fullmatch(text)
    if match is None:
        raise ValueError(f'expected "ID = NAME (LABEL) in PLACE at X Y Z", got {text[:80]!r}')
    return SeenObject(
        object_id=unescape(match['id']),
        name=unescape(match['name']),
        label=unescape(match['label']),
        container=unescape(match['place']),
        position_m=(float(match[5]), float(match[6]), float(match[7])),
    )


def _pair_from_text(text: str) -> tuple[str, str]:
    parts = split_escaped(text, ' = ')
    if len(parts) != 2:
        raise ValueError(f'expected "ID = ID", got {text[:80]!r}')
    return unescape(parts[0]), unescape(parts[1])


def _rounded(position: tuple[float, float, float]) -> tuple[float, float, float]:
    x, y, z = (round(value, 3) for value in position)
    return x, y, z


def _time_to_text(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec='microseconds').replace('+00:00', 'Z')


def _yes(text: str) -> bool:
    if text != 'yes':
        raise ValueError(f'uncertain reads yes or is left out, got {text!r}')
    return True


@dataclass(frozen=True, slots=True)
class _Line:
    """How a field is written: the key of its line, and its value as text and back."""

    key: str
    to_text: Callable[[Any], str] = escape_line
    from_text: Callable[[str], Any] = unescape


_LINES = {
    'time': _Line('Time', _time_to_text, datetime.fromisoformat),
    'kind': _Line('Kind', str, EntryKind),
    'action': _Line('Action'),
    'object_name': _Line('Object'),
    'object_id': _Line('Object id'),
    'intent_id': _Line('Intent', str, int),
    'code': _Line('Code'),
    'uncertain': _Line('Uncertain', lambda _: 'yes', _yes),
    'attempts': _Line('Attempts', str, int),
    'duration_s': _Line('Duration', lambda time_s: f'{time_s!r} s', lambda text: float(text.removesuffix(' s'))),
    'on_table': _Line(ON_TABLE, join_words, split_words),
    'pointed_at': _Line(POINTED_AT, join_words, split_words),
    'left': _Line('Still to do', join_words, split_words),
    'seen': _Line(
        'Seen',
        lambda seen: '; '.join(map(_seen_to_text, seen)),
        lambda text: tuple(map(_seen_from_text, split_escaped(text, '; '))),
    ),
    'known_as': _Line(
        'Known as',
        lambda pairs: '; '.join(f'{escape_word(new)} = {escape_word(old)}' for new, old in pairs),
        lambda text: tuple(map(_pair_from_text, split_escaped(text, '; '))),
    ),
    'note': _Line('Note'),
    'description': _Line('Asks for now'),
}
"""The lines of an entry, in their order. What is in each container stands before what is on the table."""

_FIELD_OF_KEY = {line.key: name for name, line in _LINES.items()}
_DEFAULTS = {field.name: field.default for field in fields(Entry)}
_ALWAYS = frozenset({'time', 'kind', 'on_table'})
"""Fields that are written even if they have their default. All others are left out then."""
_NOT_FOR_MODEL = frozenset({'Time', 'Object id', 'Intent', 'Duration', 'Attempts', 'Still to do', 'Seen', 'Known as'})
