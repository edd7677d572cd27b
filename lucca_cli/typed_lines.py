"""Lines that are typed, or piped in, while a command does something else."""

import codecs
import contextlib
import os
import queue
import select
import stat
import sys
import threading
from collections.abc import Callable
from types import TracebackType
from typing import TextIO

_LOOK_S = 0.2
"""How often a command in the background checks whether it is in the foreground again, in s."""

_MOST_CHARS = 10_000
"""Longest line; the rest becomes another line."""

_INTERRUPT, _END, _BACKSPACES = '\x03', '\x04', '\x08\x7f'
"""Characters that a terminal in raw mode passes on instead of acting on them."""


class TypedLines:
    """Reads lines in a thread of its own for the length of the `with` block, and keeps them in order.

    Standard input may be a terminal in any mode, a pipe, a file, or closed. A process in the background reads nothing,
    as the terminal would suspend it. Only available input is read, and the thread ends with the block.

    Args:
        hear: called in the thread with each line; a line for which it returns true is not kept.
        source: the input; standard input by default.
        files: whether to read a plain file, which may be the input of a loop in a script rather than of this command.
    """

    def __init__(
        self, hear: Callable[[str], bool] = lambda line: False, source: TextIO | None = None, *, files: bool = True
    ) -> None:
        self._hear = hear
        self._source = sys.stdin if source is None else source
        self._files = files
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._ended = False
        self._text = ''
        self._last = ''
        self._interrupt = False
        self._failure: BaseException | None = None
        self._thread: threading.Thread | None = None
        self._wake: tuple[int, int] | None = None

    def __enter__(self) -> 'TypedLines':
        descriptor = _descriptor(self._source)
        if descriptor is None:
            for line in _all_of(self._source):
                self._keep(line)
            self._lines.put(None)
        elif not self._files and stat.S_ISREG(os.fstat(descriptor).st_mode):
            self._lines.put(None)
        else:
            self._wake = os.pipe()
            self._thread = threading.Thread(target=self._read, args=(descriptor, self._wake[0]), name='typed')
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._thread is not None and self._wake is not None:
            os.write(self._wake[1], b'.')
            self._thread.join()
            for end in self._wake:
                os.close(end)
            self._thread = None
            if self._failure is not None and error is None:
                raise self._failure

    def next(self, unless: Callable[[], bool] = lambda: False) -> str:
        """The next kept line, as soon as there is one.

        Args:
            unless: once this is true, stop waiting for a line.

        Raises:
            EOFError: there will be no more lines, or `unless` became true.
            KeyboardInterrupt: Ctrl-C was typed and the terminal did not turn it into a signal.
        """
        while not self._ended and not unless():
            with contextlib.suppress(queue.Empty):
                line = self._lines.get(timeout=_LOOK_S)
                if line is not None:
                    return line
                self._ended = True
                if self._failure is not None:
                    failure, self._failure = self._failure, None
                    raise failure
                if self._interrupt:
                    raise KeyboardInterrupt
        raise EOFError

    def _read(self, descriptor: int, wake: int) -> None:
        decoder = codecs.getincrementaldecoder('utf-8')('replace')
        keys = os.isatty(descriptor)
        try:
            while self._is_there(descriptor, wake):
                try:
                    read = os.read(descriptor, 4096)
                except OSError:
                    break  # the terminal hung up, or somebody closed standard input
                if self._take(decoder.decode(read, final=not read), keys=keys) or not read:
                    break
            if self._text:
                self._keep(self._text)
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that asks for lines
            self._failure = error
        finally:
            self._lines.put(None)

    def _is_there(self, descriptor: int, wake: int) -> bool:
        """Waits until something can be read; false if the block has ended or nothing will ever come."""
        while True:
            watched = [wake, descriptor] if _may_read(descriptor) else [wake]
            # A line without a line feed is looked at after a while, so that a stop word works without one.
            waits_s = _LOOK_S if self._text or descriptor not in watched else None
            try:
                ready, _, _ = select.select(watched, [], [], waits_s)
            except (OSError, ValueError):
                return False
            if wake in ready:
                return False
            # Checked again, as the process may have been sent to the background while it waited.
            if descriptor in ready and _may_read(descriptor):
                return True
            if not ready and self._text and self._hear(self._text):
                self._text = ''

    def _take(self, text: str, *, keys: bool) -> bool:
        """Keeps each complete line; true if the input was ended by a key. `keys`: control characters are keys."""
        for char in text:
            before, self._last = self._last, char
            if char == '\n' and before == '\r':
                continue
            if char in '\r\n' or len(self._text) >= _MOST_CHARS:
                line, self._text = self._text, char.strip('\r\n')
                self._keep(line)
            elif keys and char in _BACKSPACES:
                self._text = self._text[:-1]
            elif keys and char in (_INTERRUPT, _END):
                self._interrupt = char == _INTERRUPT
                return True
            else:
                self._text += char
        return False

    def _keep(self, line: str) -> None:
        if not self._hear(line):
            self._lines.put(line)


def _descriptor(source: TextIO | None) -> int | None:
    """The file descriptor of a stream; None if the stream is closed or has none."""
    try:
        return None if source is None else source.fileno()
    except (OSError, ValueError):
        return None


def _all_of(source: TextIO | None) -> list[str]:
    """The lines of a stream without a file descriptor, as in tests."""
    try:
        return [] if source is None else source.read().splitlines()
    except (OSError, ValueError):
        return []


def _may_read(descriptor: int) -> bool:
    """False if reading from the terminal would suspend this process because it is in the background."""
    try:
        return not os.isatty(descriptor) or os.tcgetpgrp(descriptor) == os.getpgrp()
    except OSError:
        return True  # this terminal does not control the process
