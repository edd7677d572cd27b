"""Motions in chunks: what a controller does with them when messages are late, lost, or stop coming."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fakes import ARM_CONTROLLER, ARM_JOINT, HAND_CONTROLLER, HAND_JOINT, STEP_S, FakeBody, FakeTable, straight
from hypothesis import example, given, settings
from hypothesis import strategies as st
from narrow_gripper import narrow_gripper

from action_node.body import ProfileBody
from action_node.cancel_latch import CancelLatch
from action_node.config import ActionConfig
from action_node.motion_runner import MotionRunner, RunEnd
from action_node.retreat import path_of
from action_node.segment_stream import SegmentStream
from action_node.stop.joint_path import JointPath
from action_node.stop.joint_sample import JointSample
from action_node.stop.valve import Valve
from action_node.stream_end import StreamEnded
from lucca_core.codes import ReasonCode
from lucca_core.errors import MotionError
from lucca_robot.arm_profile import USUAL_ACCELERATION
from lucca_robot.profile import load_profile

CONFIG = ActionConfig()
FASTEST_RAD_S = 1.5 * 2.0 / 4.0
"""The speed in the middle of the smooth motion over 2 rad in 4 s that `run` does."""


class LossyTable(FakeTable):
    """Loses the messages whose numbers are in `lost`."""

    lost: frozenset[int] = frozenset()
    number = 0

    def send(self, *args: object) -> None:
        self.number += 1
        if self.number not in self.lost:
            super().send(*args)  # type: ignore[arg-type]


class LateTable(FakeTable):
    """Hears every message some seconds later."""

    late_by_s = 4.0

    def send(self, *args: object) -> None:
        hear = super().send
        self.at.append((self.time_s + self.late_by_s, lambda: hear(*args)))  # type: ignore[arg-type]


class BlockedTable(FakeTable):
    """Something keeps the finger from closing further than `most_m`."""

    most_m = 0.0

    def advance(self, time_s: float) -> None:
        super().advance(time_s)
        self.positions[HAND_JOINT] = min(self.positions[HAND_JOINT], self.most_m)
        self._sample = JointSample(time_s, dict(self.positions))


def runner_of(table: FakeTable) -> tuple[MotionRunner, Valve]:
    valve = Valve(table, FakeBody.arm_controllers, CONFIG.joints_silence_s)
    return MotionRunner(table, valve, CONFIG), valve


def run(table: FakeTable, duration_s: float = 4.0, **options: object) -> RunEnd:
    reach = straight('reach', ARM_CONTROLLER, ARM_JOINT, -1.0, 1.0, duration_s)
    return runner_of(table)[0].run([reach], **options)  # type: ignore[arg-type]


def test_a_motion_ends_where_it_should_and_is_sent_ahead_in_short_chunks() -> None:
    table = FakeTable()
    assert run(table).code is ReasonCode.DONE
    assert table.positions[ARM_JOINT] == pytest.approx(1.0)
    ends = [start_s + path.duration_s for _, start_s, path in table.sent]
    assert len(ends) > 8
    assert ends == sorted(ends)
    assert all(not path.velocities[-1].any() for _, _, path in table.sent)


def test_every_chunk_reaches_no_further_than_the_horizon() -> None:
    table = FakeTable()
    sent_at: list[float] = []
    send = table.send

    def noted(*args: Any) -> None:
        sent_at.append(table.time_s)
        send(*args)

    table.send = noted  # type: ignore[method-assign]
    run(table)
    for at_s, (_, start_s, path) in zip(sent_at, table.sent, strict=True):
        assert start_s + path.duration_s - at_s <= CONFIG.horizon_s + 2 * CONFIG.lead_s + 1e-6


class WeakTable(FakeTable):
    """For a while, the joint lags behind its commands, but goes towards them at some speed; then it catches up."""

    until_s, speed_rad_s = 103.0, 0.1

    def advance(self, time_s: float) -> None:
        before, earlier_s = self.positions[ARM_JOINT], self.time_s
        super().advance(time_s)
        most = self.speed_rad_s if time_s < self.until_s else 2.0
        step = most * (time_s - earlier_s)
        self.positions[ARM_JOINT] = float(np.clip(self.positions[ARM_JOINT], before - step, before + step))
        self._sample = JointSample(time_s, dict(self.positions))


@pytest.mark.parametrize('speed_rad_s', [0.0, 0.05, 0.2])
@pytest.mark.parametrize('frozen_s', [0.0, 0.8, 1.3])
def test_an_arm_that_lags_far_behind_is_held_within_the_horizon_too(speed_rad_s: float, frozen_s: float) -> None:
    table = WeakTable()
    table.speed_rad_s = speed_rad_s
    table.late = {101.0: frozen_s}
    ends: list[float] = []
    send = table.send

    def noted(*args: Any) -> None:
        ends.append(args[3] + args[2].duration_s - table.time_s if args[3] else args[2].duration_s)
        send(*args)

    table.send = noted  # type: ignore[method-assign]
    assert run(table, 2.0).code in (ReasonCode.DONE, ReasonCode.HARDWARE_FAULT)
    assert max(ends) <= CONFIG.horizon_s + CONFIG.lead_s + 1e-6


class BiasedTable(FakeTable):
    """The arm rests a little beyond the end of its path, or is measured there."""

    def joints(self) -> JointSample | None:
        here = self.positions[ARM_JOINT]
        return JointSample(self.time_s, {**self.positions, ARM_JOINT: here + (0.1 if here > 0.0 else 0.0)})


def test_an_arm_that_rests_beyond_the_end_of_its_path_is_not_sent_through_it_again() -> None:
    table = BiasedTable()
    assert run(table).code is ReasonCode.HARDWARE_FAULT
    assert np.abs(np.diff([position for _, position, _ in table.trace])).max() < 0.03


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.floats(0.0, 6.0), st.floats(0.1, 4.0)), max_size=4))
def test_late_ticks_never_let_the_arm_jump_or_miss_the_end(lateness: list[tuple[float, float]]) -> None:
    table = FakeTable()
    table.late = {100.0 + at_s: delay_s for at_s, delay_s in lateness}
    shares: list[float] = []
    assert run(table, progress=shares.append).code is ReasonCode.DONE
    positions = np.array([position for _, position, _ in table.trace])
    assert np.abs(np.diff(positions)).max() < 0.03
    assert (np.diff(positions) > -1e-6).all()
    assert shares == sorted(shares)
    assert table.positions[ARM_JOINT] == pytest.approx(1.0, abs=0.06)


@settings(max_examples=40, deadline=None)
@example(frozenset({4, 5, 6, 7, 8, 9}))
@given(st.frozensets(st.integers(1, 20), max_size=6))
def test_lost_messages_delay_and_never_harm(lost: frozenset[int]) -> None:
    table = LossyTable()
    table.lost = lost
    end = run(table)
    assert end.code in (ReasonCode.DONE, ReasonCode.HARDWARE_FAULT)
    if end.code is ReasonCode.DONE:
        assert table.positions[ARM_JOINT] == pytest.approx(1.0, abs=0.06)
    # What is sent was compared with joints of a tick before, and this arm follows at once.
    in_a_tick_rad = FASTEST_RAD_S * (CONFIG.tick_s + STEP_S)
    steps = np.abs(np.diff([position for _, position, _ in table.trace]))
    assert steps.max() < CONFIG.slip_tolerance_rad + in_a_tick_rad


def test_a_hand_whose_message_was_lost_is_asked_again() -> None:
    table = LossyTable()
    table.lost = frozenset({1})
    close = straight('close', HAND_CONTROLLER, HAND_JOINT, 0.0, 1.0, 0.5)
    assert runner_of(table)[0].run([close]).code is ReasonCode.DONE
    assert table.positions[HAND_JOINT] == pytest.approx(1.0)


@pytest.mark.parametrize('limit_m', [0.065, 0.1, 0.5])
@pytest.mark.parametrize(('moves_m', 'code'), [(0.0, ReasonCode.HARDWARE_FAULT), (0.02, ReasonCode.DONE)])
def test_a_finger_that_moves_millimetres_has_to_move_too_however_wide_its_limits_are(
    tmp_path: Path, moves_m: float, code: ReasonCode, limit_m: float
) -> None:
    narrow_gripper(tmp_path)
    urdf = (tmp_path / 'narrow.urdf').read_text()
    limits = 'lower="{}" upper="{}" effort="20"'
    assert limits.format(0, 0.065) in urdf
    (tmp_path / 'narrow.urdf').write_text(urdf.replace(limits.format(0, 0.065), limits.format(-limit_m, limit_m)))
    (travel,) = set(ProfileBody(load_profile(tmp_path / 'narrow.yaml')).hand_travels.values())
    table = BlockedTable()
    table.positions[HAND_JOINT], table.most_m = travel.opened, travel.opened + moves_m
    valve = Valve(table, FakeBody.arm_controllers, CONFIG.joints_silence_s, travels={HAND_JOINT: travel})
    close = straight('close', HAND_CONTROLLER, HAND_JOINT, travel.opened, travel.closed, 0.5)
    end = MotionRunner(table, valve, CONFIG).run([close])
    assert end.code is code
    assert ('does not follow close' in end.message) == (code is ReasonCode.HARDWARE_FAULT)


def test_a_motion_that_begins_elsewhere_is_not_sent() -> None:
    table = FakeTable()
    far = straight('far', ARM_CONTROLLER, ARM_JOINT, 0.5, 1.0)
    end = runner_of(table)[0].run([far])
    assert end.code is ReasonCode.HARDWARE_FAULT
    assert 'not sent' in end.message
    # What was sent is the hold that follows every fault.
    assert [path.positions.tolist() for _, _, path in table.sent] == [[[-1.0]]]


def test_a_clock_that_goes_back_ends_the_motion() -> None:
    table = FakeTable()

    def back() -> None:
        table.time_s -= 50.0

    table.at.append((100.5, back))
    assert run(table).code is ReasonCode.HARDWARE_FAULT


def test_a_deadline_ends_the_motion() -> None:
    table = FakeTable()
    assert run(table, deadline_s=101.0).code is ReasonCode.TIMEOUT
    resting = table.positions[ARM_JOINT]
    table.advance(table.time_s + 3.0)
    assert table.positions[ARM_JOINT] == pytest.approx(resting, abs=0.05)


def test_a_cancelled_arm_comes_to_rest_on_its_path() -> None:
    table, latch = FakeTable(), CancelLatch()
    table.at.append((101.5, latch.set))
    assert run(table, cancelled=latch).code is ReasonCode.CANCELLED
    resting = table.positions[ARM_JOINT]
    assert -1.0 < resting < 1.0
    table.advance(table.time_s + 3.0)
    assert table.positions[ARM_JOINT] == pytest.approx(resting, abs=1e-6)


class Dead(BaseException):
    """The node is gone."""


class OrphanedTable(FakeTable):
    """Hears nothing more once the node is gone."""

    orphaned = False

    def send(self, *args: object) -> None:
        if not self.orphaned:
            super().send(*args)  # type: ignore[arg-type]


@pytest.mark.parametrize('ends', ['cancelled', 'dead'])
@pytest.mark.parametrize('after_s', [0.7, 1.0, 1.31, 1.64, 1.75])
def test_an_arm_whose_motion_is_broken_off_brakes_within_its_accelerations(ends: str, after_s: float) -> None:
    """On its path, at up to 1 rad/s. It came to rest between two points of it before, with 60 rad/s² and more."""
    table, latch = OrphanedTable(), CancelLatch()

    def dies() -> None:
        table.orphaned = True
        raise Dead

    table.at.append((100.0 + after_s, latch.set if ends == 'cancelled' else dies))
    if ends == 'cancelled':
        assert run(table, 3.0, cancelled=latch).code is ReasonCode.CANCELLED
    else:
        with pytest.raises(Dead):
            run(table, 3.0)
    for _ in range(200):
        table.advance(table.time_s + STEP_S)
    places = np.array([place for _, place, _ in table.trace])
    assert places[-1] < 1.0
    assert np.abs(np.diff(places, 2)).max() / STEP_S**2 <= 1.05 * USUAL_ACCELERATION


@pytest.mark.parametrize('pause_s', [0.0, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7])
@pytest.mark.parametrize('refresh_s', [0.25, 0.4])
def test_no_chunk_comes_once_the_arm_brakes_however_late_it_is_sent(refresh_s: float, pause_s: float) -> None:
    """At up to 1.425 rad/s, if commands take nearly `lead_s`. In time, no chunk lets the arm brake at all."""
    config = replace(CONFIG, refresh_s=refresh_s)
    table = LateTable()
    table.late_by_s = 0.9 * config.lead_s
    table.late = {101.8: pause_s} if pause_s else {}
    reach = straight('reach', ARM_CONTROLLER, ARM_JOINT, -1.0, 2.8, 4.0)
    valve = Valve(table, FakeBody.arm_controllers, config.joints_silence_s)
    assert MotionRunner(table, valve, config).run([reach]).code is ReasonCode.DONE
    assert pause_s or table.time_s <= 104.3
    places = np.array([place for _, place, _ in table.trace])
    assert np.abs(np.diff(places, 2)).max() / STEP_S**2 <= 1.05 * USUAL_ACCELERATION


class DriftingTable(FakeTable):
    """From 100.6 s on, the arm goes on at some speed until it rests, whatever it is told."""

    rests_s, speed_rad_s, period_s = 102.6, 0.25, 0.05

    def advance(self, time_s: float) -> None:
        before, earlier_s, measured = self.positions[ARM_JOINT], self.time_s, self._sample
        super().advance(time_s)
        if time_s >= 100.6:
            step = self.speed_rad_s * (time_s - earlier_s) if time_s < self.rests_s else 0.0
            self.positions[ARM_JOINT] = before + step
        if measured is None or time_s - measured.stamp_s >= self.period_s - 1e-6:
            measured = JointSample(time_s, dict(self.positions))
        self._sample = measured


def held_behind(table: DriftingTable) -> None:
    """Holds an arm that is under way, as a cancel does where it is not where it was told to be."""
    _, valve = runner_of(table)
    reach = straight('reach', ARM_CONTROLLER, ARM_JOINT, -1.0, 1.0, 4.0)
    valve.send(ARM_CONTROLLER, (ARM_JOINT,), path_of(reach), table.time_s)
    table.advance(table.time_s + 1.0)
    options: dict[str, Any] = dict.fromkeys(('cancelled', 'watch', 'progress', 'sent'))
    SegmentStream(table, valve, CONFIG, reach, deadline_s=1e9, **options)._hold_behind(table.time_s)


@pytest.mark.parametrize('period_s', [0.01, 0.05, 0.2, 0.9])
@pytest.mark.parametrize('speed_rad_s', [0.1, 0.25, 0.35])
def test_an_arm_that_is_held_rests_once_it_has_stayed_for_a_while_however_often_it_is_measured(
    period_s: float, speed_rad_s: float
) -> None:
    """Between two measurements of 50 ms, it goes less than what counts as standing still."""
    table = DriftingTable()
    table.period_s, table.speed_rad_s = period_s, speed_rad_s
    held_behind(table)
    assert table.rests_s + 0.2 <= table.time_s <= table.rests_s + 0.4 + 2 * period_s


def test_an_arm_that_is_held_and_goes_on_does_not_rest() -> None:
    table = DriftingTable()
    table.rests_s = 1e9
    with pytest.raises(StreamEnded, match='did not come to rest'):
        held_behind(table)


def test_an_arm_that_hears_late_is_held_by_the_last_word_and_not_called_cancelled() -> None:
    table, latch = LateTable(), CancelLatch()
    table.at.append((100.3, latch.set))
    assert run(table, cancelled=latch).code is ReasonCode.HARDWARE_FAULT
    table.advance(table.time_s + 10.0)
    assert table.positions[ARM_JOINT] == pytest.approx(-1.0, abs=0.01)


def test_a_shut_valve_lets_nothing_through_until_it_is_released() -> None:
    table = FakeTable()
    _, valve = runner_of(table)
    valve.stop()
    held = len(table.sent)
    path = JointPath(np.array([1.0]), np.zeros((1, 1)), np.zeros((1, 1)))
    with pytest.raises(MotionError) as error:
        valve.send(ARM_CONTROLLER, (ARM_JOINT,), path, 101.0)
    assert error.value.code is ReasonCode.STOPPED
    valve.stop()
    valve.hold()
    assert len(table.sent) == held
    assert not valve.release(valve.stops - 1)
    assert valve.stopped
    assert valve.release(valve.stops)
    valve.send(ARM_CONTROLLER, (ARM_JOINT,), path, 101.0)
    assert len(table.sent) == held + 1


def test_a_stop_holds_a_closing_hand_and_leaves_a_closed_one_alone() -> None:
    table = FakeTable()
    runner, valve = runner_of(table)
    close = straight('close', HAND_CONTROLLER, HAND_JOINT, 0.0, 1.0, 2.0)
    table.at.append((101.0, valve.stop))
    assert runner.run([close]).code is ReasonCode.STOPPED
    assert {controller for controller, _, _ in table.sent[-2:]} == {ARM_CONTROLLER, HAND_CONTROLLER}
    table.advance(table.time_s + 3.0)
    assert 0.1 < table.positions[HAND_JOINT] < 0.9
    sent = len(table.sent)
    assert valve.release(valve.stops)
    table.advance(table.time_s + 3.0)
    valve.stop()
    assert [controller for controller, _, _ in table.sent[sent:]] == [ARM_CONTROLLER]


def test_a_stop_on_old_joints_does_not_send_the_arm_back_to_them() -> None:
    table = FakeTable()
    runner, valve = runner_of(table)
    del runner
    reach = straight('reach', ARM_CONTROLLER, ARM_JOINT, -1.0, 1.0, 4.0)
    path = JointPath(reach.times_s, reach.positions, reach.velocities)
    valve.send(ARM_CONTROLLER, (ARM_JOINT,), path, 100.0)
    table.advance(100.5)
    table.silent = True
    table.advance(102.0)
    valve.stop()
    _, _, hold = table.sent[-1]
    assert float(hold.positions[0][0]) == pytest.approx(float(path.at(2.0)[0][0]))


class TwoPaces(FakeTable):
    """The joint of one controller is measured rarely; the hand closes slowly, seconds late."""

    seldom = ''
    period_s = 0.25
    hand_radps = float('inf')

    def advance(self, time_s: float) -> None:
        before = self._sample
        super().advance(time_s)
        self.positions[HAND_JOINT] = min(self.positions[HAND_JOINT], self.hand_radps * (time_s - 100.0))
        positions, measured_s = dict(self.positions), self.period_s * int(time_s / self.period_s + 1e-6)
        if before is not None and measured_s == before.stamps_s.get(self.seldom):
            positions[self.seldom] = before.positions[self.seldom]
        self._sample = JointSample(time_s, positions, {self.seldom: measured_s})


def test_a_hand_that_is_seldom_measured_is_not_taken_for_one_at_rest() -> None:
    table = TwoPaces()
    table.seldom, table.hand_radps = HAND_JOINT, 0.25
    close = straight('close', HAND_CONTROLLER, HAND_JOINT, 0.0, 1.0, 1.0)
    assert runner_of(table)[0].run([close]).code is ReasonCode.DONE
    assert table.positions[HAND_JOINT] > 0.7


class Creeping(TwoPaces):
    """The finger creeps along an object that it holds, and is measured rarely."""

    seldom = HAND_JOINT
    period_s = 0.3

    def advance(self, time_s: float) -> None:
        self.hand_radps = (0.3 + 0.1 * max(0.0, time_s - 100.5)) / max(time_s - 100.0, 1e-9)
        super().advance(time_s)


def test_a_finger_that_creeps_along_what_it_holds_is_at_rest_however_rarely_it_is_measured() -> None:
    table = Creeping()
    close = straight('close', HAND_CONTROLLER, HAND_JOINT, 0.0, 1.0, 1.0)
    assert runner_of(table)[0].run([close]).code is ReasonCode.DONE
    assert table.positions[HAND_JOINT] < 0.5


def test_an_arm_that_is_seldom_measured_is_not_called_late() -> None:
    table = TwoPaces()
    table.seldom = ARM_JOINT
    assert run(table, 2.5).code is ReasonCode.DONE
    assert len({round(start_s, 3) for _, start_s, _ in table.sent}) == 1, 'it was begun anew from where it was'
