import threading

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from coordinator_node.goals.goals import GoalQueue, Leave, QueueFull
from coordinator_node.interfaces import Goal
from coordinator_node.tasks.changes import TaskChange


def goal(name, priority=0, task='tidy', **fields):
    return Goal(goal_id=name, priority=priority, task=task, **fields)


def test_the_first_goal_runs_and_an_equal_one_waits():
    queue = GoalQueue()
    queue.add(goal('one'))
    queue.add(goal('two'))
    assert queue.try_start('two') is Leave.WAIT
    assert queue.try_start('one') is Leave.RUN
    assert queue.try_start('two') is Leave.WAIT
    assert not queue.should_yield('one')
    queue.end('one')
    assert queue.try_start('two') is Leave.RUN


def test_a_higher_goal_asks_the_running_one_to_give_way():
    queue = GoalQueue()
    queue.add(goal('low'))
    queue.try_start('low')
    queue.add(goal('high', priority=5))
    assert queue.should_yield('low')
    assert queue.try_start('high') is Leave.WAIT
    queue.end('low')
    assert queue.try_start('high') is Leave.RUN
    assert queue.try_start('low') is Leave.GONE


def test_having_to_give_way_holds_once_it_was_said():
    queue = GoalQueue()
    queue.add(goal('low'))
    queue.try_start('low')
    queue.add(goal('high', priority=5))
    assert queue.should_yield('low')
    queue.cancel('high')
    assert queue.should_yield('low')


def test_a_text_cannot_run_before_it_is_understood():
    queue = GoalQueue()
    queue.add(goal('text', priority=9, task='', text='tidy up'))
    queue.add(goal('task'))
    assert queue.try_start('text') is Leave.WAIT
    assert queue.try_start('task') is Leave.RUN
    assert not queue.should_yield('task')
    assert queue.ready('text', 'tidy', restart=True).restart
    assert queue.should_yield('task')


def test_a_cancelled_goal_never_runs_and_never_comes_back():
    queue = GoalQueue()
    queue.add(goal('one'))
    assert queue.cancel('one')
    assert queue.try_start('one') is Leave.GONE
    queue.end('one')
    assert not queue.cancel('one')
    assert queue.is_cancelled('one')
    with pytest.raises(ValueError, match='never taken up again'):
        queue.add(goal('one'))


def test_stopping_a_task_cancels_its_goals_but_the_one_that_says_so():
    queue = GoalQueue()
    for name in ('one', 'two'):
        queue.add(goal(name))
    queue.add(goal('other', task='tower'))
    assert queue.cancel_task('tidy', but='two') == ('one',)
    assert queue.is_cancelled('one')
    assert not queue.is_cancelled('two')
    assert not queue.is_cancelled('other')


def test_a_full_queue_says_so():
    queue = GoalQueue(limit=1)
    queue.add(goal('one'))
    assert queue.full()
    with pytest.raises(QueueFull, match='1 goals'):
        queue.add(goal('two'))


def test_a_change_is_taken_back_until_its_goal_has_it():
    queue = GoalQueue()
    queue.add(goal('one'))
    assert queue.try_start('one') is Leave.RUN
    first, second = TaskChange('and the cup, too'), TaskChange('not the pear')
    assert queue.change('tidy', first)
    assert queue.change('tidy', second)
    assert queue.withdraw(first)
    assert not queue.withdraw(first)
    assert queue.take_changes('one') == (second,)
    assert not queue.withdraw(second)


def test_a_waiting_thread_runs_as_soon_as_it_may():
    queue = GoalQueue()
    queue.add(goal('one'))
    queue.add(goal('two'))
    queue.try_start('one')
    leaves = []
    thread = threading.Thread(target=lambda: leaves.append(queue.wait_turn('two', 10.0)))
    thread.start()
    queue.end('one')
    thread.join(10.0)
    assert leaves == [Leave.RUN]


