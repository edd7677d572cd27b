import pytest

from coordinator_node.interfaces import never
from coordinator_node.waits import Interrupted, Waits
from lucca_core.errors import MemoryFault, ModelUnusable, StackError


class Clock:
    def __init__(self):
        self.now_s = 0.0
        self.slept = []

    def __call__(self):
        return self.now_s

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now_s += seconds


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def waits(clock):
    return Waits(clock, clock.sleep)


def test_a_pause_lasts_as_long_as_asked_in_slices(waits, clock):
    waits.pause(1.0, never)
    assert clock.now_s == pytest.approx(1.0)
    assert max(clock.slept) <= 0.02


def test_a_pause_ends_when_interrupted(waits, clock):
    with pytest.raises(Interrupted):
        waits.pause(100.0, lambda: clock.now_s > 0.5)
    assert clock.now_s < 0.6


def test_patience_gives_what_comes_back_in_time(waits):
    errors, told = [StackError('away'), MemoryFault('full')], []

    def call():
        if errors:
            raise errors.pop(0)
        return 7

    assert waits.patiently(call, limit_s=10.0, interrupted=never, on_wait=told.append) == 7
    assert [str(error) for error in told] == ['away', 'full']


def test_the_same_error_is_told_once(waits):
    errors, told = ['full', 'full', 'away', 'away', 'full'], []

    def call():
        if errors:
            raise MemoryFault(errors.pop(0))
        return 7

    assert waits.patiently(call, limit_s=10.0, interrupted=never, on_wait=told.append) == 7
    assert [str(error) for error in told] == ['full', 'away', 'full']


def test_patience_ends(waits, clock):
    def call():
        raise StackError('away')

    with pytest.raises(StackError, match='away'):
        waits.patiently(call, limit_s=3.0, interrupted=never)
    assert clock.now_s <= 3.0


def test_an_interrupt_during_a_failing_call_is_no_failure(waits):
    flag = []

    def call():
        flag.append(True)
        raise StackError('cancelled')

    with pytest.raises(Interrupted):
        waits.patiently(call, limit_s=3.0, interrupted=lambda: bool(flag))


def test_other_errors_are_not_waited_for(waits, clock):
    def call():
        raise ModelUnusable('bad key')

    with pytest.raises(ModelUnusable):
        waits.patiently(call, limit_s=3.0, interrupted=never)
    assert clock.now_s == 0.0
