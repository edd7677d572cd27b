"""The acts that a page may request: no more than the command can do."""

from collections.abc import Mapping
from typing import Protocol

MOST_CHARS = 10_000
"""Longest text of an act."""

ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    'stop': (),
    'reset': (),
    'say': ('text', 'person'),
    'run': ('task', 'person'),
    'confirm': ('task', 'call', 'person'),
    'cancel': ('goal',),
    'pin': ('node',),
    'unpin': ('node',),
    'restore': ('node',),
}
"""Every act with its arguments, all of them texts. Suspending, correcting and forgetting are requested in words."""


class Acts(Protocol):
    """Carries out the acts. Each may take long and is called in a thread of its own; `stop` always has a free one."""

    def do(self, act: str, arguments: Mapping[str, str]) -> str:
        """Carries out an act of ARGUMENTS and returns what to tell the person; for goals, that they were given.

        Raises:
            LuccaError: it was not done; says why.
        """
        ...


def arguments_of(act: str, given: object) -> Mapping[str, str]:
    """The arguments of an act as a page sends them.

    Raises:
        ValueError: there is no such act, or its arguments are not exactly these texts.
    """
    names = ARGUMENTS.get(act)
    if names is None:
        raise ValueError(f'no act is named {act[:40]!r}')
    if not isinstance(given, dict) or set(given) != set(names):
        raise ValueError(f'{act} takes {", ".join(names) or "nothing"}')
    for name, text in given.items():
        if not isinstance(text, str) or len(text) > MOST_CHARS:
            raise ValueError(f'{name} must be a text of at most {MOST_CHARS} characters')
        if not text.isprintable() and any('\ud800' <= letter <= '\udfff' for letter in text):
            raise ValueError(f'{name} holds half of a surrogate pair, which is no character')
    return given
