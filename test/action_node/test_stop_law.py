"""Whatever fails, a stop is on the disk and answered, and nothing but a hold follows until the reset."""

import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path as File
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from fakes import ARM_CONTROLLER, ARM_JOINT, HAND_CONTROLLER, HAND_JOINT, FakeTable, straight
from hypothesis import given, settings
from hypothesis import strategies as st
from robots import Robot, make_robot

from action_node import executor as executor_module
from action_node.stop import stop_marker
from action_node.stop import valve as valve_module
from action_node.stop.joint_path import JointPath
from action_node.stop.stop_marker import StopMarker
from action_node.stop.valve import HOLD_S, JointSample, Valve
from lucca_core.codes import ReasonCode
from lucca_core.errors import MotionError

ERRORS = (
    ValueError('not finite'),
    OSError(28, 'No space left on device'),
    RuntimeError('a library'),
    OverflowError('too large'),
    AssertionError('a bug'),
    MotionError(ReasonCode.HARDWARE_FAULT, 'no controller'),
)
CALLS = ('now_s', 'joints', 'silence_s', 'send arm', 'send hand', 'mkdir', 'open', 'fsync', 'os.open')


@dataclass
class Faults:
    """What fails, how, and how often still; nothing while it is not armed."""

    calls: frozenset[str] = frozenset()
    error: Exception = ERRORS[0]
    left: int = 0
    armed: bool = False

    def at(self, call: str) -> None:
        if self.armed and call in self.calls and self.left > 0:
            self.left -= 1
            raise self.error


@dataclass
class FaultyTable(FakeTable):
    """A table whose calls fail, and whose joint states may hold anything."""

    faults: Faults = field(default_factory=Faults)
    measured: dict[str, float] | None = None
    age_s: float | None = None

    def now_s(self) -> float:
        self.faults.at('now_s')
        return super().now_s()

    def joints(self) -> JointSample | None:
        self.faults.at('joints')
        sample = super().joints()
        if self.measured is not None and sample is not None:
            return JointSample(sample.stamp_s, self.measured)
        return sample

    def silence_s(self, sample: JointSample) -> float:
        self.faults.at('silence_s')
        return super().silence_s(sample) if self.age_s is None else self.age_s

    def send(self, controller: str, *rest: Any) -> None:
        self.faults.at('send arm' if controller == ARM_CONTROLLER else 'send hand')
        super().send(controller, *rest)


@contextmanager
def failing_disk(faults: Faults) -> Iterator[None]:
    def failing(real: Callable[..., Any], name: str) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            faults.at(name)
            return real(*args, **options)

        return call

    with ExitStack() as end:
        for target, attribute, name in (
            (File, 'mkdir', 'mkdir'),
            (stop_marker, 'open_regular', 'open'),
            (os, 'fsync', 'fsync'),
            (os, 'open', 'os.open'),
        ):
            end.enter_context(patch.object(target, attribute, failing(getattr(target, attribute), name)))
        # Short where the disk may fail for ever; where it works, a busy machine's disk has time.
        end.enter_context(patch.object(executor_module, 'DISK_PATIENCE_S', 0.1 if faults.calls else 20.0))
        yield


def is_hold(path: JointPath) -> bool:
    return len(path.times_s) == 1 and path.times_s[0] == HOLD_S and not path.velocities.any()


anything = st.floats(allow_nan=True, allow_infinity=True)


