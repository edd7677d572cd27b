"""Whole stacks for tests: real nodes as processes, goals from a client, checks of the log and the physics."""

import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from sensor_msgs.msg import JointState

from lucca_cli.running_goal import RunningGoal
from lucca_cli.stack import Stack, StackOptions
from lucca_core.errors import StackError
from lucca_core.protocol.entries import EntryKind
from lucca_core.protocol.goals import GoalFeedback, GoalRequest, GoalResult
from lucca_core.protocol.snapshots import HAND
from lucca_lab.dds_domains import own_domain
from lucca_lab.judge.verdict import judge_table
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.entry import Entry
from lucca_memory.declarative.log import LogStore, TaskLog
from lucca_robot.arm_profile import USUAL_ACCELERATION
from lucca_sim.config import SimConfig

GOAL_TIMEOUT_S = 240.0
ASK_AGAIN_S = 5.0
BACK_TIMEOUT_S = 60.0

# The kinematic table tracks any motion exactly, so hands may be quick; the camera sets the pace of the simulation.
# Steps and joint states at the default rates, twice these, take a quarter more of a stack's processor time.
QUICK: Mapping[str, Mapping[str, Any]] = {
    'simulator': {'leash_s': 0.5, 'stills': False, 'clock_rate_hz': 50.0, 'joint_state_rate_hz': 25.0},
    'action': {'tool_speed_mps': 0.6, 'arm_speed_radps': 3.0, 'hand_speed_radps': 3.2},
}


HELD_S = 0.1 + 4 * 3.0 / USUAL_ACCELERATION
"""Longest hold of an arm at 3 rad/s, and what a message takes."""
AHEAD: Mapping[str, Mapping[str, Any]] = {'simulator': {'leash_s': 1.3}}
"""For tests in which it does not matter how soon a node hears of something: three camera frames ahead of perception."""


@dataclass
class Steps:
    """The feedback of a goal as it comes."""

    seen: list[GoalFeedback] = field(default_factory=list)
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def __call__(self, step: GoalFeedback) -> None:
        with self._changed:
            self.seen.append(step)
            self._changed.notify_all()

    def until(self, wanted: Callable[[GoalFeedback], bool], timeout_s: float = GOAL_TIMEOUT_S) -> GoalFeedback:
        """The first step so far or to come that is wanted."""
        with self._changed:
            found = self._changed.wait_for(lambda: any(map(wanted, self.seen)), timeout_s)
            assert found, f'not seen within {timeout_s} s; seen: {[(step.phase, step.text) for step in self.seen]}'
            return next(filter(wanted, self.seen))

    def until_acting(self, count: int = 1) -> GoalFeedback:
        """The step in which the goal's n-th action begins."""
        numbers: list[GoalFeedback] = []

        def nth(step: GoalFeedback) -> bool:
            if step.phase == 'acting' and step not in numbers:
                numbers.append(step)
            return step.phase == 'acting' and numbers.index(step) >= count - 1

        return self.until(nth)


class JointWatch:
    """The newest joint states, and how fast the arms move by them."""

    def __init__(self, stack: Stack) -> None:
        self._changed = threading.Condition()
        self._last: tuple[float, dict[str, float]] | None = None
        self.speeds: list[tuple[float, float]] = []
        """ROS time and largest arm speed in rad/s of each message since the last `clear`."""
        stack.client.node.create_subscription(JointState, 'joint_states', self._receive, 50)

    def _receive(self, msg: Any) -> None:
        stamp_s = msg.header.stamp.sec + msg.header.stamp.nanosec * 1e-9
        positions = {name: value for name, value in zip(msg.name, msg.position, strict=True) if '_joint' in name}
        with self._changed:
            if self._last is not None and stamp_s > self._last[0]:
                before_s, before = self._last
                speed = max(abs(positions[name] - before[name]) for name in positions) / (stamp_s - before_s)
                self.speeds.append((stamp_s, speed))
            self._last = (stamp_s, positions)
            self._changed.notify_all()

    def clear(self) -> None:
        """Forgets the speeds."""
        with self._changed:
            self.speeds.clear()

    def positions(self) -> dict[str, float]:
        """Arm joints now, in rad."""
        with self._changed:
            assert self._changed.wait_for(lambda: self._last is not None, 10.0), 'no joint states'
            assert self._last is not None
            return dict(self._last[1])

    def now_s(self) -> float:
        """ROS time of the newest message."""
        with self._changed:
            assert self._changed.wait_for(lambda: self._last is not None, 10.0), 'no joint states'
            assert self._last is not None
            return self._last[0]

    def wait_until(self, time_s: float, timeout_s: float = 60.0) -> None:
        """Returns when joint states of this ROS time have come."""
        with self._changed:
            came = self._changed.wait_for(lambda: self._last is not None and self._last[0] >= time_s, timeout_s)
            assert came, f'the simulation did not reach {time_s} s within {timeout_s} s'

    def wait_for_motion(self, timeout_s: float = 60.0) -> None:
        """Returns when an arm moves."""
        with self._changed:
            moved = self._changed.wait_for(lambda: any(speed > 0.1 for _, speed in self.speeds[-5:]), timeout_s)
            assert moved, f'no arm moved within {timeout_s} s'

    def motion_after(self, since_s: float, until_s: float) -> float:
        """Largest arm speed in rad/s that was measured between two ROS times."""
        with self._changed:
            return max((speed for time_s, speed in self.speeds if since_s < time_s <= until_s), default=0.0)


