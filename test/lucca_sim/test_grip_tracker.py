"""A hand holds what it touches while it closes: not open, not pointing, not as a fist."""

from lucca_sim.grip_tracker import Grip, GripTracker, HandReading


def test_an_open_hand_does_not_hold() -> None:
    assert GripTracker(0.25).update(HandReading(asked=0.2, measured=0.2, time_s=1.0)) is Grip.OPEN


def test_a_hand_holds_only_once_its_fingers_have_come_some_way() -> None:
    tracker = GripTracker(0.25)
    assert tracker.update(HandReading(asked=1.0, measured=0.0, time_s=1.0)) is Grip.OPEN
    assert tracker.update(HandReading(asked=1.0, measured=0.5, time_s=1.1)) is Grip.CLOSING


def test_a_hand_that_has_been_closed_for_a_while_takes_nothing_more() -> None:
    tracker = GripTracker(0.25, settle_s=1.0)
    tracker.update(HandReading(asked=1.0, measured=1.0, time_s=1.0))
    assert tracker.update(HandReading(asked=1.0, measured=1.0, time_s=1.9)) is Grip.CLOSING
    assert tracker.update(HandReading(asked=1.0, measured=1.0, time_s=2.1)) is Grip.CLOSED


def test_the_same_closing_command_again_is_no_new_closing() -> None:
    tracker = GripTracker(0.25, settle_s=1.0)
    for tick in range(30):
        grip = tracker.update(HandReading(asked=0.9, measured=0.9, time_s=0.1 * tick))
    assert grip is Grip.CLOSED


def test_opening_ends_a_grip_at_once() -> None:
    tracker = GripTracker(0.25)
    tracker.update(HandReading(asked=1.0, measured=1.0, time_s=1.0))
    assert tracker.update(HandReading(asked=0.1, measured=1.0, time_s=1.02)) is Grip.OPEN


def test_a_hand_that_has_begun_to_open_takes_nothing_until_it_closes_again() -> None:
    tracker = GripTracker(0.25)
    tracker.update(HandReading(asked=1.0, measured=1.0, time_s=1.0))
    assert tracker.update(HandReading(asked=0.8, measured=1.0, time_s=1.02)) is Grip.CLOSED
    assert tracker.update(HandReading(asked=0.8, measured=0.8, time_s=1.04)) is Grip.CLOSED
    assert tracker.update(HandReading(asked=0.9, measured=0.8, time_s=1.06)) is Grip.CLOSING
