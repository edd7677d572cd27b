"""Launch files as processes: what one wrote, the nodes it started, and what is left of it; for test/launch."""

import contextlib
import importlib.util
import os
import re
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROBOT = ROOT / 'lucca_bringup' / 'launch' / 'robot.launch.py'
STACK = frozenset({'perception', 'action', 'worker', 'coordinator', 'speech'})
STARTED = re.compile(r'\[(?P<name>\w+)-\d+\]: process started with pid \[(?P<pid>\d+)\]')
ENDED = re.compile(r'\[(?P<name>\w+)-\d+\]: process has finished cleanly')
MARKER = 'LAUNCHED_BY_A_TEST'
"""Environment variable that every process of a launch inherits."""
ANSWER_S = 1.0

# A process of its own, because a LaunchService wants the main thread and its signals; started elsewhere, because the
# folder launch/ of the repository would be found as a package.
SERVICE = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from launch import LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
file, *given = sys.argv[1:]
service = LaunchService(noninteractive=True)
source = PythonLaunchDescriptionSource(file)
service.include_launch_description(
    IncludeLaunchDescription(source, launch_arguments=[tuple(item.split(':=', 1)) for item in given])
)
sys.exit(service.run())
"""

needs_launch = pytest.mark.skipif(
    importlib.util.find_spec('launch_ros') is None,
    reason='the ROS 2 launch packages are not installed: no launched node is started, ended or killed',
)

Value = TypeVar('Value')
_PAUSE = threading.Event()


class Launched:
    """One launch file in a process, with what it wrote so far. `prefix`: an ament prefix before the installed ones."""

    def __init__(self, file: Path, arguments: Iterable[str], folder: Path, prefix: Path | None = None) -> None:
        self._log = folder / f'launch-{len(list(folder.glob("launch-*.log")))}.log'
        self._mark = uuid.uuid4().hex
        with self._log.open('wb') as log:
            self._process = subprocess.Popen(
                [sys.executable, '-c', SERVICE, str(file), *arguments],
                cwd=folder,
                env=_environment(prefix) | {MARKER: self._mark, 'TMPDIR': str(folder)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def log(self) -> str:
        return self._log.read_text(errors='replace')

    def started(self) -> dict[str, list[int]]:
        """Pids of every process that was started, by name."""
        found: dict[str, list[int]] = {}
        for match in STARTED.finditer(self.log):
            found.setdefault(match['name'], []).append(int(match['pid']))
        return found

    def ended_cleanly(self) -> set[str]:
        return {match['name'] for match in ENDED.finditer(self.log)}

    def end(self, number: int) -> int:
        """A signal to the launch process alone; returns its exit code."""
        self._process.send_signal(number)
        return self._process.wait(timeout=40)

    def code(self) -> int:
        """Its exit code, once it has ended by itself."""
        return self._process.wait(timeout=60)

    def running(self) -> None:
        assert self._process.poll() is None, self.log

    def left(self) -> set[int]:
        """Pids of its processes that run now, the launch process included."""
        return family(self.pid, self._mark) | running_of(pid for pids in self.started().values() for pid in pids)

    def none_left(self, timeout_s: float = 40.0) -> None:
        """What a node had started itself may be gone a moment after it."""
        end_s = time.monotonic() + timeout_s
        while left := self.left():
            assert time.monotonic() < end_s, f'{left} are left\n{self.log}'
            _PAUSE.wait(0.05)

    def kill(self) -> None:
        for pid in self.left():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait(timeout=10)


def _environment(prefix: Path | None) -> dict[str, str]:
    given = os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)
    prefixes = [str(prefix or ''), sys.prefix, *given]
    environment = os.environ | {'AMENT_PREFIX_PATH': os.pathsep.join(filter(None, prefixes)), 'PYTHONUNBUFFERED': '1'}
    if prefix is not None:
        environment['PATH'] = f'{prefix / "bin"}{os.pathsep}{environment["PATH"]}'
    return environment


def family(leader: int, mark: str) -> set[int]:
    """Pids of the running processes in the group or session of a leader, or with the mark in their environment."""
    found = set()
    marked = f'{MARKER}={mark}'.encode()
    for entry in Path('/proc').iterdir():
        if not entry.name.isdigit():
            continue
        try:
            state, _, group, session = _status(entry)
            environment = (entry / 'environ').read_bytes().split(b'\0')
        except OSError:
            continue
        if state not in 'XZ' and (leader in (int(group), int(session)) or marked in environment):
            found.add(int(entry.name))
    return found


def running_of(pids: Iterable[int]) -> set[int]:
    """Those of the processes that run: zombies have ended, and wait for their parent only."""
    found = set()
    for pid in pids:
        try:
            if _status(Path(f'/proc/{pid}'))[0] not in 'XZ':
                found.add(pid)
        except OSError:
            continue
    return found


def _status(entry: Path) -> list[str]:
    """State, parent, group and session."""
    return (entry / 'stat').read_text(errors='replace').rpartition(')')[2].split()[:4]


def until(
    condition: Callable[[], Value], launched: Launched, executor: Any, what: str, timeout_s: float = 90.0
) -> Value:
    """Spins until a condition holds, while the launch process lives."""
    end_s = time.monotonic() + timeout_s
    while not (value := condition()):
        launched.running()
        assert time.monotonic() < end_s, f'{what}: not within {timeout_s:g} s\n{launched.log}'
        executor.spin_once(timeout_sec=0.1)
    return value


@contextlib.contextmanager
def asking(name: str, graph: Any, launched: Launched) -> Iterator[Callable[[], str]]:
    """A function that asks a lifecycle node for its state; it returns '' if the node does not say."""
    from lifecycle_msgs.srv import GetState

    node, executor = graph
    client = node.create_client(GetState, f'{name}/get_state')

    def ask() -> str:
        until(client.service_is_ready, launched, executor, f'{name} is there')
        future = client.call_async(GetState.Request())
        executor.spin_until_future_complete(future, timeout_sec=ANSWER_S)
        # An answer that never comes is one of a process that was killed in the meantime.
        return str(future.result().current_state.label) if future.done() else ''

    yield ask
    node.destroy_client(client)


def wait_active(names: Iterable[str], graph: Any, launched: Launched, namespace: str = '') -> None:
    for name in sorted(names):
        with asking(f'{namespace}/{name}', graph, launched) as ask:
            until(lambda ask=ask: ask() == 'active', launched, graph[1], f'{name} is active')


def spawned(graph: Any, launched: Launched) -> None:
    until(lambda: 'spawner' in launched.ended_cleanly(), launched, graph[1], 'the controllers are spawned')


def finish(launched: Launched, names: Iterable[str]) -> None:
    """Ctrl-C: the launch and all that it started end with 0, and nothing is left."""
    assert launched.end(signal.SIGINT) == 0, launched.log
    assert launched.ended_cleanly() == set(names), launched.log
    launched.none_left(timeout_s=10.0)
