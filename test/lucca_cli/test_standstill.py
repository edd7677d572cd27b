"""Telling what the machine took from what the stack took."""

import os
import signal
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_cli.standstill import Standstill, shared_s

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
        assert standstill.longest_ms(began_s, time.monotonic()) > 150.0
        assert standstill.longest_ms(began_s - 2.0, began_s - 1.9) < 100.0
