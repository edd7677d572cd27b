"""Nodes of stacks that run in this process, forked from a process that has already imported what nodes need.

A stack starts half a dozen processes, and 40 % of the processor time of its start goes into importing the same modules.
`lucca up`, which other tests run, starts its nodes as always.
"""

import gc
import importlib
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from multiprocessing import forkserver
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import TextIO

from lucca_core.nodes import MODULES
from lucca_core.parent_process import request_death_signal

# multiprocessing reads an exit code from a pipe, once: of two threads that ask at the same time, one would get 255.
_LOCK = threading.Lock()

_FORKS = multiprocessing.get_context('forkserver')
_FORKS.set_forkserver_preload(['node_imports'])


def _begin_forks() -> None:
    """Starts the process that forks, unless it runs. Before Python 3.13, only PYTHONPATH tells it where modules are."""
    before = os.environ.get('PYTHONPATH')
    os.environ['PYTHONPATH'] = os.pathsep.join([str(Path(__file__).parent), *filter(None, [before])])
    try:
        forkserver.ensure_running()
    finally:
        if before is None:
            del os.environ['PYTHONPATH']
        else:
            os.environ['PYTHONPATH'] = before


class ForkedNode:
    """Like a `subprocess.Popen[str]`, as far as the supervisor uses one. With a log, output goes there instead."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], log: Path | None = None) -> None:
        reader, writer = _FORKS.Pipe(duplex=False)
        (code, arguments) = command[2], list(command[3:])
        module = next(module for module in MODULES.values() if f'from {module} import' in code)
        self._process = _FORKS.Process(target=_run, args=(module, arguments, dict(environment), log or writer))
        with _LOCK:
            _begin_forks()
            self._process.start()
        # At its end, a process waits for all of these, so a node that a test left running would keep it for good. Each
        # start of another one reads the exit codes of all of these, too, without the lock.
        multiprocessing.process._children.discard(self._process)  # type: ignore[attr-defined]
        writer.close()
        self.stdout: TextIO = os.fdopen(os.dup(reader.fileno()), encoding='utf-8', errors='replace')
        reader.close()
        if log is not None:
            self.stdout.close()
        assert self._process.pid is not None
        self.pid = self._process.pid

    @property
    def returncode(self) -> int | None:
        """The exit code if the process has ended; the negative number of the signal that ended it."""
        with _LOCK:
            return self._process.exitcode

    def poll(self) -> int | None:
        """The exit code if the process has ended."""
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Waits for the end. Raises subprocess.TimeoutExpired."""
        if not wait([self._process.sentinel], timeout):
            raise subprocess.TimeoutExpired(self._process.name, timeout or 0.0)
        code = self.returncode
        assert code is not None
        return code

    def kill(self) -> None:
        """Ends the process at once, unless it has ended."""
        self.send_signal(signal.SIGKILL)

    def send_signal(self, number: signal.Signals) -> None:
        """Sends a signal, unless the process has ended."""
        if self.returncode is None:
            os.kill(self.pid, number)


def _run(module: str, arguments: list[str], environment: dict[str, str], output: Connection | Path) -> None:
    # The process that forks lives as long as anybody has the other end of a pipe open, which it gives to its children.
    # Without this, it would not end with a test that is killed, and neither would they.
    os.close(forkserver._forkserver._forkserver_alive_fd)  # type: ignore[attr-defined]
    request_death_signal()
    os.setsid()
    said = output.open('wb') if isinstance(output, Path) else output
    for descriptor, source in ((0, os.open(os.devnull, os.O_RDONLY)), (1, said.fileno()), (2, said.fileno())):
        os.dup2(source, descriptor)
    said.close()
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ['-c', *arguments]
    gc.disable()
    main = importlib.import_module(module).main
    gc.freeze()
    gc.enable()
    main()
