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
from fakes import ARM_CONTROLLER, ARM_JOINT, HAND_JOINT, FakeTable, is_hold
from hypothesis import given, settings
from hypothesis import strategies as st
from robots import Robot, make_robot

from action_node import executor as executor_module
from action_node.stop import stop_marker
from action_node.stop.joint_sample import JointSample
from action_node.stop.stop_marker import StopMarker
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
