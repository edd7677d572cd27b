"""HTTP client options: no redirects, and a bound on the length of every response.

The bound counts decoded bytes as they arrive, of answers, streams and error bodies alike. So neither an endless line
nor a small body that unpacks to a large one fills the memory. Newer versions of the `openai` client bring their own
HTTP library; a hook on responses works with both.
"""

import ssl
import sys
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextvars import ContextVar
from typing import Any

from lucca_llm.model import MOST_ANSWER_BYTES
from lucca_llm.servers.server_address import ServerAddress

Hook = Callable[[Any], Awaitable[None]]

_INFLATED_AT_ONCE = 65_536
_WINDOW_BITS = {'gzip': 31, 'x-gzip': 31, 'deflate': 15}

_most_bytes: ContextVar[int] = ContextVar('_most_bytes', default=MOST_ANSWER_BYTES)


class AnswerRefused(Exception):
    """A server's answer was not read, or not to its end; the message says why."""


class AnswerTooLong(AnswerRefused):
    """A server's answer exceeds its bound; the rest was not read."""


def bound_answers(most_bytes: int) -> None:
    """Bounds each response that the current asyncio task receives from now on, in decoded bytes."""
    _most_bytes.set(most_bytes)


def client_options(
    address: ServerAddress, *, on_response: Hook | None = None, on_request: Hook | None = None
) -> dict[str, Any]:
    """Arguments for an `httpx.AsyncClient`.

    Args:
        address: the server's. The proxies of the environment are not used for one on this machine, which they cannot
            reach. For plain HTTP, the certificates of the machine are not read, which takes 50 ms: TLS trusts nobody.
        on_response: called with each response before its body is read.
        on_request: called with each request before it is sent.
    """
    return {
        'trust_env': not address.is_loopback,
        'verify': True if address.is_https else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
        'follow_redirects': False,
        'timeout': None,  # call_within enforces the deadline
        'headers': {'Accept-Encoding': 'identity'},
        'event_hooks': {
            'request': [on_request] if on_request else [],
            'response': [_bound, on_response] if on_response else [_bound],
        },
    }


def refused_answer(error: BaseException) -> AnswerRefused | None:
    """The AnswerRefused in the chain of causes of an error, as clients wrap what is raised while they read."""
    seen: BaseException | None = error
    while seen is not None and not isinstance(seen, AnswerRefused):
        seen = seen.__cause__ or seen.__context__
    return seen


async def _bound(response: Any) -> None:
    if response.status_code < 300 and 'text/html' in response.headers.get('content-type', ''):
        raise AnswerRefused('it answered with a web page: a proxy or another program is at this URL')
    encoding = response.headers.get('content-encoding', 'identity').strip().lower()
    # Decoded in small pieces below; the client's own decoder would inflate each chunk whole.
    response.headers.pop('content-encoding', None)
    library = sys.modules[type(response).__module__.partition('.')[0]]
    response.stream = _bounded(library.AsyncByteStream, response.stream, _most_bytes.get(), encoding)


def _bounded(base: Any, inner: Any, most_bytes: int, encoding: str) -> Any:
    class Bounded(base):  # type: ignore[misc]  # the client expects a stream class of its own library
        async def __aiter__(self) -> AsyncIterator[bytes]:
            inflate = _Inflater(encoding)
            came = decoded = 0
            async for raw in inner:
                came += len(raw)
                for piece in inflate(raw):
                    decoded += len(piece)
                    if decoded > most_bytes:
                        break
                    yield piece
                if max(came, decoded) > most_bytes:
                    raise AnswerTooLong(f'its answer is longer than the {most_bytes} bytes allowed')

        async def aclose(self) -> None:
            await inner.aclose()

    return Bounded()


class _Inflater:
    """Removes one layer of compression, in small pieces."""

    def __init__(self, encoding: str) -> None:
        if encoding not in ('identity', '', *_WINDOW_BITS):
            raise ValueError(f'it compressed its answer as {encoding[:40]!r}, though asked not to compress')
        self._zlib = zlib.decompressobj(_WINDOW_BITS[encoding]) if encoding in _WINDOW_BITS else None

    def __call__(self, raw: bytes) -> Iterator[bytes]:
        if self._zlib is None:
            yield raw
            return
        while not self._zlib.eof:
            piece = self._zlib.decompress(raw, _INFLATED_AT_ONCE)
            raw = self._zlib.unconsumed_tail
            if piece:
                yield piece
            if not raw and len(piece) < _INFLATED_AT_ONCE:
                return
