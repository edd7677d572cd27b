"""A worker thread that handles only the newest item, and counts items that were replaced before their turn."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar('T')


class NewestOnly(Generic[T]):
    """Calls `handle` in a separate thread with the newest item that was put.

    An exception in `handle` ends the thread and is also raised by the next `put`, so that a bug does not go unnoticed.
    """

    def __init__(self, handle: Callable[[T], None], name: str) -> None:
        self._handle = handle
        self._changed = threading.Condition()
        self._waiting: list[T] = []
        self._closed = False
        self._error: BaseException | None = None
        self._dropped = 0
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    @property
    def dropped(self) -> int:
        """Number of items that were replaced before their turn."""
        return self._dropped

    def put(self, item: T) -> None:
        """Hands over an item, in place of one that still waits. Does not wait for the work.

        Raises:
            RuntimeError: `handle` has raised an exception.
        """
        with self._changed:
            if self._error is not None:
                raise RuntimeError(f'{self._thread.name} has ended: {self._error!r}') from self._error
            self._dropped += len(self._waiting)
            self._waiting = [item]
            self._changed.notify()

    def close(self) -> None:
        """Ends the thread after the present item; a waiting one is dropped. Must not be called by `handle`."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if self._closed:
                    return
                item = self._waiting.pop()
            try:
                self._handle(item)
            except BaseException as error:
                with self._changed:
                    self._error = error
                raise
