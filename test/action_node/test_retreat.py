"""The way home of a motion that was broken off."""

import numpy as np
import pytest
from fakes import ARM_JOINT, HAND_JOINT, HOME, FakePlanner, FakeTable
from hypothesis import given
from hypothesis import strategies as st

from action_node.motion.motion_plan import MotionRequest, MotionSegment
from action_node.retreat import path_of, reversed_path, way_home

RELEASE = 3
HANDS = (1, 3)
"""The segments of a hand."""


def motion(kind: str = 'pick_and_place', *, speed: float = 1.0) -> tuple[MotionSegment, ...]:
    table = FakeTable()
    table.put('pear', 0.0)
    request = MotionRequest(kind, 'id pear', 'box 1' if kind == 'pick_and_place' else '')  # type: ignore[arg-type]
    return FakePlanner(speed=speed).plan(request, table.snapshot(), table.positions).segments


def joints_at(segments: tuple[MotionSegment, ...], index: int, share: float) -> dict[str, float]:
    joints = {ARM_JOINT: HOME, HAND_JOINT: 0.0}
    for number, segment in enumerate(segments[: index + 1]):
        path = path_of(segment)
        at_s = path.duration_s * (share if number == index else 1.0)
        joints[segment.joints[0]] = float(path.at(at_s)[0][0])
    return joints


def test_an_arm_that_was_to_move_and_has_not_yet_stays_where_it_is() -> None:
    segments = motion(speed=15.0)
    way = way_home(segments, 2, RELEASE, joints_at(segments, 2, 0.0), ramp_s=0.5, near_rad=0.15)
    assert way is not None
    assert [item.name for item in way] == ['close, back', 'reach, back']


@given(st.integers(0, 4), st.floats(0, 1), st.floats(0.2, 15.0))
def test_the_way_home_is_unbroken_and_ends_at_home_with_an_open_hand(index: int, share: float, speed: float) -> None:
    segments = motion(speed=speed)
    joints = joints_at(segments, index, share)
    way = way_home(segments, index, RELEASE, joints, ramp_s=0.5, near_rad=None if index in HANDS else 0.15)
    assert way is not None
    for segment in way:
        (joint,) = segment.joints
        if joint == ARM_JOINT:
            assert float(segment.positions[0][0]) == pytest.approx(joints[joint], abs=0.06)
        assert not segment.velocities[[0, -1]].any()
        joints[joint] = float(segment.positions[-1][0])
    assert joints[ARM_JOINT] == pytest.approx(HOME, abs=0.01)
    assert joints[HAND_JOINT] == pytest.approx(0.0, abs=0.01)


@given(st.floats(0.05, 0.95))
def test_what_is_carried_goes_back_before_the_hand_opens(share: float) -> None:
    segments = motion()
    way = way_home(segments, 2, RELEASE, joints_at(segments, 2, share), ramp_s=0.5, near_rad=0.15)
    assert way is not None
    assert [item.name for item in way] == ['carry, back', 'close, back', 'reach, back']


def test_what_was_told_to_move_and_has_not_yet_is_told_to_go_back() -> None:
    segments = motion()
    way = way_home(segments, 1, RELEASE, joints_at(segments, 1, 0.0), ramp_s=0.5, near_rad=None)
    assert way is not None
    assert [item.name for item in way] == ['close, back', 'reach, back']
    assert way[0].joints == (HAND_JOINT,)
    assert float(way[0].positions[-1][0]) == pytest.approx(0.0)


def test_a_gripper_that_was_being_opened_is_opened_to_the_end() -> None:
    segments = motion()
    joints = joints_at(segments, RELEASE, 1.0) | {HAND_JOINT: 0.004}

    def names(units: float, *, own_pace: bool) -> list[str]:
        way = way_home(segments, RELEASE, RELEASE, joints, ramp_s=0.5, near_rad=None, units=units, own_pace=own_pace)
        return [item.name for item in way or ()]

    assert names(1.0, own_pace=False) == ['home']
    assert names(0.04, own_pace=False) == ['open, on', 'home']
    joints[HAND_JOINT] = 0.0
    assert names(0.04, own_pace=False) == ['home']
    assert names(0.04, own_pace=True) == ['open, on', 'home']


def test_after_the_release_the_motion_goes_on() -> None:
    segments = motion()
    way = way_home(segments, 4, RELEASE, joints_at(segments, 4, 0.3), ramp_s=0.5, near_rad=0.15)
    assert way is not None
    assert [item.name for item in way] == ['home, on']


def test_without_a_load_the_shorter_way_is_taken() -> None:
    segments = motion('point')
    names = [
        [
            item.name
            for item in way_home(segments, index, None, joints_at(segments, index, 0.5), ramp_s=0.5, near_rad=0.15)
            or ()
        ]
        for index in (0, 2)
    ]
    assert names == [['reach, back'], ['home, on']]


def test_an_arm_that_is_not_on_its_path_gets_no_way() -> None:
    segments = motion()
    assert way_home(segments, 0, RELEASE, {ARM_JOINT: 7.0, HAND_JOINT: 0.0}, ramp_s=0.5, near_rad=0.15) is None
    assert way_home(segments, 0, RELEASE, {HAND_JOINT: 0.0}, ramp_s=0.5, near_rad=0.15) is None


def test_reversed_twice_is_the_same() -> None:
    path = path_of(motion()[0])
    again = reversed_path(reversed_path(path))
    np.testing.assert_allclose(again.times_s, path.times_s, atol=1e-12)
    np.testing.assert_array_equal(again.positions, path.positions)
    np.testing.assert_array_equal(again.velocities, path.velocities)
