"""Goals served in threads: the end of each is told once, whatever happens meanwhile."""

import threading

import pytest

from coordinator_node.goal_threads import GoalThreads
from coordinator_node.ports import Flag, Status, TaskResult

DEADLINE_S = 10.0
DONE = TaskResult(status=Status.FINISHED)
LATE = TaskResult(status=Status.FAILED, reason='late')


class Ends:
    """How goals ended, as they are told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, TaskResult]] = []
        self.came = threading.Semaphore(0)

    def of(self, name: str, fault: Exception | None = None):
        def tell(result: TaskResult) -> None:
            self.told.append((name, result))
            self.came.release()
            if fault is not None:
                raise fault

        return tell


class Hanging:
    """A goal that ends when it is let go."""

    def __init__(self) -> None:
        self.let_go = threading.Event()
        self.begun = threading.Event()
        self.ended = threading.Event()
        self.listened_to: list[bool] = []

    def __call__(self, listened_to: Flag) -> TaskResult:
        self.listened_to.append(listened_to())
        self.begun.set()
        assert self.let_go.wait(DEADLINE_S)
        self.listened_to.append(listened_to())
        self.ended.set()
        return DONE


def test_a_goal_is_told_by_its_thread() -> None:
    goals, ends = GoalThreads(), Ends()
    goals.start('one', lambda _: DONE, ends.of('one'))
    assert ends.came.acquire(timeout=DEADLINE_S)
    goals.close()
    goals.join(DEADLINE_S, LATE)
    assert ends.told == [('one', DONE)]


def test_a_closed_one_takes_nothing() -> None:
    goals, ends = GoalThreads(), Ends()
    goals.close()
    with pytest.raises(RuntimeError, match='no goal is taken any more'):
        goals.start('one', lambda _: DONE, ends.of('one'))
    goals.join(DEADLINE_S, LATE)
    assert ends.told == []


@pytest.mark.parametrize('late', [LATE, None])
def test_of_a_goal_that_outlasts_it_nobody_hears_more(late: TaskResult | None) -> None:
    goals, ends, hanging = GoalThreads(), Ends(), Hanging()
    goals.start('hanging', hanging, ends.of('hanging'))
    assert hanging.begun.wait(DEADLINE_S)
    goals.close()
    goals.join(0.0, late)
    told = [('hanging', LATE)] if late else []
    assert ends.told == told
    hanging.let_go.set()
    assert hanging.ended.wait(DEADLINE_S)
    goals.join(DEADLINE_S, LATE)
    assert hanging.listened_to == [True, False]
    assert ends.told == told


def test_who_cannot_be_told_keeps_nobody_else_from_it() -> None:
    goals, ends, hanging = GoalThreads(), Ends(), [Hanging(), Hanging()]
    for number, goal in enumerate(hanging):
        goals.start(str(number), goal, ends.of(str(number), ValueError('gone')))
        assert goal.begun.wait(DEADLINE_S)
    goals.close()
    goals.join(0.0, LATE)
    assert sorted(name for name, _ in ends.told) == ['0', '1']
    for goal in hanging:
        goal.let_go.set()
    goals.join(DEADLINE_S, LATE)


def test_a_goal_that_ends_by_a_bug_is_told_as_failed_and_the_bug_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    goals, ends = GoalThreads(), Ends()
    seen: list[str] = []
    bug = threading.Event()

    def hook(args: threading.ExceptHookArgs) -> None:
        seen.append(str(args.exc_value))
        bug.set()

    monkeypatch.setattr(threading, 'excepthook', hook)

    def fail(_: Flag) -> TaskResult:
        raise ValueError('a bug')

    goals.start('one', fail, ends.of('one'))
    assert ends.came.acquire(timeout=DEADLINE_S)
    assert [(name, result.status) for name, result in ends.told] == [('one', Status.FAILED)]
    assert bug.wait(DEADLINE_S)
    assert seen == ['a bug']
    goals.join(DEADLINE_S, LATE)


def test_where_no_thread_can_be_had_nothing_was_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    goals, ends = GoalThreads(), Ends()

    def full(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, 'start', full)
    with pytest.raises(RuntimeError, match='new thread'):
        goals.start('one', lambda _: DONE, ends.of('one'))
    goals.join(DEADLINE_S, LATE)
    assert ends.told == []
