"""Goals served in threads: the end of each is told once, whatever happens meanwhile."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from coordinator_node.goals.goal_threads import GoalThreads
from coordinator_node.interfaces import TaskResult
from lucca_core.protocol.goals import GoalFeedback, Phase, Status

DEADLINE_S = 10.0
DONE = TaskResult(status=Status.FINISHED)
LATE = TaskResult(status=Status.FAILED, reason='late')


class Ends:
    """How goals ended, as their givers are told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, TaskResult]] = []
        self.came = threading.Semaphore(0)

    def of(self, name: str, fault: Exception | None = None) -> 'Person':
        return Person(self, name, fault)


@dataclass
class Person:
    """Who gave a goal."""

    ends: Ends
    name: str
    fault: Exception | None = None
    heard: list[str] = field(default_factory=list)
    arrived: threading.Event = field(default_factory=threading.Event)

    def hear(self, event: GoalFeedback) -> None:
        self.heard.append(event.text)

    def tell(self, result: TaskResult) -> None:
        self.ends.told.append((self.name, result))
        self.ends.came.release()
        if self.fault is not None:
            raise self.fault

    def wait_told(self, timeout_s: float) -> None:
        self.arrived.wait(timeout_s)


class Hanging:
    """A goal that ends when it is let go."""

    def __init__(self) -> None:
        self.let_go = threading.Event()
        self.begun = threading.Event()
        self.ended = threading.Event()

    def __call__(self, on_event: Callable[[GoalFeedback], None]) -> TaskResult:
        on_event(GoalFeedback(step=0, phase=Phase.SAYING, text='begun'))
        self.begun.set()
        assert self.let_go.wait(DEADLINE_S)
        on_event(GoalFeedback(step=0, phase=Phase.SAYING, text='late'))
        self.ended.set()
        return DONE


@pytest.fixture
def goals() -> GoalThreads:
    return GoalThreads(told_s=0.05)


def test_a_goal_is_told_by_its_thread(goals: GoalThreads) -> None:
    ends = Ends()
    goals.start('one', lambda _: DONE, ends.of('one'))
    assert ends.came.acquire(timeout=DEADLINE_S)
    goals.close()
    goals.join(DEADLINE_S, LATE)
    assert ends.told == [('one', DONE)]


class Clock:
    """Time that passes while somebody waits to be told."""

    now_s = 0.0

    def monotonic(self) -> float:
        return self.now_s


def test_all_late_ones_are_told_before_any_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    goals, ends, hanging, clock = GoalThreads(told_s=3.0), Ends(), [Hanging() for _ in range(4)], Clock()
    waited: list[tuple[int, float]] = []

    class Slow(Person):
        def wait_told(self, timeout_s: float) -> None:
            waited.append((len(ends.told), timeout_s))
            clock.now_s += min(2.0, timeout_s)

    for number, goal in enumerate(hanging):
        goals.start(str(number), goal, Slow(ends, str(number)))
        assert goal.begun.wait(DEADLINE_S)
    goals.close()
    monkeypatch.setattr('coordinator_node.goals.goal_threads.time', clock)
    goals.join(0.0, LATE)
    monkeypatch.undo()
    # All were told by then, and share one deadline.
    assert waited == [(4, 3.0), (4, 1.0), (4, 0.0), (4, 0.0)]
    for goal in hanging:
        goal.let_go.set()
    goals.join(DEADLINE_S, LATE)


def test_a_closed_one_takes_nothing(goals: GoalThreads) -> None:
    ends = Ends()
    goals.close()
    with pytest.raises(RuntimeError, match='no goal is taken any more'):
        goals.start('one', lambda _: DONE, ends.of('one'))
    goals.join(DEADLINE_S, LATE)
    assert ends.told == []


@pytest.mark.parametrize('late', [LATE, None])
def test_of_a_goal_that_outlasts_it_nobody_hears_more(goals: GoalThreads, late: TaskResult | None) -> None:
    ends, hanging = Ends(), Hanging()
    person = ends.of('hanging')
    goals.start('hanging', hanging, person)
    assert hanging.begun.wait(DEADLINE_S)
    goals.close()
    goals.join(0.0, late)
    told = [('hanging', LATE)] if late else []
    assert ends.told == told
    hanging.let_go.set()
    assert hanging.ended.wait(DEADLINE_S)
    goals.join(DEADLINE_S, LATE)
    assert person.heard == ['begun']
    assert ends.told == told


def test_who_cannot_be_told_keeps_nobody_else_from_it(goals: GoalThreads) -> None:
    ends, hanging = Ends(), [Hanging(), Hanging()]
    for number, goal in enumerate(hanging):
        goals.start(str(number), goal, ends.of(str(number), ValueError('gone')))
        assert goal.begun.wait(DEADLINE_S)
    goals.close()
    goals.join(0.0, LATE)
    assert sorted(name for name, _ in ends.told) == ['0', '1']
    for goal in hanging:
        goal.let_go.set()
    goals.join(DEADLINE_S, LATE)


def test_a_goal_that_ends_by_a_bug_is_told_as_failed_and_the_bug_is_seen(
    goals: GoalThreads, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = Ends()
    seen: list[str] = []
    bug = threading.Event()

    def hook(args: threading.ExceptHookArgs) -> None:
        seen.append(str(args.exc_value))
        bug.set()

    monkeypatch.setattr(threading, 'excepthook', hook)

    def fail(_: object) -> TaskResult:
        raise ValueError('a bug')

    goals.start('one', fail, ends.of('one'))
    assert ends.came.acquire(timeout=DEADLINE_S)
    assert [(name, result.status) for name, result in ends.told] == [('one', Status.FAILED)]
    assert ends.told[0][1].reason == 'bug: ValueError: a bug'
    assert bug.wait(DEADLINE_S)
    assert seen == ['a bug']
    goals.join(DEADLINE_S, LATE)


def test_where_no_thread_can_be_had_nothing_was_begun(goals: GoalThreads, monkeypatch: pytest.MonkeyPatch) -> None:
    ends = Ends()

    def full(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, 'start', full)
    with pytest.raises(RuntimeError, match='new thread'):
        goals.start('one', lambda _: DONE, ends.of('one'))
    goals.join(DEADLINE_S, LATE)
    assert ends.told == []
