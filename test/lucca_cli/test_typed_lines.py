"""Lines that are typed, or come by a pipe, while something else is done."""

import contextlib
import fcntl
import io
import os
import pty
import queue
import subprocess
import sys
import termios
import tty
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import pytest

from lucca_cli.typed_lines import TypedLines

LONG_S = 20.0


@pytest.fixture
def pipe() -> Iterator[tuple[TextIO, int]]:
    reading, writing = os.pipe()
    with os.fdopen(reading) as source:
        yield source, writing
        with contextlib.suppress(OSError):
            os.close(writing)


def lines_of(typed: TypedLines) -> list[str]:
    """What is left until the end."""
    found = []
    while True:
        try:
            found.append(typed.next())
        except EOFError:
            return found


def test_lines_are_heard_as_they_come_and_kept_in_their_order(pipe):
    source, writing = pipe
    heard: queue.Queue[str] = queue.Queue()

    def hear(line: str) -> bool:
        heard.put(line)
        return line == 'stop'

    with TypedLines(hear, source) as typed:
        os.write(writing, b'eins\nst')
        assert heard.get(timeout=LONG_S) == 'eins'
        os.write(writing, 'op\nzwölf\r\ndrei'.encode())
        assert heard.get(timeout=LONG_S) == 'stop'
        os.close(writing)
        assert lines_of(typed) == ['eins', 'zwölf', 'drei']


def test_a_stop_without_a_line_feed_is_heard_while_the_pipe_stays_open(pipe):
    source, writing = pipe
    heard: queue.Queue[str] = queue.Queue()

    def hear(line: str) -> bool:
        if line == 'stop':
            heard.put(line)
        return line == 'stop'

    with TypedLines(hear, source):
        os.write(writing, b'stop')
        assert heard.get(timeout=LONG_S) == 'stop'


@pytest.mark.parametrize('cut', range(1, 6))
def test_a_letter_of_several_bytes_may_come_in_pieces(pipe, cut):
    source, writing = pipe
    whole = 'Ä€ß\n'.encode()
    with TypedLines(source=source) as typed:
        os.write(writing, whole[:cut])
        os.write(writing, whole[cut:])
        assert typed.next() == 'Ä€ß'


def test_the_block_ends_at_once_though_nobody_types(pipe):
    source, _ = pipe
    with TypedLines(source=source):
        pass


@pytest.mark.parametrize('place', ['/dev/null', '/proc/self', '/dev/full'])
def test_what_holds_no_lines_is_at_its_end(place):
    descriptor = os.open(place, os.O_RDONLY) if place != '/dev/full' else os.open(place, os.O_WRONLY)

    class Source(io.StringIO):
        def fileno(self) -> int:
            return descriptor

    with TypedLines(source=Source()) as typed:
        assert lines_of(typed) == []
    os.close(descriptor)


def test_a_closed_standard_input_is_at_its_end(monkeypatch):
    monkeypatch.setattr('sys.stdin', None)
    with TypedLines() as typed:
        assert lines_of(typed) == []


def test_a_file_is_left_to_the_script_whose_input_it_is(tmp_path: Path):
    (tmp_path / 'names').write_text('one\ntwo\n')
    with (tmp_path / 'names').open() as source:
        with TypedLines(source=source, files=False) as typed:
            assert lines_of(typed) == []
        assert source.readline() == 'one\n'
        source.seek(0)
        with TypedLines(source=source) as typed:
            assert lines_of(typed) == ['one', 'two']


def test_keys_of_a_raw_terminal_mean_what_they_always_do():
    keyboard, screen = pty.openpty()
    tty.setraw(screen)
    with os.fdopen(screen, 'r') as source:
        with TypedLines(source=source) as typed:
            os.write(keyboard, b'stpo\x7f\x7fop\rhalt\r\x04never')
            assert lines_of(typed) == ['stop', 'halt']
        with TypedLines(source=source) as typed:
            os.write(keyboard, b'one\r\x03')
            assert typed.next() == 'one'
            with pytest.raises(KeyboardInterrupt):
                typed.next()
    os.close(keyboard)


def test_a_terminal_that_hangs_up_is_at_its_end():
    keyboard, screen = pty.openpty()
    with os.fdopen(screen, 'r') as source, TypedLines(source=source) as typed:
        os.close(keyboard)
        assert lines_of(typed) == []


def test_an_endless_line_is_cut(pipe):
    source, writing = pipe
    with TypedLines(source=source) as typed:
        os.write(writing, b'x' * 25_000 + b'\n')
        os.close(writing)
        found = lines_of(typed)
    assert sum(map(len, found)) == 25_000
    assert max(map(len, found)) <= 10_000


def test_what_goes_wrong_in_hearing_is_raised_where_lines_are_asked_for(pipe):
    source, writing = pipe

    def hear(line: str) -> bool:
        raise RuntimeError('a bug')

    os.write(writing, b'one\n')
    with TypedLines(hear, source) as typed:
        with pytest.raises(RuntimeError, match='a bug'):
            typed.next()
        with pytest.raises(EOFError):
            typed.next()


def test_it_is_waited_for_no_longer_than_wanted(pipe):
    source, _ = pipe
    with TypedLines(source=source) as typed, pytest.raises(EOFError):
        typed.next(unless=lambda: True)


IN_THE_BACKGROUND = """
import os, sys
from lucca_cli.typed_lines import TypedLines

heard = []
child = os.fork()
if child == 0:
    os.setpgid(0, 0)  # no longer in the foreground of the terminal
    with TypedLines(lambda line: bool(heard.append(line))) as typed:
        print('reads', flush=True)
        os.read(int(sys.argv[1]), 1)
    os._exit(len(heard))
_, status = os.waitpid(child, os.WUNTRACED)
print('stopped' if os.WIFSTOPPED(status) else f'ended with {os.waitstatus_to_exitcode(status)}', flush=True)
"""


def test_a_command_in_the_background_is_not_stopped_by_its_terminal(tmp_path):
    waits, go_on = os.pipe()
    keyboard, screen = pty.openpty()
    with os.fdopen(keyboard, 'rb+', buffering=0) as typed_at:
        process = subprocess.Popen(
            [sys.executable, '-c', IN_THE_BACKGROUND, str(waits)],
            stdin=screen,
            stdout=subprocess.PIPE,
            text=True,
            pass_fds=[waits],
            cwd=Path(__file__).resolve().parents[2],
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(screen)
        assert process.stdout is not None
        assert process.stdout.readline() == 'reads\n'
        typed_at.write(b'stop\n')
        os.write(go_on, b'.')
        told, _ = process.communicate(timeout=LONG_S)
    os.close(waits)
    os.close(go_on)
    assert told == 'ended with 0\n'
