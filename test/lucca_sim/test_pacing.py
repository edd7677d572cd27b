"""Simulated time keeps to wall time, and rates to their periods."""

import threading
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_sim.pacing import CATCH_UP_SPEED, CLOCK_LAG_S, FASTEST, ClockRate, Every, Leash, Pace


def test_time_runs_at_the_speed_asked_for() -> None:
    pace = Pace(4.0)
    assert pace.wait_s(0.0, 100.0) == 0.0
    assert pace.wait_s(1.0, 100.05) == pytest.approx(0.2)


def test_without_a_speed_only_a_burst_is_waited_for() -> None:
    pace, wall_s = Pace(0.0), 0.0
    for tick in range(1, 1001):
        wall_s += 0.01 / FASTEST if tick < 500 else 0.0
        wait_s = pace.wait_s(0.01 * tick, wall_s)
        assert wait_s == pytest.approx(0.0 if tick < 500 else 0.01 / FASTEST)
        wall_s += wait_s


def test_after_a_long_hiccup_it_does_not_sprint() -> None:
    pace = Pace(1.0)
    pace.wait_s(0.0, 0.0)
    assert pace.wait_s(0.1, 5.0) == 0.0
    assert pace.wait_s(0.2, 5.0) == pytest.approx(0.1)


@given(speed=st.just(0.0) | st.floats(0.1, 20), delays_s=st.lists(st.floats(0, 0.3), min_size=1, max_size=60))
def test_no_delay_is_made_up_for_in_a_burst(speed: float, delays_s: list[float]) -> None:
    pace, step_s, wall_s = Pace(speed), 0.01, 0.0
    ends_s = []
    for tick, delay_s in enumerate(delays_s, 1):
        wall_s += delay_s
        wall_s += pace.wait_s(tick * step_s, wall_s)
        ends_s.append(wall_s)
    for before_s, after_s in pairwise(ends_s):
        assert step_s <= (CATCH_UP_SPEED * speed or FASTEST) * (after_s - before_s) + 1e-9


def test_a_short_delay_is_made_up_for() -> None:
    pace = Pace(1.0)
    pace.wait_s(0.0, 0.0)
    wall_s = 0.2
    for tick in range(1, 101):
        wall_s += pace.wait_s(0.01 * tick, wall_s)
    assert wall_s == pytest.approx(1.0)


@given(rate=st.floats(min_value=1, max_value=200), step=st.floats(min_value=0.001, max_value=0.1))
def test_something_is_due_once_in_each_period_at_most(rate: float, step: float) -> None:
    every, fired = Every(rate), []
    for tick in range(200):
        if every.due(tick * step):
            fired.append(tick * step)
    assert fired[0] == 0.0
    assert len(fired) <= 200 * step * rate + 1 + 1e-3


def published(speed: float, rate_hz: float, wall_rate_hz: float, seconds: float = 4.0) -> list[float]:
    """The simulated times at which the clock is published in steps of 0.01 s."""
    clock = ClockRate(rate_hz, wall_rate_hz)
    times_s = [0.01 * tick for tick in range(1, round(100 * seconds))]
    return [time_s for time_s in times_s if clock.due(time_s, time_s / speed)]


@given(speed=st.floats(0.1, FASTEST))
def test_the_clock_is_never_much_behind(speed: float) -> None:
    gaps_s = [after_s - before_s for before_s, after_s in pairwise(published(speed, 100.0, 50.0))]
    assert max(gaps_s) < max(CLOCK_LAG_S, 0.02) + 0.01


@given(speed=st.floats(0.1, 50 * CLOCK_LAG_S - 0.5))
def test_the_clock_keeps_to_both_rates_where_it_is_not_behind_then(speed: float) -> None:
    assert len(published(speed, 100.0, 50.0)) <= min(100.0 * 4.0, 50.0 * 4.0 / speed) + 2


def test_even_at_the_highest_speed_clock_messages_are_bounded() -> None:
    wall_s = 2.0
    assert len(published(1000.0, 250.0, 50.0, seconds=1000.0 * wall_s)) <= (50 + 250) * wall_s + 2


def test_without_a_watcher_time_passes_no_faster_than_on_the_wall():
    leash = Leash(1.0)
    began_s = time.monotonic()
    for step in range(1, 11):
        leash.wait(0.01 * step)
    assert time.monotonic() - began_s >= 0.1


def test_a_leash_lets_go_at_once_while_the_watcher_is_near():
    leash = Leash(1.0, patience_s=3600.0)
    leash.seen(0.0)
    leash.wait(1.0)
    leash.seen(500.0)
    leash.wait(501.0)


def test_a_leash_holds_until_the_watcher_has_caught_up():
    leash = Leash(1.0, patience_s=60.0)
    leash.seen(0.0)
    released = threading.Event()

    def simulate() -> None:
        leash.wait(2.5)
        released.set()

    thread = threading.Thread(target=simulate)
    thread.start()
    leash.seen(1.0)
    assert not released.is_set()
    leash.seen(1.5)
    assert released.wait(10.0)
    thread.join()


def test_a_silent_watcher_is_let_go_until_it_reports_again():
    leash = Leash(1.0, patience_s=0.01)
    leash.seen(0.0)
    leash.wait(5.0)
    leash.wait(50.0)
    leash.seen(49.5)
    leash.wait(50.0)


def test_a_changed_speed_acts_from_the_next_wait_on():
    pace = Pace(1.0)
    pace.wait_s(0.0, 0.0)
    pace.speed = 4.0
    assert pace.wait_s(1.0, 1.0) == 0.0
    assert pace.wait_s(2.0, 1.0) == pytest.approx(0.25)