@settings(max_examples=60)
@given(
    calls=st.frozensets(st.sampled_from(CALLS), max_size=4),
    error=st.sampled_from(ERRORS),
    times=st.sampled_from((1, 2, 5, 10_000)),
    measured=st.none() | st.dictionaries(st.sampled_from((ARM_JOINT, HAND_JOINT, 'other')), anything),
    age_s=st.none() | anything,
    delay_s=st.floats(0.0, 6.0),
)
def test_whatever_fails_a_stop_is_kept_and_answered_and_only_holds_follow(
    calls: frozenset[str],
    error: Exception,
    times: int,
    measured: dict[str, float] | None,
    age_s: float | None,
    delay_s: float,
) -> None:
    faults = Faults(calls, error, times)
    table = FaultyTable(faults=faults)
    with tempfile.TemporaryDirectory() as folder, failing_disk(faults):
        robot = make_robot(table, marker=StopMarker(File(folder) / 'state'))
        answers: list[Any] = []
        sent: list[int] = []

        def stop() -> None:
            table.measured, table.age_s, faults.armed = measured, age_s, True
            sent.append(len(table.sent))
            answers.append(robot.executor.stop())
            faults.armed = False

        table.at.append((table.time_s + delay_s, stop))
        first = robot.do('<move_to_box_1(pear)>')
        while not answers:
            # Nothing moved for long enough: it is stopped at rest.
            table.advance(table.time_s + 0.1)
        assert robot.executor.stopped
        assert str(answers[0])
        assert first.code is not ReasonCode.DONE or not calls or delay_s > 1.0
        assert robot.do('<move_to_box_2(apple)>').code in (ReasonCode.STOPPED, ReasonCode.HARDWARE_FAULT)
        assert all(is_hold(path) for _, _, path in table.sent[sent[0] :])
        assert all(abs(path.positions).max() <= 10.2 for _, _, path in table.sent[sent[0] :])
        assert robot.executor._keeper is not None
        assert robot.executor._keeper.wait(10.0) == ''
        assert robot.marker is not None
        assert robot.marker.is_set()
        assert answers[0].whole or calls
        table.measured = table.age_s = None
        assert robot.restarted().do('<move_to_box_2(apple)>').code is ReasonCode.STOPPED
        robot.executor.close()


def test_a_disk_that_hangs_keeps_no_arm_from_holding(tmp_path: File, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executor_module, 'DISK_PATIENCE_S', 0.05)
    robot, answers_again = make_robot(marker=StopMarker(tmp_path)), threading.Event()
    real = robot.marker.set
    monkeypatch.setattr(robot.marker, 'set', lambda: (answers_again.wait(20.0), real()))
    report = robot.executor.stop()
    assert is_hold(robot.table.sent[-1][2])
    assert not report.whole
    assert 'the disk has not answered' in str(report)
    answers_again.set()
    assert robot.executor._keeper.wait(10.0) == ''
    assert robot.marker.is_set()


def test_a_stop_that_waits_for_no_disk_says_nothing_of_it_and_is_written_all_the_same(
    tmp_path: File, monkeypatch: pytest.MonkeyPatch
) -> None:
    robot, answers_again, tried = make_robot(marker=StopMarker(tmp_path)), threading.Event(), threading.Event()
    real = robot.marker.set

    def hanging() -> None:
        tried.set()
        assert answers_again.wait(20.0)
        real()

    monkeypatch.setattr(robot.marker, 'set', hanging)
    for _ in range(3):
        assert robot.executor.stop(wait_for_disk=False).whole
    assert is_hold(robot.table.sent[-1][2])
    assert tried.wait(20.0)
    assert not robot.marker.is_set()
    answers_again.set()
    assert robot.executor._keeper.wait(10.0) == ''
    assert robot.marker.is_set()


def test_a_stop_that_nobody_waits_for_is_written_once_the_disk_takes_it(
    tmp_path: File, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / 'state').write_text('a file where the folder should be')
    robot = make_robot(marker=StopMarker(tmp_path / 'state'))
    assert robot.executor.stop(wait_for_disk=False).whole
    assert robot.executor._keeper.wait(0.2)
    assert 'FileExistsError' in robot.executor.disk_fault
    assert not robot.executor.may_end
    (tmp_path / 'state').unlink()
    assert robot.executor._keeper.wait(10.0) == ''
    assert robot.executor.disk_fault == ''
    assert [record.levelname for record in caplog.records if record.name.endswith('stop_keeper')] == [
        'ERROR',
        'WARNING',
    ]


def test_a_hold_that_hangs_keeps_no_stop_from_the_disk(tmp_path: File, monkeypatch: pytest.MonkeyPatch) -> None:
    robot, goes_on, kept = make_robot(marker=StopMarker(tmp_path)), threading.Event(), threading.Event()
    real = robot.marker.set
    monkeypatch.setattr(robot.marker, 'set', lambda: (real(), kept.set()))
    monkeypatch.setattr(robot.table, 'send', lambda *_: goes_on.wait(20.0))
    stopping = threading.Thread(target=robot.executor.stop)
    stopping.start()
    assert kept.wait(10.0)
    assert robot.executor.stopped
    goes_on.set()
    stopping.join()


