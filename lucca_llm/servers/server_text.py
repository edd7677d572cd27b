"""Texts and headers of model servers: error messages, retry times, and answers with reasoning."""

import email.utils
import json
import math
import re
import time
from collections.abc import Callable, Mapping
from typing import Any

from lucca_core.errors import ModelRetryable, ModelUnusable
from lucca_llm.servers.secret import RedactingStream, Secret

_MAX_QUOTE = 300
_CONTEXT = re.compile(
    r'context[ _](length|size|window)|maximum context|prompt is too long|too many (input )?tokens|reduce the length'
    r'|n_ctx|max_model_len|exceeds? the (model|available|maximum)[^.]*(context|tokens)',
    re.IGNORECASE,
)
_THOUGHT = re.compile(r'\A\s*<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)\s*', re.DOTALL)
_OPENING = ('<think>', '<thinking>')
_CLOSING = re.compile(r'</think(?:ing)?>\s*')


def is_transient(status: int) -> bool:
    """Whether the same request may succeed later, after this HTTP status."""
    return status in (408, 409, 425, 429) or status >= 500


def speaks_of_context(text: str) -> bool:
    """Whether an error message says that the prompt exceeds the model's context."""
    return _CONTEXT.search(text) is not None


def words_in(body: Any) -> str:
    """The message in an error's body, whatever its form; empty if there is none."""
    try:
        return _words_in(body)
    except RecursionError:
        return 'an error that is nested too deeply to read'


def _words_in(body: Any) -> str:
    if isinstance(body, str):
        return body
    if isinstance(body, Mapping):
        for name in ('error', 'message', 'detail'):
            if words := _words_in(body.get(name)):
                return words
    return json.dumps(body, ensure_ascii=False) if body else ''


def connection_failed(what: str, kind: str, said: str) -> ModelRetryable | ModelUnusable:
    """The error for a connection that failed.

    Args:
        what: names the model in the message.
        kind: name of the exception.
        said: its message, without the key.
    """
    if 'WRONG_VERSION_NUMBER' in said:
        return ModelUnusable(f'{what}: the server does not speak https; write http:// in its URL ({said})')
    advice = '; start a server there, or correct the URL' if kind == 'ConnectError' else ''
    return ModelRetryable(f'{what}: connection failed ({kind}: {said}){advice}')


def quoted(text: str, key: Secret) -> str:
    """A server's message on one line, without the key and shortened, for use in an error."""
    # Cut before the key is hidden, as the text may be huge. A key torn by this cut lies far behind the final one.
    line = key.hide_in(' '.join(text[: 100 * _MAX_QUOTE].split()))
    line = line.encode(errors='replace').decode()
    return line if len(line) <= _MAX_QUOTE else line[:_MAX_QUOTE] + '…'


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait as the server asks, from `retry-after-ms` or `Retry-After` (seconds or a date)."""
    for name, factor in (('retry-after-ms', 1e-3), ('retry-after', 1.0)):
        text = headers.get(name)
        if text is None:
            continue
        try:
            wait_s = float(text) * factor
        except ValueError:
            try:
                parsed = email.utils.parsedate_tz(text)
                wait_s = email.utils.mktime_tz(parsed) - time.time() if parsed is not None else math.nan
            except (ValueError, OverflowError, TypeError, IndexError):
                continue  # such as the year 99999999
        if math.isfinite(wait_s):
            return max(0.0, wait_s)
    return None


def without_thinking(text: str) -> str:
    """An answer without the reasoning that some models put before it, between `<think>` and `</think>`.

    An unclosed block extends to the end of the text.
    """
    return _THOUGHT.sub('', text, count=1)


class ThoughtFilter:
    """Removes the reasoning before a streamed answer, as `without_thinking` does, and passes the rest on."""

    def __init__(self, emit: Callable[[str], None]) -> None:
        self._emit = emit
        self._held = ''
        self._thinking: bool | None = None

    def __call__(self, piece: str) -> None:
        """Takes the next piece."""
        if self._thinking is False:
            self._emit(piece)
            return
        self._held += piece
        if self._thinking is None:
            begun = self._held.lstrip()
            if begun.startswith(_OPENING):
                self._thinking = True
            elif not any(opening.startswith(begun) for opening in _OPENING):
                self._pass_on(self._held)
        if self._thinking and (end := _CLOSING.search(self._held)) is not None and end.end() < len(self._held):
            self._pass_on(self._held[end.end() :])

    def close(self) -> None:
        """Ends the answer and passes on a held beginning that turned out not to open a block."""
        if self._thinking is None and self._held.strip():
            self._pass_on(self._held)

    def _pass_on(self, text: str) -> None:
        self._thinking, self._held = False, ''
        self._emit(text)


class AnswerText:
    """The text of an answer as it arrives in pieces. Passes it on without reasoning and key.

    Servers that ignore `max_tokens` are cut off at a bound in characters.
    """

    def __init__(self, max_tokens: int, emit: Callable[[str], None], key: Secret) -> None:
        self._longest = 40 * max_tokens + 4000
        self._key = key
        self._thoughts = ThoughtFilter(emit)
        self._spoken = RedactingStream(key, self._thoughts)
        self.raw = ''

    @property
    def is_full(self) -> bool:
        """Whether the bound is reached; further pieces are ignored."""
        return len(self.raw) >= self._longest

    @property
    def shown(self) -> str:
        """The text so far, without reasoning and key."""
        return without_thinking(self._key.hide_in(self.raw))

    def add(self, piece: str) -> None:
        """Adds the next piece."""
        if piece := piece[: self._longest - len(self.raw)]:
            self.raw += piece
            self._spoken(piece)

    def close(self) -> None:
        """Ends the answer and passes on what was held back."""
        self._spoken.close()
        self._thoughts.close()