@dataclass
class Rig:
    """One stack under test."""

    stack: Stack
    folder: Path
    options: StackOptions

    @cached_property
    def joints(self) -> JointWatch:
        """The joint states from now on; thousands a task, so they are taken in only where a test looks at them."""
        return JointWatch(self.stack)

    def start(self, request: GoalRequest | str) -> tuple[RunningGoal, Steps]:
        """Gives a goal; a text is the name of a task."""
        steps = Steps()
        wanted = GoalRequest(task=request) if isinstance(request, str) else request
        return self.stack.client.send_goal(wanted, steps), steps

    def do(self, request: GoalRequest | str, timeout_s: float = GOAL_TIMEOUT_S) -> GoalResult:
        """Gives a goal and waits for its end."""
        return self.start(request)[0].wait(timeout_s, self.stack.alive)

    def entries(self, task: str) -> tuple[Entry, ...]:
        """The log of a task as it is on the disk."""
        with DataFolder.open(self.folder / 'memory', write=False) as data:
            return TaskLog(data, task).entries

    def all_intents(self) -> int:
        """Intents in all logs."""
        with DataFolder.open(self.folder / 'memory', write=False) as data:
            store = LogStore(data)
            logs = [TaskLog(data, task) for task in store.tasks()]
        return sum(entry.kind is EntryKind.INTENT for log in logs for entry in log.entries)

    def kill(self, name: str) -> int:
        """SIGKILL, and returns once another process is in its place. Returns the new process id."""
        dead = self.stack.supervisor.pid_of(name)
        os.kill(dead, signal.SIGKILL)
        return self._after(dead, name)

    def shut_down(self, name: str) -> int:
        """Shuts a node down by its lifecycle; otherwise as `kill`."""
        old = self.stack.supervisor.pid_of(name)
        node = self.stack.client.node
        client = node.create_client(ChangeState, f'{name}/change_state')
        assert client.wait_for_service(BACK_TIMEOUT_S)
        asked = ChangeState.Request(transition=Transition(id=Transition.TRANSITION_ACTIVE_SHUTDOWN))
        answered = client.call_async(asked)
        # Of a node that was killed before, the service may still be seen, and the request goes to it alone.
        again_s = time.monotonic() + ASK_AGAIN_S
        while not answered.done() and self._is_process(name, old) and time.monotonic() < again_s:
            pause(0.02)
        if not answered.done() and self._is_process(name, old):
            client.call_async(asked)
        new = self._after(old, name)
        node.destroy_client(client)
        return new

    def _is_process(self, name: str, pid: int) -> bool:
        try:
            return self.stack.supervisor.pid_of(name) == pid
        except KeyError:
            return False  # between two processes

    def _after(self, dead: int, name: str) -> int:
        deadline = time.monotonic() + BACK_TIMEOUT_S
        while time.monotonic() < deadline:
            try:
                if (new := self.stack.supervisor.pid_of(name)) != dead:
                    return new
            except KeyError:
                pass
            pause(0.02)
        raise AssertionError(f'{name} was not started again within {BACK_TIMEOUT_S} s')

    def hands_are_empty(self) -> bool:
        """True when perception sees nothing in a hand."""
        return all(item.container != HAND for item in self.stack.client.snapshot(20.0))


def pause(seconds: float) -> None:
    """Lets wall time pass: a random instant of a test is one."""
    threading.Event().wait(seconds)


@contextmanager
def running(
    folder: Path, scene: str, *, parameters: Mapping[str, Mapping[str, Any]] | None = None, **choices: Any
) -> Iterator[Rig]:
    """A stack on one scene, on the kinematic table unless `engine` says otherwise; its memory in `folder`/memory.

    It is alone in a domain. `parameters` lie over the nodes' own, by node.
    """
    with own_domain(), running_here(folder, scene, parameters=parameters, **choices) as rig:
        yield rig