def test_a_stop_that_could_not_be_written_is_tried_again_until_it_is(tmp_path: File) -> None:
    (tmp_path / 'state').write_text('a file where the folder should be')
    robot = make_robot(marker=StopMarker(tmp_path / 'state'))
    assert not robot.executor.stop().whole
    (tmp_path / 'state').unlink()
    assert robot.executor._keeper.wait(10.0) == ''
    assert (tmp_path / 'state' / 'stopped').exists()
    assert robot.executor.stop().whole


def test_a_stop_after_the_node_was_cleaned_up_is_written_all_the_same(tmp_path: File) -> None:
    robot = make_robot(marker=StopMarker(tmp_path))
    robot.executor.close()
    assert robot.executor.stop().whole
    assert robot.marker.is_set()


def moving_arm_and_hand() -> tuple[FakeTable, Valve]:
    table = FakeTable()
    valve = Valve(table, {ARM_CONTROLLER: (ARM_JOINT,)}, 1.0, limits={ARM_JOINT: (-10.0, 10.0)})
    for segment in (
        straight('reach', ARM_CONTROLLER, ARM_JOINT, -1.0, 1.0, 4.0),
        straight('close', HAND_CONTROLLER, HAND_JOINT, 0.0, 1.0, 4.0),
    ):
        path = JointPath(segment.times_s, segment.positions, segment.velocities)
        valve.send(segment.controller, segment.joints, path, table.time_s)
    table.advance(table.time_s + 2.0)
    return table, valve


@pytest.mark.parametrize('value', [float('nan'), float('inf'), -float('inf'), 1e308, -12.0])
def test_an_arm_whose_joints_cannot_be_where_they_are_measured_holds_where_it_was_told_to_be(value: float) -> None:
    table, valve = moving_arm_and_hand()
    table._sample = JointSample(table.time_s, {ARM_JOINT: value, HAND_JOINT: value})
    assert valve.stop() == ()
    assert [(name, float(path.positions[0][0])) for name, _, path in table.sent[2:]] == [
        (ARM_CONTROLLER, pytest.approx(0.0, abs=0.01)),
        (HAND_CONTROLLER, pytest.approx(0.5, abs=0.01)),
    ]


