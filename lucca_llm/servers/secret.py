"""API keys that are never shown by accident: `Secret` hides itself in logs, errors and answers."""

import os
from collections.abc import Callable, Sequence
from typing import Any

from lucca_core.errors import ModelUnusable
from lucca_llm.servers.server_address import ServerAddress

KEYED_HOSTS = frozenset({'api.openai.com', 'ollama.com'})
"""Servers known to need a key. Whether others do shows when they are asked."""

HIDDEN = '[key]'
SHORTEST_PIECE = 8
"""Shortest run of characters of a key that is hidden. A shorter key is a placeholder such as "x" or "EMPTY" for servers
without keys; hiding it would remove letters from ordinary words."""


class Secret:
    """A key whose text forms read `[key]`; only `reveal` returns it.

    Pass what a server says through `hide_in` before showing it, and before shortening it: a key that was cut in two is
    no longer found.
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
        return Secret, ('',)  # pickles and copies do not hold the key

    def reveal(self) -> str:
        """The key itself."""
        return self._value

    def hide_in(self, text: str) -> str:
        """The text with the key, and every run of at least `SHORTEST_PIECE` characters of it, replaced by `[key]`."""
        shown, end = [], 0
        for start, found_end in self._found_in(text):
            shown += [text[end:start], HIDDEN]
            end = found_end
        hidden = ''.join([*shown, text[end:]])
        # If the key contains the mark itself, hiding may create a new piece of it.
        return HIDDEN if self._found_in(hidden) else hidden

    def hide_in_json(self, value: Any) -> Any:
        """A JSON value with `hide_in` applied to every text, names of members included."""
        if isinstance(value, str):
            return self.hide_in(value)
        if isinstance(value, list):
            return [self.hide_in_json(item) for item in value]
        if isinstance(value, dict):
            return {self.hide_in(name): self.hide_in_json(item) for name, item in value.items()}
        # A key may consist of digits.
        return HIDDEN if self._found_in(str(value)) else value

    def is_in(self, error: BaseException) -> bool:
        """Whether printing an exception or one of its causes would show the key or a piece of it."""
        seen: BaseException | None = error
        while self._pieces and seen is not None:
            if self._found_in(f'{seen} {seen!r}'):
                return True
            seen = seen.__cause__ or seen.__context__
        return False

    def settled(self, text: str) -> int:
        """Length of the beginning of a text whose redaction no later text can change."""
        counts = range(min(SHORTEST_PIECE - 1, len(text)), 0, -1)
        begun = next((count for count in counts if text[-count:] in self._value), 0) if self._pieces else 0
        settled = len(text) - begun
        return next((start for start, end in self._found_in(text) if start < settled < end), settled)

    def _found_in(self, text: str) -> list[tuple[int, int]]:
        """Start and end of every stretch of the text that consists of pieces of the key."""
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
    """Removes the key from a streamed answer, even where it is split over several pieces, and passes the rest on."""

    def __init__(self, secret: Secret, emit: Callable[[str], None]) -> None:
        self._secret = secret
        self._emit = emit
        self._held = ''

    def __call__(self, piece: str) -> None:
        """Takes the next piece."""
        self._held += piece
        self._pass_on(self._secret.settled(self._held))

    def close(self) -> None:
        """Ends the answer and passes on a held end that turned out not to be a key."""
        self._pass_on(len(self._held))

    def _pass_on(self, count: int) -> None:
        ready, self._held = self._held[:count], self._held[count:]
        if ready:
            self._emit(self._secret.hide_in(ready))


def key_from_environment(names: Sequence[str], host: str = '') -> Secret:
    """The key in the first of these environment variables that is set, or an empty key.

    Args:
        names: the variables.
        host: the server that the key is for.

    Raises:
        ModelUnusable: no variable is set and the server needs a key; or the key has characters that no HTTP header can
            carry, where the client's own error would quote it.
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


def openai_key(address: ServerAddress) -> Secret:
    """The key for a server with OpenAI's protocol: `LUCCA_OPENAI_API_KEY`, otherwise `OPENAI_API_KEY`.

    The latter is never sent unencrypted to another machine.

    Raises:
        ModelUnusable: see key_from_environment.
    """
    return _key_for(address, 'LUCCA_OPENAI_API_KEY', 'OPENAI_API_KEY')


def ollama_key(address: ServerAddress) -> Secret:
    """The key for an Ollama server, from `LUCCA_OLLAMA_API_KEY` or `OLLAMA_API_KEY`; see openai_key."""
    return _key_for(address, 'LUCCA_OLLAMA_API_KEY', 'OLLAMA_API_KEY')


def _key_for(address: ServerAddress, own: str, usual: str) -> Secret:
    return key_from_environment([own, usual] if address.is_https or address.is_loopback else [own], address.host)
