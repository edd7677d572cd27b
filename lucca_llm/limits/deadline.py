"""Network calls with a deadline and cancellation that hold whatever the server does.

All network calls of this package run as asyncio tasks on one background thread. The caller waits on a queue, never on
that thread: it returns as soon as its time is up, and cancelling the task closes the connection. The timeouts of HTTP
clients are not enough, because they restart with every byte received.
"""

import asyncio
import atexit
import contextlib
import os
import queue
import threading
import time
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from lucca_core.errors import ModelRetryable, ModelTimeout

T = TypeVar('T')
Emit = Callable[[str], None]

_POLL_S = 0.02  # ChatModel.chat promises to poll `cancelled` at least every 50 ms

_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None
_thread: threading.Thread | None = None
_loop_pid = 0


def call_within(
    start: Callable[[Emit], Coroutine[Any, Any, T]],
    *,
    deadline_s: float,
    what: str,
    on_text: Emit | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> T:
    """The result of a coroutine, within `deadline_s` of wall time.

    Args:
        start: makes the coroutine. Its argument passes text to `on_text`, which is called in the calling thread.
        deadline_s: counted from this call.
        what: named in error messages.
        on_text: see ChatModel.chat.
        cancelled: see ChatModel.chat.

    Raises:
        ModelTimeout: the deadline passed.
        ModelRetryable: it was cancelled.
        Exception: whatever the coroutine raised.
    """
    end_s = time.monotonic() + deadline_s
    arrived: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    future = asyncio.run_coroutine_threadsafe(start(arrived.put), background_loop())
    future.add_done_callback(lambda _: arrived.put(None))
    try:
        while True:
            if cancelled is not None and cancelled():
                raise ModelRetryable(f'{what} was cancelled')
            left_s = end_s - time.monotonic()
            if left_s <= 0:
                raise ModelTimeout(f'{what} did not answer within {deadline_s:g} s')
            try:
                text = arrived.get(timeout=left_s if cancelled is None else min(_POLL_S, left_s))
            except queue.Empty:
                continue
            if text is None:
                return future.result()
            if on_text is not None:
                on_text(text)
    finally:
        future.cancel()


def background_loop() -> asyncio.AbstractEventLoop:
    """The event loop of the network clients, started on first use."""
    global _loop, _thread, _loop_pid
    with _lock:
        if _loop is None or _loop_pid != os.getpid():  # a forked child inherits the object, but not the thread
            _loop = asyncio.new_event_loop()
            _thread = threading.Thread(target=_loop.run_forever, name='lucca-llm', daemon=True)
            _thread.start()
            _loop_pid = os.getpid()
        return _loop


def finish(coroutine: Coroutine[Any, Any, object], *, within_s: float = 1.0) -> None:
    """Runs a clean-up coroutine for at most `within_s` and ignores its errors."""
    future = asyncio.run_coroutine_threadsafe(coroutine, background_loop())
    with contextlib.suppress(Exception):
        future.result(timeout=within_s)


def _stop() -> None:
    if _loop is None or _thread is None or _loop_pid != os.getpid():
        return
    _loop.call_soon_threadsafe(_loop.stop)
    _thread.join(timeout=1.0)
    if not _thread.is_alive():
        _loop.close()


atexit.register(_stop)