def test_a_waiting_thread_is_released_by_a_cancel():
    queue = GoalQueue()
    queue.add(goal('one'))
    queue.add(goal('two'))
    queue.try_start('one')
    leaves = []
    thread = threading.Thread(target=lambda: leaves.append(queue.wait_turn('two', 10.0)))
    thread.start()
    queue.cancel('two')
    thread.join(10.0)
    assert leaves == [Leave.GONE]


def test_ids_are_remembered_for_long_but_not_for_ever(monkeypatch):
    monkeypatch.setattr('coordinator_node.goals.goals._REMEMBERED', 3)
    queue = GoalQueue()
    for number in range(20):
        queue.cancel(f'never came {number}')
        queue.add(goal(f'g{number}'))
        queue.end(f'g{number}')
    assert len(queue._seen) == len(queue._cancelled_before) == 3
    with pytest.raises(ValueError, match='never taken up again'):
        queue.add(goal('g19'))
    queue.add(goal('never came 19'))
    assert queue.try_start('never came 19') is Leave.GONE


class Goals(RuleBasedStateMachine):
    """The queue against a model of lists."""

    def __init__(self) -> None:
        super().__init__()
        self.queue = GoalQueue(limit=100)
        self.count = 0
        self.waiting: list[Goal] = []
        self.reading: list[Goal] = []
        self.running: Goal | None = None
        self.cancelled: set[str] = set()
        self.gone: set[str] = set()
        self.told: set[str] = set()

    def _all(self):
        return [*self.waiting, *self.reading, *([self.running] if self.running else [])]

    @rule(priority=st.integers(-2, 2), text=st.booleans())
    def add(self, priority, text):
        self.count += 1
        new = goal(f'g{self.count}', priority=priority, task='' if text else 'tidy')
        self.queue.add(new)
        (self.reading if text else self.waiting).append(new)

    @rule(index=st.integers(0, 20))
    def understand(self, index):
        if self.reading:
            item = self.reading.pop(index % len(self.reading))
            self.queue.ready(item.goal_id, 'tower')
            self.waiting.append(item)

    @rule(index=st.integers(0, 20))
    def cancel(self, index):
        if everything := self._all():
            item = everything[index % len(everything)]
            assert self.queue.cancel(item.goal_id)
            self.cancelled.add(item.goal_id)

    @rule(index=st.integers(0, 20))
    def try_one(self, index):
        candidates = [*self.waiting, *self.reading]
        if not candidates:
            return
        item = candidates[index % len(candidates)]
        leave = self.queue.try_start(item.goal_id)
        able = [other for other in self.waiting if other.goal_id not in self.cancelled]
        best = min(able, key=lambda other: (-other.priority, int(other.goal_id[1:])), default=None)
        if item.goal_id in self.cancelled:
            assert leave is Leave.GONE
        elif self.running is None and item is best:
            assert leave is Leave.RUN
            self.waiting.remove(item)
            self.running = item
        else:
            assert leave is Leave.WAIT

    @rule(index=st.integers(0, 20))
    def end(self, index):
        if everything := self._all():
            item = everything[index % len(everything)]
            self.queue.end(item.goal_id)
            self.gone.add(item.goal_id)
            if item is self.running:
                self.running = None
            elif item in self.waiting:
                self.waiting.remove(item)
            else:
                self.reading.remove(item)

    @invariant()
    def one_runs_and_gives_way_to_higher_ones_only(self):
        running = self.queue.running()
        assert (running.goal_id if running else None) == (self.running.goal_id if self.running else None)
        if self.running:
            name = self.running.goal_id
            higher = any(
                other.priority > self.running.priority and other.goal_id not in self.cancelled for other in self.waiting
            )
            if higher:
                self.told.add(name)
            assert self.queue.should_yield(name) == (name in self.told)

    @invariant()
    def what_was_cancelled_or_ended_stays_so(self):
        for name in self.cancelled | self.gone:
            assert self.queue.is_cancelled(name)
        for name in self.gone:
            assert self.queue.try_start(name) is Leave.GONE


TestGoals = Goals.TestCase