@pytest.mark.parametrize('broken', [ARM_CONTROLLER, HAND_CONTROLLER])
def test_a_controller_that_cannot_be_told_to_hold_keeps_no_other_from_it_and_is_named(
    broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, valve = moving_arm_and_hand()
    real = table.send

    def send(controller: str, *rest: Any) -> None:
        if controller == broken:
            raise MotionError(ReasonCode.HARDWARE_FAULT, 'the wire is cut')
        real(controller, *rest)

    with monkeypatch.context() as cut:
        cut.setattr(table, 'send', send)
        (fault,) = valve.stop()
    assert fault == f'{broken}: MotionError: the wire is cut'
    (other,) = {ARM_CONTROLLER, HAND_CONTROLLER} - {broken}
    assert [name for name, _, path in table.sent[2:] if is_hold(path)] == [other]
    assert valve.stop() == (), 'a further stop holds what the first one could not'
    assert table.sent[-1][0] == broken


def test_a_trajectory_that_comes_out_after_the_stop_lost_patience_is_held_and_no_stop_says_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(valve_module, 'PATIENCE_S', 0.05)
    table, valve = moving_arm_and_hand()
    on_its_way, goes_on, real = threading.Event(), threading.Event(), table.send
    reach = straight('reach', ARM_CONTROLLER, ARM_JOINT, 0.0, 1.0, 4.0)
    path = JointPath(reach.times_s, reach.positions, reach.velocities)

    def send(controller: str, joints: tuple[str, ...], path: JointPath, start_s: float) -> None:
        if len(path.times_s) > 1:
            on_its_way.set()
            assert goes_on.wait(20.0)
        real(controller, joints, path, start_s)

    monkeypatch.setattr(table, 'send', send)
    sending = threading.Thread(target=valve.send, args=(ARM_CONTROLLER, (ARM_JOINT,), path, table.time_s))
    sending.start()
    assert on_its_way.wait(20.0)
    for _ in range(2):
        assert valve.stop() == (f'{ARM_CONTROLLER}: a trajectory is still being sent',)
    goes_on.set()
    sending.join(20.0)
    assert is_hold([path for name, _, path in table.sent if name == ARM_CONTROLLER][-1])
    assert valve.stop() == ()


def test_what_could_not_be_held_once_is_not_said_of_a_later_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    table, valve = moving_arm_and_hand()
    real = table.send

    def send(controller: str, *rest: Any) -> None:
        if controller == HAND_CONTROLLER:
            raise MotionError(ReasonCode.HARDWARE_FAULT, 'the wire is cut')
        real(controller, *rest)

    with monkeypatch.context() as cut:
        cut.setattr(table, 'send', send)
        assert len(valve.stop()) == 1
    assert valve.release(valve.stops)
    table.advance(table.time_s + 10.0)
    assert valve.stop() == ()


@pytest.mark.parametrize('apart', [False, True], ids=['one publisher', 'two publishers'])
def test_an_arm_under_way_is_not_thrown_back_to_where_it_was_measured_long_ago(apart: bool) -> None:
    table, valve = moving_arm_and_hand()
    long_ago = JointSample(table.time_s - 0.5, dict(table.positions))
    table.advance(table.time_s + 0.5)
    table._sample = long_ago
    if apart:
        table._sample = JointSample(table.time_s, long_ago.positions, {ARM_JOINT: long_ago.stamp_s})
    assert valve.stop() == ()
    (hold,) = [path for name, _, path in table.sent[2:] if name == ARM_CONTROLLER]
    assert float(hold.positions[0][0]) == pytest.approx(table.positions[ARM_JOINT], abs=0.01)


def test_a_button_that_is_held_down_is_written_once(tmp_path: File, monkeypatch: pytest.MonkeyPatch) -> None:
    robot = make_robot(marker=StopMarker(tmp_path))
    written: list[int] = []
    real = os.fsync
    monkeypatch.setattr(os, 'fsync', lambda descriptor: (written.append(descriptor), real(descriptor)))
    assert robot.executor.stop().whole
    once = len(written)
    for _ in range(5):
        assert robot.executor.stop().whole
    assert len(written) == once > 0
    robot.marker.file.unlink()
    assert robot.executor.stop().whole
    assert robot.marker.is_set()


def test_without_a_clock_a_moving_hand_holds_about_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    table, valve = moving_arm_and_hand()
    monkeypatch.setattr(table, 'now_s', lambda: float('nan'))
    assert valve.stop() == ()
    assert {name for name, _, _ in table.sent[2:]} == {ARM_CONTROLLER, HAND_CONTROLLER}


def test_a_closed_hand_keeps_its_grip_when_the_clock_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    table = FakeTable()
    valve = Valve(table, {ARM_CONTROLLER: (ARM_JOINT,)}, 1.0)
    close = straight('close', HAND_CONTROLLER, HAND_JOINT, 0.0, 1.0, 0.5)
    valve.send(
        close.controller, close.joints, JointPath(close.times_s, close.positions, close.velocities), table.time_s
    )
    table.advance(table.time_s + 1.0)
    table.time_s = 0.0
    wall_s = [10.0]
    monkeypatch.setattr('action_node.stop.valve.time.monotonic', lambda: wall_s[0])
    valve._sent[HAND_CONTROLLER] = replace(valve._sent[HAND_CONTROLLER], sent_wall_s=0.0)
    valve.stop()
    assert HAND_CONTROLLER not in [name for name, _, _ in table.sent[1:]]


def test_nothing_moves_on_a_frame_from_the_future(robot: Robot) -> None:
    table = robot.table
    ahead = replace(table.snapshot(), stamp_s=table.time_s + 3600.0)
    table.latest = lambda: ahead
    assert robot.do('<move_to_box_1(pear)>').code is ReasonCode.NOT_VISIBLE
    assert not table.sent


@pytest.mark.parametrize('value', [float('nan'), float('inf'), None])
def test_nothing_is_planned_with_a_joint_that_is_not_known(robot: Robot, value: float | None) -> None:
    positions = {ARM_JOINT: robot.table.positions[ARM_JOINT]} | ({} if value is None else {HAND_JOINT: value})
    robot.table._sample = JointSample(robot.table.time_s, positions)
    robot.table.silent = True
    result = robot.do('<move_to_box_1(pear)>')
    assert result.code is ReasonCode.HARDWARE_FAULT
    assert HAND_JOINT in result.message
    assert not robot.planner.requests
    assert np.array([path.positions for _, _, path in robot.table.sent]).size == 0
