"""Text as prompts show it, and the table in such text.

Words on objects, and what people say, are data: they must not look like a call or like a line of the prompt.
"""

import re
from collections.abc import Mapping

from lucca_core.english import cut
from lucca_core.protocol.snapshots import Snapshot, TableObject
from lucca_core.users_view import users_view

MOST_NAME_CHARS = 200
"""Longest name of an object that a prompt shows."""

_UNPRINTABLE_OR_BRACKET = re.compile(r'[<>\x00-\x1f\x7f-\x9f\u2028\u2029]+')


def harmless(text: str, max_chars: int | None = None) -> str:
    """The text on one line, without angle brackets and control characters, cut to `max_chars`."""
    flat = ' '.join(_UNPRINTABLE_OR_BRACKET.sub(' ', text).split())
    return flat if max_chars is None else cut(flat, max_chars)


def shown_name(name: str) -> str:
    """A name for a list of names: on one line, cut, and without brackets and commas."""
    return ' '.join(harmless(name, MOST_NAME_CHARS).replace(',', ' ').split())


def unnamed_attributes(item: TableObject) -> str:
    """The attributes that are not part of the object's name, in parentheses behind a space; empty without any."""
    words = set(shown_name(item.name).lower().split())
    extra = [shown_name(attribute) for attribute in item.attributes if attribute.lower() not in words]
    return f' ({", ".join(extra)})' if extra else ''


def described(item: TableObject) -> str:
    """An object with the attributes that are not part of its name: `apple (red)`, `red cube`."""
    return shown_name(item.name) + unnamed_attributes(item)


def on_table(snapshot: Snapshot) -> str:
    """The objects on the table, separated by commas."""
    return ', '.join(map(described, snapshot.on_table()))


def contents(snapshot: Snapshot) -> list[dict[str, str]]:
    """The containers with their `name` and their `contents`, separated by commas."""
    looks = {item.name: described(item) for item in snapshot.objects}
    return [
        {
            'name': shown_name(item.name),
            'contents': ', '.join(looks.get(name, shown_name(name)) for name in item.contents),
        }
        for item in snapshot.containers
    ]


LEFT_TO_RIGHT = "From the user's left to the right, in cm"
NEAR_TO_FAR = 'From the user to the far side, in cm'


def seen_from_users_side(snapshot: Snapshot) -> list[str]:
    """Two lines with places and objects as the user sees them, `box 2 (-40); cup (12)`; none if that is not known."""
    view = users_view(snapshot)
    rows = ((LEFT_TO_RIGHT, view.right_cm), (NEAR_TO_FAR, view.away_cm))
    return [f'{heading}: {_in_order(along_cm)}' for heading, along_cm in rows if along_cm]


def _in_order(along_cm: Mapping[str, float]) -> str:
    names = sorted(along_cm, key=along_cm.__getitem__)
    return '; '.join(f'{shown_name(name).replace(";", " ")} ({round(along_cm[name])})' for name in names)


def read_order(row: str) -> dict[str, float]:
    """The coordinates by name that a line of `seen_from_users_side` shows behind its heading.

    Raises:
        ValueError: an entry does not end with a number in parentheses.
    """
    entries = (entry.rpartition(' (') for entry in row.split('; '))
    return {name: float(number.rstrip(')')) for name, _, number in entries}
