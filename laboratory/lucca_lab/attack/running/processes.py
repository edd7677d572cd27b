"""Stacks and single nodes as processes, each in its own namespace, for attacks that start and end them."""

import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from lucca_core.claim import domain_id, holder
from lucca_core.nodes import node_command
from lucca_lab.attack.attack import Broken

STACK_KINDS = ('simulator', 'perception', 'action', 'worker', 'coordinator')
END_S = 45.0
"""The longest wall time (s) that a process may take to end. A simulator writes its files first."""

_LOOK_S = 0.05
_numbers = itertools.count()


def new_namespace() -> str:
    """A new namespace, so that attacks may run side by side in one domain."""
    return f'/attack_{os.getpid()}_{next(_numbers)}'


class Running:
    """One process whose output goes to a file."""

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None) -> None:
        self.output_file = folder / f'{next(_numbers)}.log'
        quiet = {'PYTHONFAULTHANDLER': '1', 'PYTHONUNBUFFERED': '1', 'COLUMNS': '400', 'MUJOCO_GL': 'egl'}
        with self.output_file.open('wb') as output:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env={**os.environ, **quiet, **(environment or {})},
            )

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self.process.pid

    @property
    def output(self) -> str:
        """Everything that the process has written so far."""
        return self.output_file.read_text(encoding='utf-8', errors='replace')

    def until(self, reached: Callable[[], bool], timeout_s: float, what: str) -> None:
        """Waits until a condition is true or the process has ended.

        Raises:
            Broken: neither happened in time.
        """
        end_s = time.monotonic() + timeout_s
        while not reached() and self.process.poll() is None:
            if time.monotonic() > end_s:
                raise Broken(f'{what}: not within {timeout_s:g} s; {self.output[-600:]}')
            time.sleep(_LOOK_S)

    def until_ready(self, timeout_s: float, what: str) -> None:
        """Waits until the stack says that it is ready, or the process has ended.

        Raises:
            Broken: neither happened in time.
        """
        self.until(lambda: 'ready.' in self.output, timeout_s, what)

    def end(self, number: signal.Signals = signal.SIGTERM, timeout_s: float = END_S) -> int:
        """Sends a signal if the process still runs, and waits for its end. Returns its exit code.

        Raises:
            Broken: the process does not end in time.
        """
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            return self.process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            raise Broken(f'{number.name} did not end it within {timeout_s:g} s; {self.output[-600:]}') from None


@contextmanager
def cleaned(*, namespaces: Sequence[str]) -> Iterator[list[Running]]:
    """Gives a list for processes. At the end, these and all nodes in the namespaces are killed."""
    started: list[Running] = []
    try:
        yield started
    finally:
        for running in started:
            running.process.kill()
            running.process.wait()
        for namespace in namespaces:
            for pid in nodes_in(namespace):
                os.kill(pid, signal.SIGKILL)


def start_stack(folder: Path, namespace: str, *options: str, scene: str = 'tower') -> Running:
    """Starts `lucca up` on the kinematic table. Its memory is in `data_folder`."""
    choices = ['--engine', 'kinematic', '--scene', scene, '--namespace', namespace, *options]
    return lucca(folder, 'up', '--data-dir', str(data_folder(folder, namespace)), *choices)


def lucca(folder: Path, *words: str) -> Running:
    """Starts a `lucca` command."""
    program = [sys.executable, '-c', 'from lucca_cli.main import main; main()']
    return Running([*program, *words], folder, _places(folder))


def data_folder(folder: Path, namespace: str) -> Path:
    """The memory folder of a stack that `start_stack` started."""
    return folder / f'data{namespace.replace("/", "-")}'


def start_node(folder: Path, kind: str, namespace: str) -> Running:
    """Starts one node, as a user would by hand."""
    parameters = {'simulator': {'engine': 'kinematic'}, 'speech': {'source': 'topic', 'player': 'topic'}}
    command = node_command(kind, namespace=namespace, parameters=parameters.get(kind))
    return Running(command, folder, _places(folder))


def who_holds(kind: str, namespace: str) -> str:
    """A description of the process that holds a kind of node in a namespace; empty if there is none."""
    return holder(kind, domain_id(), namespace)


def pid_of(kind: str, namespace: str) -> int:
    """The process id of the holder of a kind of node in a namespace on this machine; 0 if there is none."""
    words = who_holds(kind, namespace).split()
    return int(words[1]) if len(words) > 1 and words[1].isdigit() else 0


def nodes_in(namespace: str) -> list[int]:
    """The process ids of all running nodes that were started in a namespace."""
    wanted = f'__ns:={namespace}'.encode()
    found = []
    for folder in Path('/proc').iterdir():
        if not folder.name.isdigit():
            continue
        try:
            words = (folder / 'cmdline').read_bytes().split(b'\0')
        except OSError:
            continue
        if wanted in words:
            found.append(int(folder.name))
    return found


def check_nothing_left(namespace: str, timeout_s: float = END_S) -> None:
    """Waits until no node of a namespace runs any more.

    Raises:
        Broken: some still run after the time limit.
    """
    end_s = time.monotonic() + timeout_s
    while left := nodes_in(namespace):
        if time.monotonic() > end_s:
            raise Broken(f'{len(left)} nodes outlive their stack by {timeout_s:g} s: processes {left}')
        time.sleep(_LOOK_S)


def _places(folder: Path) -> dict[str, str]:
    return {'LUCCA_STATE_DIR': str(folder / 'state'), 'LUCCA_DATA_DIR': str(folder / 'data')}
