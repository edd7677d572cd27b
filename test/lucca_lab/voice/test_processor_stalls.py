"""Telling what the machine took from what the stack took."""

import os
import signal
import threading
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_lab.voice.processor_stalls import Standstill, shared_s
from lucca_lab.voice.stop_latency import Latencies

times = st.floats(0.0, 10.0)


def test_only_what_lies_in_the_span_is_counted_and_added_up():
    gaps = [(1.0, 1.1), (1.3, 1.4), (5.0, 6.0)]
    assert shared_s(gaps, (0.9, 2.0)) == pytest.approx(0.2)
    assert shared_s(gaps, (1.05, 1.35)) == pytest.approx(0.1)
    assert shared_s(gaps, (2.0, 3.0)) == 0.0


@given(st.lists(st.tuples(times, times)), times, times)
def test_no_more_is_lost_than_there_was(spans, one, other):
    asked = (min(one, other), max(one, other))
    gaps, end_s = [], 0.0
    for pause, length in spans:
        gaps.append((end_s + pause, end_s + pause + length))
        end_s = gaps[-1][1]
    assert 0.0 <= shared_s(gaps, asked) <= asked[1] - asked[0] + 1e-9


def test_a_processor_that_stands_still_is_noticed():
    """The watch of one is stopped, as a host stops a machine."""
    with Standstill() as standstill:
        watch = standstill._watches[0][0].pid
        assert watch is not None
        began_s = time.monotonic()
        os.kill(watch, signal.SIGSTOP)
        threading.Event().wait(0.2)  # how long it stands still
        os.kill(watch, signal.SIGCONT)
        lost_ms = standstill.lost_ms(began_s, time.monotonic())
        if lost_ms is None:
            with pytest.raises(PermissionError):  # that is allowed only where no real time is
                os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
            return
        assert lost_ms > 150.0
        assert standstill.lost_ms(began_s - 20.0, began_s - 19.9) == 0.0


def test_where_no_real_time_is_allowed_nothing_is_told():
    """What held a watch up may then have been another process."""
    standstill = Standstill()
    assert standstill.lost_ms(0.0, 1.0) is None


def latencies(values_ms: tuple[float, ...], lost_ms: tuple[float | None, ...]) -> dict[str, Any]:
    return Latencies('a stop', values_ms, lost_ms, 0, 30.0).as_json()


def test_what_the_machine_lost_is_told_beside_the_figure_that_counts():
    row = latencies((10.0, 50.0), (0.0, 45.0))
    assert (row['machine_stood_still_ms'], row['kept']) == (45.0, False)
    assert row['p99_without_that_ms'] == pytest.approx(9.95)


def test_what_nobody_can_tell_is_null():
    row = latencies((10.0, 20.0), (None, None))
    assert (row['machine_stood_still_ms'], row['p99_without_that_ms'], row['kept']) == (None, None, True)
    assert latencies((), ())['machine_stood_still_ms'] is None