@contextmanager
def running_here(
    folder: Path, scene: str, *, parameters: Mapping[str, Mapping[str, Any]] | None = None, **choices: Any
) -> Iterator[Rig]:
    """As `running`, but in the domain and namespace that the environment says."""
    folder.mkdir(parents=True, exist_ok=True)
    options = StackOptions(
        scene=scene,
        data_dir=folder / 'memory',
        record_dir=folder,
        **({'engine': 'kinematic', 'speed': 0.0, 'camera_rate_hz': 2.5} | choices),
    )
    laid_over: dict[str, dict[str, Any]] = {}
    quick = QUICK if options.engine == 'kinematic' else {}
    for layer in (_file_of(options), quick, parameters or {}):
        for name, values in layer.items():
            laid_over.setdefault(name, {}).update(values)
    file = folder / 'test.params.yaml'
    file.write_text(
        yaml.safe_dump({f'/**/{name}': {'ros__parameters': values} for name, values in laid_over.items()}),
        encoding='utf-8',
    )
    options = replace(options, params_file=file)
    with Stack(options, folder) as stack:
        yield Rig(stack, folder, options)


def _file_of(options: StackOptions) -> dict[str, dict[str, Any]]:
    if options.params_file is None:
        return {}
    data = yaml.safe_load(options.params_file.read_text(encoding='utf-8'))
    return {name.removeprefix('/**/'): dict(value['ros__parameters']) for name, value in data.items()}


def physical_faults(rig: Rig, tasks: Sequence[str]) -> list[str]:
    """What the judge says of the trace; the stack has ended."""
    seed = SimConfig().seed if rig.options.seed is None else rig.options.seed
    judgements = judge_table(rig.folder / 'trace.npz', rig.options.scene, seed, tasks)
    return sorted({str(fault) for judgement in judgements.values() for fault in judgement.faults})


@dataclass
class Kills:
    """What was killed, and how the tasks ended all the same."""

    killed: list[tuple[str, str]] = field(default_factory=list)
    goals: int = 0


def do_with_kills(
    rig: Rig, task: str, victims: Sequence[str], chance: random.Random, kills: Kills, within_s: float = 4.0
) -> GoalResult:
    """Does a task while nodes are killed one after the other, each at a random instant of another action.

    `within_s`: wall time from the start of the action; shorter than an action, or the task ends before all are killed.

    The goal is given again when it died with the coordinator.
    """
    waiting = list(victims)
    for _ in range(len(victims) + 3):
        goal, steps = _given(rig, task)
        kills.goals += 1
        try:
            while waiting:
                acting = _next_or_end(goal, steps, rig)
                if acting is None:
                    break
                pause(chance.uniform(0.0, within_s))
                kills.killed.append((waiting[0], acting))
                rig.kill(waiting.pop(0))
            report = goal.wait(GOAL_TIMEOUT_S, rig.stack.alive)
        except StackError as error:
            if 'died' not in str(error):
                raise
            continue
        if report.finished:
            return report
    raise AssertionError(f'{task} did not finish after {kills.goals} goals: {report.status} {report.reason}')


def _given(rig: Rig, task: str) -> tuple[RunningGoal, Steps]:
    deadline = time.monotonic() + BACK_TIMEOUT_S
    while True:
        try:
            return rig.start(task)
        except StackError:
            # The coordinator is not back yet, or the dead one is still in the graph.
            if time.monotonic() > deadline:
                raise
            pause(0.2)


def _next_or_end(goal: RunningGoal, steps: Steps, rig: Rig) -> str | None:
    """The action that begins next, or None when the goal ends before; raises as `RunningGoal.wait`."""
    known = len(steps.seen)
    while True:
        if later := [step.text for step in list(steps.seen)[known:] if step.phase == 'acting']:
            return later[0]
        try:
            goal.wait(0.1, rig.stack.alive)
        except StackError as error:
            if 'not ended within' not in str(error):
                raise
            continue
        return None


@dataclass
class Cancels:
    """How goals ended that were cancelled."""

    statuses: Counter[str] = field(default_factory=Counter)
    slowest_s: float = 0.0


def cancel_once(rig: Rig, request: GoalRequest, instant: Callable[[Steps], None], counts: Cancels) -> GoalResult:
    """Gives a goal, waits for an instant, cancels, and checks that what was cancelled stays so."""
    goal, steps = rig.start(request)
    instant(steps)
    asked_s = time.monotonic()
    goal.cancel()
    report = goal.wait(90.0, rig.stack.alive)
    counts.statuses[report.status] += 1
    counts.slowest_s = max(counts.slowest_s, time.monotonic() - asked_s)
    ended_s, intents = rig.joints.now_s(), rig.all_intents()
    assert report.status in ('cancelled', 'finished'), f'{report.status}: {report.reason}'
    rig.joints.wait_until(ended_s + 2.0)
    assert rig.all_intents() == intents, 'an action began after its goal had been cancelled'
    # The last joint states may have been on their way when the report came.
    assert rig.joints.motion_after(ended_s + 0.5, ended_s + 2.0) < 0.02, (
        'an arm moved after the goal had been cancelled'
    )
    return report
