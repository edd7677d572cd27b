"""The supervisor: starts each node as a process, restarts those that end, and ends them all.

Each process has a session of its own, so that Ctrl-C reaches only this process, which then asks the nodes to end in
order. If this process is killed, the kernel ends the nodes (PR_SET_PDEATHSIG).
"""

import logging
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import yaml

from lucca_core.claim import EXIT_ALREADY_RUNNING
from lucca_core.environment import apply_defaults
from lucca_core.errors import StackError
from lucca_core.nodes import MODULES, NodeSetup, node_command
from lucca_core.parent_process import PARENT, request_death_signal
from lucca_core.rotating_file import RotatingFile

logger = logging.getLogger(__name__)

LineSink = Callable[[str, str], None]
"""Receives (node name, line) for each line that a node prints."""


_LAST_WORDS_S = 1.0
_STAMP = re.compile(r'\[\d+\.\d+\]')


@dataclass(kw_only=True)
class _Running:
    setup: NodeSetup
    process: subprocess.Popen[str]
    started_s: float
    reader: threading.Thread
    quick_deaths: int = 0


class Supervisor:
    """Runs the nodes of one stack until `stop`. A node that ends by itself is started again.

    A node that dies `max_quick_deaths` times in a row within `quick_s` of its start is given up. `failure` then names
    it and has its last lines of output; the other nodes keep running until `stop`.
    """

    def __init__(
        self,
        nodes: Sequence[NodeSetup],
        run_dir: Path,
        *,
        namespace: str = '/',
        on_line: LineSink | None = None,
        quick_s: float = 8.0,
        max_quick_deaths: int = 5,
    ) -> None:
        unknown = [node.name for node in nodes if node.name not in MODULES]
        if unknown:
            raise ValueError(f'unknown nodes {unknown}; known are {list(MODULES)}')
        self._nodes = sorted(nodes, key=lambda node: list(MODULES).index(node.name))
        self._run_dir = run_dir
        self._namespace = namespace
        self._on_line = on_line
        self._quick_s = quick_s
        self._max_quick_deaths = max_quick_deaths
        self._lock = threading.Lock()
        self._running: dict[str, _Running] = {}
        self._tails: dict[str, list[str]] = {node.name: [] for node in nodes}
        self._deaths: dict[str, str] = {}
        self._stopping = threading.Event()
        self._started = threading.Event()
        self._loop_ended = threading.Event()
        self._thread: threading.Thread | None = None
        self.restarts = 0
        self.failure: str | None = None

    def start(self) -> None:
        """Starts every node. Returns when all processes exist, not when they are ready."""
        (self._run_dir / 'log').mkdir(parents=True, exist_ok=True)
        # One thread starts all children and outlives them: the parent-death signal is tied to the thread that started a
        # child, not to the process.
        self._thread = threading.Thread(target=self._supervise, name='supervisor', daemon=True)
        self._thread.start()
        self._started.wait()
        if self.failure:
            raise StackError(self.failure)

    def pid_of(self, name: str) -> int:
        """The present process id of a node, for tests that kill it."""
        with self._lock:
            return self._running[name].process.pid

    def check(self) -> None:
        """Raises StackError when a node was given up."""
        if self.failure:
            raise StackError(self.failure)

    @property
    def deaths(self) -> str:
        """What each node last said before it ended by itself, one after the other; empty if none has."""
        # The supervising thread may add one at any time.
        return '\n'.join(dict(self._deaths).values())

    def wait(self) -> None:
        """Returns when `stop` is called; raises StackError when a node was given up."""
        while not self._stopping.wait(0.5):
            self.check()

    def stop(self, timeout_s: float = 10.0) -> dict[str, int]:
        """Ends all nodes in reverse order: SIGINT, after `timeout_s` SIGTERM, then SIGKILL; returns the exit codes."""
        self._stopping.set()
        if self._thread is not None:
            self._loop_ended.wait(timeout=5.0)
        with self._lock:
            running = dict(self._running)
        for name in reversed(list(MODULES)):
            if name in running:
                _signal(running[name].process, signal.SIGINT)
        codes = {}
        deadline = time.monotonic() + timeout_s
        for name, entry in running.items():
            codes[name] = _end(entry.process, deadline)
        return codes

    def __enter__(self) -> 'Supervisor':
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _supervise(self) -> None:
        try:
            self._keep_alive()
        except Exception as error:
            # Callers that wait for the nodes must not wait forever.
            logger.exception('the supervisor crashed')
            self.failure = f'the supervisor crashed: {type(error).__name__}: {error}'
        finally:
            self._started.set()
            self._loop_ended.set()
        # The thread must not end before its children, which would get the parent-death signal.
        for entry in list(self._running.values()):
            entry.process.wait()

    def _keep_alive(self) -> None:
        try:
            for setup in self._nodes:
                self._spawn(setup, quick_deaths=0)
        except OSError as error:
            self.failure = f'a node could not be started: {error}'
        self._started.set()
        while not self._stopping.wait(0.1):
            with self._lock:
                ended = [entry for entry in self._running.values() if entry.process.poll() is not None]
            for entry in ended:
                self._restart(entry)

    def _restart(self, entry: _Running) -> None:
        name = entry.setup.name
        quick = time.monotonic() - entry.started_s < self._quick_s
        killed_from_outside = entry.process.returncode in (-signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT)
        quick_deaths = entry.quick_deaths + 1 if quick and not killed_from_outside else 0
        # Its last output may still be in the pipe.
        entry.reader.join(_LAST_WORDS_S)
        with self._lock:
            del self._running[name]
        if entry.process.returncode == EXIT_ALREADY_RUNNING:
            self.failure = self._tails[name][-1] if self._tails[name] else f'another {name} is already running'
            return
        last_words = '\n  '.join(_different(self._tails[name])[-8:])
        if quick_deaths >= self._max_quick_deaths:
            self.failure = f'{name} ended {quick_deaths} times right after its start; it last said:\n  {last_words}'
            return
        if not killed_from_outside:
            self._deaths[name] = f'{name} ended with {entry.process.returncode}; it last said:\n  {last_words}'
        logger.warning('%s ended with %s, restarting it', name, entry.process.returncode)
        self.restarts += 1
        try:
            self._spawn(entry.setup, quick_deaths=quick_deaths)
        except OSError as error:
            self.failure = f'{name} could not be started again: {error}'

    def _spawn(self, setup: NodeSetup, *, quick_deaths: int) -> None:
        files = list(setup.params_files)
        if setup.parameters:
            overrides = self._run_dir / f'{setup.name}.params.yaml'
            node = f'{self._namespace.rstrip("/")}/{setup.name}'
            overrides.write_text(yaml.safe_dump({node: {'ros__parameters': dict(setup.parameters)}}))
            files.append(overrides)
        environment = dict(os.environ)
        apply_defaults(environment)
        environment[PARENT] = str(os.getpid())
        process = start_process(node_command(setup.name, namespace=self._namespace, params_files=files), environment)
        log = RotatingFile(self._run_dir / 'log' / f'{setup.name}.log')
        reader = threading.Thread(target=self._pump, args=(setup.name, process, log), daemon=True)
        reader.start()
        with self._lock:
            self._running[setup.name] = _Running(
                setup=setup, process=process, started_s=time.monotonic(), reader=reader, quick_deaths=quick_deaths
            )

    def _pump(self, name: str, process: 'subprocess.Popen[str]', log: RotatingFile) -> None:
        assert process.stdout is not None
        tail = self._tails[name]
        with closing(log), process.stdout as lines:
            for line in lines:
                try:
                    log.write(line)
                except OSError as error:
                    # The node keeps running, so its output must be read: a full pipe would block it.
                    logger.warning('the log of %s is not written: %s', name, error)
                tail.append(line.rstrip())
                del tail[:-20]
                if self._on_line is not None:
                    try:
                        self._on_line(name, line.rstrip())
                    except Exception:
                        logger.exception('a line of %s is not shown', name)


def _different(lines: Sequence[str]) -> list[str]:
    """The lines without those that say again, at another time, what a later one says."""
    last = {_STAMP.sub('', line): line for line in lines}
    return list(last.values())


def start_process(command: Sequence[str], environment: Mapping[str, str]) -> 'subprocess.Popen[str]':
    """Starts a node in a session of its own. The process ends with the thread that calls this."""
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors='replace',
        start_new_session=True,
        env=environment,
        preexec_fn=request_death_signal,
    )


def _signal(process: 'subprocess.Popen[str]', number: signal.Signals) -> None:
    if process.poll() is None:
        process.send_signal(number)


def _end(process: 'subprocess.Popen[str]', deadline_s: float) -> int:
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            return process.wait(timeout=max(0.1, deadline_s - time.monotonic()))
        except subprocess.TimeoutExpired:
            _signal(process, number)
            deadline_s = time.monotonic() + 3.0
    return process.wait()
