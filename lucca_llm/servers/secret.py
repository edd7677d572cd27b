"""Keys, held so that they are shown nowhere by accident."""

import os
from collections.abc import Callable, Sequence
from typing import Any

from lucca_core.errors import ModelUnusable

KEYED_HOSTS = frozenset({'api.openai.com', 'ollama.com'})
"""Servers that answer nobody without a key; of all others it shows when they are asked."""

HIDDEN = '[key]'
SHORTEST_PIECE = 8
"""Characters of a key in a row that are hidden wherever they stand. A shorter key is a placeholder, which servers without
keys want to be sent ("x", "EMPTY"): hidden, it would take letters out of words."""


class Secret:
    """A key. Its text forms are `[key]`; `reveal` gives it to the client that sends it.

    What a server says is shown only after `hide_in`, and is shortened only after that: what is left of a key that was
    cut would not be found any more.
    """

    __slots__ = ('_pieces', '_value')

    def __init__(self, value: str) -> None:
        self._value = value
        starts = range(len(value) - SHORTEST_PIECE + 1)
        self._pieces = frozenset(value[start : start + SHORTEST_PIECE] for start in starts)

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return HIDDEN

    def __reduce__(self) -> tuple[type['Secret'], tuple[str]]:
        return Secret, ('',)  # neither a pickle nor a copy takes it along

    def reveal(self) -> str:
        """The key itself."""
        return self._value

    def hide_in(self, text: str) -> str:
        """The text without the key and without any `SHORTEST_PIECE` characters in a row of it."""
        shown, end = [], 0
        for start, found_end in self._found_in(text):
            shown += [text[end:start], HIDDEN]
            end = found_end
        hidden = ''.join([*shown, text[end:]])
        # Of a key that holds the mark itself, what is left may be a piece again.
        return HIDDEN if self._found_in(hidden) else hidden

    def hide_in_json(self, value: Any) -> Any:
        """The same of every text in a JSON value, names of members included."""
        if isinstance(value, str):
            return self.hide_in(value)
        if isinstance(value, list):
            return [self.hide_in_json(item) for item in value]
        if isinstance(value, dict):
            return {self.hide_in(name): self.hide_in_json(item) for name, item in value.items()}
        # Digits may be what a key is made of.
        return HIDDEN if self._found_in(str(value)) else value

    def is_in(self, error: BaseException) -> bool:
        """Whether an exception, or what it came from, shows the key or a piece of it when it is printed."""
        seen: BaseException | None = error
        while self._pieces and seen is not None:
            if self._found_in(f'{seen} {seen!r}'):
                return True
            seen = seen.__cause__ or seen.__context__
        return False

    def settled(self, text: str) -> int:
        """How many characters at the beginning of a text stay as they are or are hidden, whatever comes after it."""
        counts = range(min(SHORTEST_PIECE - 1, len(text)), 0, -1)
        begun = next((count for count in counts if text[-count:] in self._value), 0) if self._pieces else 0
        settled = len(text) - begun
        return next((start for start, end in self._found_in(text) if start < settled < end), settled)

    def _found_in(self, text: str) -> list[tuple[int, int]]:
        """Begin and end of every stretch of the text that is made of pieces."""
        found: list[tuple[int, int]] = []
        for start in range(len(text) - SHORTEST_PIECE + 1) if self._pieces else ():
            end = start + SHORTEST_PIECE
            if text[start:end] in self._pieces:
                if found and start <= found[-1][1]:
                    found[-1] = (found[-1][0], end)
                else:
                    found.append((start, end))
        return found


class RedactingStream:
    """Passes the pieces of a streamed answer on without the key, also where it comes in several of them."""

    def __init__(self, secret: Secret, emit: Callable[[str], None]) -> None:
        self._secret = secret
        self._emit = emit
        self._held = ''

    def __call__(self, piece: str) -> None:
        """Takes the next piece."""
        self._held += piece
        self._pass_on(self._secret.settled(self._held))

    def close(self) -> None:
        """The answer is over: what could have become a key was none."""
        self._pass_on(len(self._held))

    def _pass_on(self, count: int) -> None:
        ready, self._held = self._held[:count], self._held[count:]
        if ready:
            self._emit(self._secret.hide_in(ready))


def key_from_environment(names: Sequence[str], host: str = '') -> Secret:
    """The key in the first of these variables that is set, or an empty one.

    Args:
        names: of the variables.
        host: the server that gets the key.

    Raises:
        ModelUnusable: there is none, and the server is one that answers nobody without; or it has characters that no HTTP header can carry (the client's own error would quote it).
    """
    for name in names:
        value = os.environ.get(name, '').strip()
        if value:
            if not (value.isascii() and value.isprintable()) or ' ' in value:
                raise ModelUnusable(f'{name} holds characters that no key has; set it to the key alone')
            return Secret(value)
    if host in KEYED_HOSTS:
        raise ModelUnusable(f'{host} needs a key, and the environment has none: set {" or ".join(reversed(names))}')
    return Secret('')
