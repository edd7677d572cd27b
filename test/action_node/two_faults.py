"""Two faults at once, drawn, on a table in virtual time; and the laws that hold whatever fails.

The controllers of this table come from where they are to the first point of a trajectory until that begins, as those of
ros2_control do. Its joint states go through the same merge as those of the node.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from fakes import ARM_CONTROLLER, ARM_JOINT, HAND_JOINT, HOME, STEP_S, FakeRecorder, FakeTable
from robots import Robot, make_robot

from action_node.cancel_latch import CancelLatch
from action_node.config import ActionConfig
from action_node.stop.joint_path import JointPath
from action_node.stop.joint_sample import JointSample
from lucca_core.codes import ReasonCode
from lucca_core.joint_states import JointMerge
from lucca_core.protocol.actions import ActionResult
from lucca_core.protocol.snapshots import TABLE, Pose, Snapshot

FASTEST = 6.2
"""Of the planned ways of the arm, in rad/s."""
RIVAL_S = 1.0
"""Time in which a trajectory of another client may still move the arm."""
LAG_S = 0.12
"""Of commands on a lagging network, which keeps their order; less than `lead_s`, as the guide demands."""
TASK = {'pear': 'box 1', 'apple': 'box 2'}
STATES = ('silent', 'seldom', 'rare', 'frozen', 'late', 'missing', 'nan', 'second publisher', 'second at rest')
CONTROLLERS = ('deaf', 'half', 'slow', 'lagging', 'rival')
EYES = ('blind', 'old frames', 'flicker')
AT_ONCE = ('moved', 'slips', 'clock back', 'clock ahead', 'killed', 'stopped', 'cancelled')
FAULTS = (*STATES, *CONTROLLERS, *EYES, *AT_ONCE, 'disk full')


class Killed(BaseException):
    """The process is gone: nothing of it runs any more."""


@dataclass
class FaultyTable(FakeTable):
    """A table with faults by name, each from one time to another, in s of a time that no clock changes."""

    spans: dict[str, tuple[float, float]] = field(default_factory=dict)
    passed_s: float = 0.0
    dead: bool = False
    merge: JointMerge = field(default_factory=lambda: JointMerge(1.0, {ARM_JOINT: FASTEST, HAND_JOINT: FASTEST}))
    places: list[tuple[float, float, bool]] = field(default_factory=list)
    """Time passed, place of the arm, and whether its speed is not ours (another client, or a clock that jumped)."""
    _on_their_way: list[tuple[float, str, tuple[str, ...], JointPath, float]] = field(default_factory=list)
    _said_s: float = 0.0
    _kept: dict[str, float] | None = None
    _old: Snapshot | None = None
    _foreign_until_s: float = -1.0

    def has(self, name: str) -> bool:
        begin_s, end_s = self.spans.get(name, (0.0, 0.0))
        return begin_s <= self.passed_s < end_s

    def send(self, controller: str, joints: tuple[str, ...], path: JointPath, start_s: float) -> None:
        if self.dead or self.has('deaf'):
            return
        if self.has('lagging') or self._on_their_way:
            self._on_their_way.append((self.passed_s + LAG_S, controller, joints, path, start_s))
        else:
            self._hear(controller, joints, path, start_s)

    def _hear(self, controller: str, joints: tuple[str, ...], path: JointPath, start_s: float) -> None:
        if self.has('half') and len(path.times_s) > 2:
            count = (len(path.times_s) + 1) // 2
            path = JointPath(path.times_s[:count], path.positions[:count], path.velocities[:count])
        if self.has('slow'):
            path = JointPath(3 * path.times_s, path.positions, path.velocities / 3)
        lead_s = start_s - self.time_s
        if start_s and lead_s > 0:
            times = np.concatenate([[0.0], path.times_s + lead_s])
            positions = np.vstack([[self.positions[joints[0]]], path.positions])
            path, start_s = JointPath(times, positions, np.vstack([[0.0], path.velocities])), self.time_s
        super().send(controller, joints, path, start_s)

    def advance(self, time_s: float) -> None:
        before_s = self.time_s
        self.passed_s += time_s - before_s
        if self.has('rival') and self.passed_s > self._foreign_until_s - RIVAL_S + 0.5:
            self._foreign_until_s = self.passed_s + RIVAL_S
            home = JointPath(np.array([RIVAL_S]), np.array([[HOME]]), np.zeros((1, 1)))
            FakeTable.send(self, ARM_CONTROLLER, (ARM_JOINT,), home, 0.0)
        while self._on_their_way and self._on_their_way[0][0] <= self.passed_s:
            self._hear(*self._on_their_way.pop(0)[1:])
        super().advance(time_s)
        self.places.append((self.passed_s, self.positions[ARM_JOINT], self.passed_s < self._foreign_until_s))
        self._say()

    def jump(self, by_s: float) -> None:
        """The clock jumps; what the controllers, which follow it, do until they are told anew is not our doing."""
        self.time_s += by_s
        self._foreign_until_s = max(self._foreign_until_s, self.passed_s + 0.2)

    def _say(self) -> None:
        for name, period_s in (('seldom', 0.2), ('rare', 0.9)):
            if self.has(name) and self.passed_s - self._said_s < period_s:
                return
        if self.has('silent'):
            return
        self._said_s = self.passed_s
        self._kept = (self._kept or dict(self.positions)) if self.has('frozen') else None
        said = dict(self._kept or self.positions)
        if self.has('missing'):
            del said[ARM_JOINT]
        if self.has('nan'):
            said[HAND_JOINT] = float('nan')
        self.merge.add(self.time_s - (0.4 if self.has('late') else 0.0), self.passed_s, said)
        if self.has('second publisher'):
            self.merge.add(self.time_s, self.passed_s, {ARM_JOINT: self.positions[ARM_JOINT] + 0.2})
        if self.has('second at rest'):
            self.merge.add(self.time_s, self.passed_s, {ARM_JOINT: HOME, HAND_JOINT: 0.0})
        found = self.merge.merged()
        assert found is not None
        self._sample = JointSample(
            found.stamp_s, found.positions, found.stamps_s, found.not_finite, found.contradictions
        )

    def silence_s(self, sample: JointSample) -> float:
        return min(self.time_s - sample.stamp_s, self.passed_s - self._said_s)

    def latest(self) -> Snapshot | None:
        if self.has('blind') or (self.has('flicker') and int(self.time_s * 10) % 2):
            return None
        self._old = (self._old or self.snapshot()) if self.has('old frames') else None
        return self._old or self.snapshot()


@dataclass
class Operator:
    """Gives both actions of the task until they are done, resets what was stopped, and settles what a kill left."""

    robot: Robot
    table: FaultyTable
    recorder: FakeRecorder
    faults: list[str] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    results: list[ActionResult] = field(default_factory=list)
    latch: CancelLatch = field(default_factory=CancelLatch)

    def works(self) -> None:
        """Until all is done and all faults are over."""
        for _ in range(40):
            over = self.table.passed_s > max(end_s for _, end_s in self.table.spans.values())
            left = [name for name, place in TASK.items() if self.robot.place(f'id {name}') != place]
            if over and not left and not self.robot.executor.stopped and not self._open_intent():
                return
            self._next(left)
            # Until what is still under way has come to rest.
            for _ in range(150):
                self._guarded(lambda: self.table.advance(self.table.time_s + STEP_S))

    def _next(self, left: Sequence[str]) -> None:
        if (open_id := self._open_intent()) and not self.robot.executor.stopped:
            action = self.recorder.entries[open_id - 1].action
            self._guarded(lambda: self._did(action, self.robot.do(action, settle_intent_id=open_id)))
        elif self.robot.executor.stopped:
            self._guarded(self._reset)
        elif left:
            action = f'<move_to_{TASK[left[0]].replace(" ", "_")}({left[0]})>'
            self._guarded(lambda: self._did(action, self.robot.do(action, self.latch)))
            self.latch = CancelLatch()

    def _reset(self) -> None:
        homed, _ = self.robot.executor.reset()
        if not homed and not self.robot.executor.stopped:
            self.faults.append('a reset that failed left the robot free')

    def _did(self, action: str, result: ActionResult) -> None:
        self.results.append(result)
        name = action.split('(')[1].rstrip(')>')
        if result.code is ReasonCode.DONE:
            if name in self.done:
                self.faults.append(f'{name} was done twice')
            if self.robot.place(f'id {name}') != TASK[name]:
                self.faults.append(f'{name} is told to be in {TASK[name]}, and is in {self.robot.place(f"id {name}")}')
            self.done.append(name)
        if not result.message or 'internal error' in result.message:
            self.faults.append(f'{result.code} was told as {result.message!r}')

    def _guarded(self, step: Callable[[], None]) -> None:
        try:
            step()
        except Killed:
            self.table.dead = False
            self.robot = self.robot.restarted()

    def _open_intent(self) -> int:
        closed = {item.intent_id for item in self.recorder.entries}
        numbers = [n for n, item in enumerate(self.recorder.entries, 1) if item.kind == 'intent' and n not in closed]
        return numbers[-1] if numbers else 0


def trial(seed: int) -> tuple[list[str], Operator]:
    """Draws two faults, works, and returns what broke."""
    chance = random.Random(seed)
    names = chance.sample(FAULTS, 2)
    table, recorder = FaultyTable(), FakeRecorder()
    begin_s = chance.uniform(0.2, 7.0)
    for name in names:
        at_s = begin_s + chance.uniform(0.0, 2.0)
        table.spans[name] = (at_s, at_s + (0.0 if name in AT_ONCE else chance.uniform(0.5, 8.0)))
    config = ActionConfig(outcome_timeout_s=0.01, settle_timeout_s=2.0)
    robot = make_robot(table, recorder, config)
    operator = Operator(robot, table, recorder)
    for name in names:
        at_s, until_s = table.spans[name]
        if name in AT_ONCE:
            _at(table, at_s, lambda name=name: _happens(name, table, operator, chance))
        if name == 'disk full':
            _at(table, at_s, lambda: setattr(recorder, 'broken', True))
            _at(table, until_s, lambda: setattr(recorder, 'broken', False))
    operator.works()
    operator.robot.executor.close()
    return [*operator.faults, *_broken(operator)], operator


def _at(table: FaultyTable, passed_s: float, happen: Callable[[], object]) -> None:
    """Whatever the clock says then."""

    def later() -> None:
        if table.passed_s >= passed_s:
            happen()
        else:
            table.at.append((table.time_s - 1e9, later))

    later()


def _happens(name: str, table: FaultyTable, operator: Operator, chance: random.Random) -> None:
    pear = table.objects['id pear']
    if name == 'moved' and pear.container == TABLE:
        table.objects['id pear'] = replace(pear, pose_world=Pose((chance.uniform(-0.5, 0.5), 0.0, 0.8)))
    elif name == 'slips' and table._held:
        table.objects[table._held] = replace(table.objects[table._held], container=TABLE)
        table._held = ''
    elif name == 'clock back':
        table.jump(-chance.choice([0.5, 0.9, 100.0]))
    elif name == 'clock ahead':
        table.jump(chance.choice([0.5, 5.0, 3600.0]))
    elif name == 'killed':
        table.dead = True
        raise Killed
    elif name == 'stopped':
        operator.robot.executor.stop('action/stop')
    elif name == 'cancelled':
        operator.latch.set()


def _broken(operator: Operator) -> list[str]:
    table, broken = operator.table, []
    for (before_s, here, _), (after_s, there, foreign) in zip(table.places, table.places[1:], strict=False):
        if not foreign and after_s > before_s and abs(there - here) / max(after_s - before_s, STEP_S) > FASTEST:
            broken.append(f'{abs(there - here) / STEP_S:.1f} rad/s after {after_s:.2f} s')
    for name, place in TASK.items():
        if operator.robot.place(f'id {name}') != place:
            broken.append(f'{name} ended in {operator.robot.place(f"id {name}")}')
    if operator._open_intent():
        broken.append('an intent was left open')
    if operator.robot.executor.stopped:
        broken.append('the robot stayed stopped')
    return broken
