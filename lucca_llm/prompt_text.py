"""Text as prompts show it, and the table in such text.

Words on objects, and what people say, are data: they must not look like a call or like a line of the prompt.
"""

import re

from lucca_core.english import cut
from lucca_core.protocol.snapshots import Snapshot, TableObject
from lucca_core.users_view import Groups, users_view

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


LEFT_TO_RIGHT = "From the user's left to the right"
NEAR_TO_FAR = 'From the user to the far side'


def seen_from_users_side(snapshot: Snapshot) -> list[str]:
    """Two lines with the order of places and objects as the user sees them; none if that is not known.

    Commas separate what is not told apart in that direction, semicolons the rest.
    """
    view = users_view(snapshot)
    rows = ((LEFT_TO_RIGHT, view.left_to_right), (NEAR_TO_FAR, view.near_to_far))
    return [f'{heading}: {_in_groups(groups)}' for heading, groups in rows if groups]


def _in_groups(groups: Groups) -> str:
    return '; '.join(', '.join(shown_name(name).replace(';', ' ') for name in group) for group in groups)
