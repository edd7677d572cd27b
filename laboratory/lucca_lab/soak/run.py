"""The run of a soak: goals at a steady pace on one stack, and the sizes of its parts after each of them."""

import json
import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lucca_cli.running_goal import RunningGoal
from lucca_cli.stack import Stack, StackOptions
from lucca_core.errors import StackError
from lucca_lab.attack.log_laws import log_faults
from lucca_lab.quick_table import quick_parameters
from lucca_lab.soak.goals import GoalDraw, GoalKind, SoakGoal
from lucca_lab.soak.sizes import ProcessSizes, folder_bytes
from lucca_lab.soak.uncertain import uncertain_outcomes
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.log import LogStore, TaskLog
from lucca_memory.procedural import load_actions, load_tasks

SAMPLES_FILE = 'samples.jsonl'
NODES = ('simulator', 'perception', 'action', 'worker', 'coordinator')
_GOAL_S = 120.0
_BACK_S = 90.0
_SPEED = 6.0
_CAMERA_HZ = 3.0


@dataclass(frozen=True, kw_only=True)
class Sample:
    """The stack after one goal: how the goal ended, and the sizes of all processes and files."""

    goal: int
    kind: str
    status: str
    wall_s: float
    processes: dict[str, ProcessSizes]
    files: dict[str, int]

    def as_json(self) -> dict[str, Any]:
        """All values, for a line of `samples.jsonl`."""
        return asdict(self)


class Soak:
    """One stack on the kinematic table that gets random goals."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder = folder
        self._draw = GoalDraw(seed)
        self.data = folder / 'memory'
        self.options = StackOptions(
            scene='sorting_tower',
            engine='kinematic',
            speed=_SPEED,
            camera_rate_hz=_CAMERA_HZ,
            data_dir=self.data,
            state_dir=folder / 'state',
            params_file=folder / 'params.yaml',
        )

    def run(self, goals: int, minutes: float, on_sample: Callable[[Sample], None]) -> None:
        """Sends `goals` goals, one every `minutes` / `goals`, or as soon as the one before has ended if that takes
        longer.

        Each sample is written before the next goal begins.

        Raises:
            StackError: the stack did not start, or a node was given up.
        """
        began_s = time.monotonic()
        quick_parameters(self._folder / 'params.yaml')
        with (
            Stack(self.options, self._folder, ready_timeout_s=_BACK_S) as stack,
            (self._folder / SAMPLES_FILE).open('a', encoding='utf-8') as lines,
        ):
            for number in range(1, goals + 1):
                drawn = self._draw.next()
                status = self._do(stack, drawn)
                sample = Sample(
                    goal=number,
                    kind=drawn.kind,
                    status=status,
                    wall_s=round(time.monotonic() - began_s, 1),
                    processes=dict(_processes(stack)),
                    files=dict(folder_bytes(self.data)),
                )
                lines.write(json.dumps(sample.as_json()) + '\n')
                lines.flush()
                on_sample(sample)
                due_s = began_s + number * 60.0 * minutes / goals
                if (left_s := due_s - time.monotonic()) > 0:
                    stack.client.wait(left_s)

    def faults(self) -> list[str]:
        """Faults in the logs of the shipped tasks. Call it after the stack has ended."""
        tasks, actions = load_tasks(), load_actions()
        with DataFolder.open(self.data, write=False) as data:
            return [
                f'{name}: {fault}'
                for name in LogStore(data).tasks()
                if name in tasks
                for fault in log_faults(TaskLog(data, name).entries, tasks[name], actions)
            ]

    def uncertain(self) -> dict[str, int]:
        """The number of uncertain outcomes by task, without tasks that have none. Call it after the stack has ended."""
        with DataFolder.open(self.data, write=False) as data:
            counts = {name: uncertain_outcomes(TaskLog(data, name).entries) for name in LogStore(data).tasks()}
        return {name: count for name, count in counts.items() if count}

    def _do(self, stack: Stack, drawn: SoakGoal) -> str:
        """How a goal ended: its status, `died` if the coordinator died, or an error with its message."""
        try:
            if drawn.kind is GoalKind.TABLE_LAID:
                _kill(stack, drawn.victim)
            goal = stack.client.send_goal(drawn.request)
            if drawn.kind is GoalKind.CANCEL:
                stack.client.wait(drawn.after_s)
                goal.cancel()
            elif drawn.kind is GoalKind.KILL:
                stack.client.wait(drawn.after_s)
                _kill(stack, drawn.victim)
            return _ended(goal, stack)
        except StackError as error:
            stack.alive()
            stack.client.wait_ready(_BACK_S, stack.alive)
            return 'died' if 'died' in str(error) else f'error: {error}'


def _ended(goal: RunningGoal, stack: Stack) -> str:
    result = goal.wait(_GOAL_S, stack.alive)
    return str(result.status) if result.status not in ('failed',) else f'failed: {result.reason[:200]}'


def _kill(stack: Stack, name: str) -> None:
    dead = stack.supervisor.pid_of(name)
    os.kill(dead, signal.SIGKILL)
    end_s = time.monotonic() + _BACK_S
    while _pid(stack, name) in (0, dead):
        if time.monotonic() > end_s:
            raise StackError(f'{name} was not started again within {_BACK_S:g} s')
        stack.client.wait(0.05)
    stack.client.wait_ready(_BACK_S, stack.alive)


def _pid(stack: Stack, name: str) -> int:
    try:
        return stack.supervisor.pid_of(name)
    except KeyError:
        return 0


def _processes(stack: Stack) -> Iterator[tuple[str, ProcessSizes]]:
    for name in NODES:
        if (pid := _pid(stack, name)) and (sizes := ProcessSizes.of(pid)) is not None:
            yield name, sizes


def load_samples(folder: Path) -> list[Sample]:
    """Reads the samples of a soak. An incomplete last line is ignored."""
    samples = []
    with (folder / SAMPLES_FILE).open(encoding='utf-8') as lines:
        for line in lines:
            if not line.endswith('\n'):
                break
            values = json.loads(line)
            values['processes'] = {name: ProcessSizes(**sizes) for name, sizes in values['processes'].items()}
            samples.append(Sample(**values))
    return samples


def statuses(samples: list[Sample]) -> Counter[str]:
    """How often goals ended with each status, without details."""
    return Counter(sample.status.partition(':')[0] for sample in samples)
