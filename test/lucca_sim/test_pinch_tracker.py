"""A hand takes what its closing fingers have between them, and loses it when they no longer do."""

import math

from hypothesis import given
from hypothesis import strategies as st

from lucca_sim.grip_tracker import Grip
from lucca_sim.pinch_tracker import LOST_S, OPPOSED_RAD, STILL_OPPOSED_RAD, PinchTracker

LOOK_S = 0.02
WIDE = math.radians(150.0)


def holding(asked: float = 0.6) -> PinchTracker:
    tracker = PinchTracker()
    for look in range(2):
        tracker.update(Grip.CLOSING, asked, {3: WIDE}, (), look * LOOK_S)
    assert tracker.held == 3
    return tracker


def test_one_look_is_not_enough() -> None:
    tracker = PinchTracker()
    assert tracker.update(Grip.CLOSING, 0.6, {3: WIDE}, (), 0.0) is None
    assert tracker.update(Grip.CLOSING, 0.6, {}, (), LOOK_S) is None
    assert tracker.update(Grip.CLOSING, 0.6, {3: WIDE}, (), 2 * LOOK_S) is None


@given(angle=st.floats(0.0, OPPOSED_RAD, exclude_max=True), looks=st.integers(2, 30))
def test_contacts_that_are_not_opposed_take_nothing(angle: float, looks: int) -> None:
    tracker = PinchTracker()
    for look in range(looks):
        assert tracker.update(Grip.CLOSING, 0.6, {3: angle}, (), look * LOOK_S) is None


@given(grip=st.sampled_from([Grip.OPEN, Grip.CLOSED]))
def test_only_a_closing_hand_takes(grip: Grip) -> None:
    tracker = PinchTracker()
    for look in range(5):
        assert tracker.update(grip, 0.6, {3: WIDE}, (), look * LOOK_S) is None


def test_what_the_other_hand_holds_is_not_taken() -> None:
    tracker = PinchTracker()
    for look in range(5):
        tracker.update(Grip.CLOSING, 0.6, {3: WIDE, 4: OPPOSED_RAD}, (3,), look * LOOK_S)
    assert tracker.held == 4


@given(angle=st.floats(STILL_OPPOSED_RAD, math.pi), grip=st.sampled_from([Grip.CLOSING, Grip.CLOSED]))
def test_it_holds_while_the_fingers_are_opposed(angle: float, grip: Grip) -> None:
    tracker = holding()
    for look in range(2, 60):
        assert tracker.update(grip, 1.0, {3: angle}, (), look * LOOK_S) == 3


@given(angle=st.one_of(st.none(), st.floats(0.0, STILL_OPPOSED_RAD, exclude_max=True)))
def test_it_loses_what_the_fingers_no_longer_have_between_them(angle: float | None) -> None:
    tracker = holding()
    last = {} if angle is None else {3: angle}
    for look in range(2, 20):
        time_s = look * LOOK_S
        kept = tracker.update(Grip.CLOSED, 1.0, last, (), time_s)
        assert (kept == 3) is (time_s - LOOK_S <= LOST_S)


def test_a_finger_may_lift_off_for_a_moment() -> None:
    tracker = holding()
    for look in range(2, 60):
        pinched = {3: WIDE} if look % 4 == 0 else {}
        assert tracker.update(Grip.CLOSED, 1.0, pinched, (), look * LOOK_S) == 3


@given(asked=st.floats(0.3, 1.0), opened=st.floats(0.01, 1.0))
def test_opening_beyond_where_it_was_taken_lets_go_though_the_fingers_still_touch(asked: float, opened: float) -> None:
    tracker = holding(asked)
    assert tracker.update(Grip.CLOSED, 1.0, {3: WIDE}, (), 2 * LOOK_S) == 3
    assert tracker.update(Grip.CLOSED, asked, {3: WIDE}, (), 3 * LOOK_S) == 3
    assert tracker.update(Grip.CLOSED, asked - opened, {3: WIDE}, (), 4 * LOOK_S) is None
