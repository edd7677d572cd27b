"""Work in the background waits while memory is asked for something, and never for ever."""

import threading

from hypothesis import given
from hypothesis import strategies as st

from lucca_core.errors import MemoryFault
from worker_node.people.chores import ChoreThread
from worker_node.quiet_periods import QuietPeriods


class Clock:
    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def calm_of(clock: Clock) -> QuietPeriods:
    return QuietPeriods(calm_s=2.0, longest_action_s=120.0, busy_step_s=30.0, clock=clock)


def test_nothing_was_asked_so_there_is_calm() -> None:
    assert calm_of(Clock()).wait_s() == 0


def test_after_a_call_there_is_calm_a_while_later() -> None:
    clock = Clock()
    calm = calm_of(clock)
    calm.asked()
    assert calm.wait_s() == 2
    clock.now_s += 1
    calm.asked()
    assert calm.wait_s() == 2
    clock.now_s += 2
    assert calm.wait_s() == 0


def test_an_action_keeps_calm_away_until_it_has_ended() -> None:
    clock = Clock()
    calm = calm_of(clock)
    calm.acting('sorting', under_way=True)
    clock.now_s += 20
    assert calm.wait_s() == 10
    calm.acting('sorting', under_way=False)
    assert calm.wait_s() == 2
    clock.now_s += 2
    assert calm.wait_s() == 0


def test_memory_is_in_use_after_a_call_and_while_an_action_is_under_way() -> None:
    clock = Clock()
    calm = calm_of(clock)
    assert not calm.in_use
    calm.asked()
    assert calm.in_use
    clock.now_s += 2
    assert not calm.in_use
    calm.acting('sorting', under_way=True)
    clock.now_s += 60
    assert calm.in_use
    calm.acting('sorting', under_way=False)
    clock.now_s += 2
    assert not calm.in_use


def test_an_intent_that_nobody_settles_keeps_nothing_waiting_for_ever() -> None:
    clock = Clock()
    calm = calm_of(clock)
    calm.acting('sorting', under_way=True)
    clock.now_s += 120
    assert calm.wait_s() == 0


def test_while_memory_is_asked_all_the_time_one_step_in_thirty_seconds_is_let_through() -> None:
    clock = Clock()
    calm = calm_of(clock)
    steps = []
    for second in range(100):
        calm.asked()
        if not calm.wait_s():
            steps.append(second)
            calm.worked(clock())
        clock.now_s += 1
    assert steps == [30, 60, 90]


@given(st.lists(st.tuples(st.sampled_from(['asked', 'intent', 'outcome', 'step']), st.floats(0, 50)), max_size=30))
def test_no_step_waits_longer_than_its_bound(events: list[tuple[str, float]]) -> None:
    clock = Clock()
    calm = calm_of(clock)
    for kind, later_s in events:
        if kind == 'asked':
            calm.asked()
        elif kind == 'step':
            calm.worked(clock())
        else:
            calm.acting('t', under_way=kind == 'intent')
        assert 0 <= calm.wait_s() <= 30.001
        clock.now_s += later_s


def test_after_a_step_there_is_a_rest_as_long_as_the_share_asks_for() -> None:
    clock = Clock()
    calm = QuietPeriods(share=0.25, clock=clock)
    began_s = clock()
    clock.now_s += 0.5
    calm.worked(began_s)
    assert calm.wait_s() == 1.5
    clock.now_s += 1.5
    assert calm.wait_s() == 0


def test_the_keeper_does_no_step_until_there_is_calm() -> None:
    clock, done = Clock(), threading.Event()
    asked_for_it = threading.Event()

    class Watched(QuietPeriods):
        def wait_s(self) -> float:
            wait_s = super().wait_s()
            asked_for_it.set()
            # The keeper waits in wall time, the test has none to wait.
            return min(wait_s, 0.001)

    calm = Watched(2.0, 120.0, 30.0, clock=clock)
    calm.asked()
    keeper = ChoreThread((lambda: bool(done.set()),), 1.0, calm)
    keeper.start()
    try:
        assert asked_for_it.wait(30.0)
        assert not done.is_set()
        assert not keeper.wait_until_idle(0.0)
        clock.now_s += 2
        assert done.wait(30.0)
        assert keeper.wait_until_idle(30.0)
    finally:
        keeper.close()


def test_a_chore_that_fails_leaves_the_others_their_turn() -> None:
    tried, done = [], threading.Event()

    def failing() -> bool:
        tried.append(1)
        raise MemoryFault('away')

    keeper = ChoreThread((failing, lambda: bool(done.set())), 60.0)
    keeper.start()
    try:
        assert done.wait(30.0)
        assert keeper.wait_until_idle(30.0)
        assert tried == [1]
    finally:
        keeper.close()
