"""A worker thread that handles only the newest item; items replaced before their turn are counted."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar('T')


class NewestOnly(Generic[T]):
    """Calls `handle` in a thread of its own with the newest item put.

    An exception of `handle` ends the thread, and is raised from the next `put`, too, so that a bug is not silence.
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
        """Items that were replaced before their turn."""
        return self._dropped

    def put(self, item: T) -> None:
        """Leaves an item, instead of one that still waits. Never blocks for the work.

        Raises:
            RuntimeError: `handle` has raised something.
        """
        with self._changed:
            if self._error is not None:
                raise RuntimeError(f'{self._thread.name} has ended: {self._error!r}') from self._error
            self._dropped += len(self._waiting)
            self._waiting = [item]
            self._changed.notify()

    def close(self) -> None:
        """Ends after the item under way; what waits is dropped. Must not be called by `handle`."""
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
