"""The queue of goals, running and waiting. Threads call it; it never calls anybody.

Rules: at most one goal runs. When a goal starts, it is the ready goal of the highest priority, and the oldest of those.
A goal of higher priority asks the running one to give way; goals of equal or lower priority wait. A cancel holds from
the moment it is given. A goal that was cancelled, suspended or ended never runs again.
"""

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum

from coordinator_node.interfaces import Goal
from coordinator_node.tasks.changes import TaskChange


class GoalState(StrEnum):
    """The state of a goal. `reading`: its text is still being interpreted, so it cannot run yet."""

    READING = 'reading'
    READY = 'ready'
    RUNNING = 'running'


class Leave(StrEnum):
    """What a waiting goal may do: keep waiting, run, or give up because it is gone."""

    WAIT = 'wait'
    RUN = 'run'
    GONE = 'gone'


class QueueFull(Exception):
    """The queue accepts no further goal."""


@dataclass(slots=True)
class _Item:
    goal: Goal
    number: int
    state: GoalState
    cancelled: bool = False
    yields: bool = False
    changes: list[TaskChange] = field(default_factory=list)
    taken: int = 0
    closed: bool = False
    """it accepts no more changes"""


_REMEMBERED = 4096
"""Ids are kept to recognize late cancels and repeated goals; none is late by thousands of goals."""


class _Recent:
    """The last `_REMEMBERED` ids."""

    def __init__(self) -> None:
        self._ids: dict[str, None] = {}

    def add(self, goal_id: str) -> None:
        self._ids.pop(goal_id, None)
        self._ids[goal_id] = None
        if len(self._ids) > _REMEMBERED:
            del self._ids[next(iter(self._ids))]

    def __contains__(self, goal_id: str) -> bool:
        return goal_id in self._ids

    def __len__(self) -> int:
        return len(self._ids)


class GoalQueue:
    """All goals that have not ended. Safe to use from several threads."""

    def __init__(self, limit: int = 16) -> None:
        if limit < 1:
            raise ValueError(f'limit must be at least 1, got {limit}')
        self._limit = limit
        self._items: dict[str, _Item] = {}
        self._seen = _Recent()
        self._cancelled_before = _Recent()
        self._count = 0
        self._changed = threading.Condition()

    def add(self, goal: Goal) -> None:
        """Adds a goal: ready if it names a task, otherwise reading until `ready` names one.

        Raises:
            QueueFull: `limit` goals run or wait already.
            ValueError: a goal with this id was added before.
        """
        with self._changed:
            if goal.goal_id in self._seen:
                raise ValueError(f'goal {goal.goal_id!r} was given before; goals are never taken up again')
            if len(self._items) >= self._limit:
                raise QueueFull(f'{self._limit} goals run or wait already')
            self._seen.add(goal.goal_id)
            self._count += 1
            state = GoalState.READY if goal.task else GoalState.READING
            early = goal.goal_id in self._cancelled_before
            self._items[goal.goal_id] = _Item(goal, self._count, state, cancelled=early)
            self._changed.notify_all()

    def full(self) -> bool:
        """Whether `add` would raise QueueFull now."""
        with self._changed:
            return len(self._items) >= self._limit

    def holds(self, goal_id: str) -> bool:
        """Whether a goal has a place here: it was added and has not ended."""
        with self._changed:
            return goal_id in self._items

    def ready(self, goal_id: str, task: str, *, restart: bool = False, confirmed: str = '') -> Goal:
        """Names the task that a reading goal means, and returns the goal with it; from now on the goal may run."""
        if not task:
            raise ValueError('a goal that is ready names a task')
        with self._changed:
            item = self._items[goal_id]
            if item.state is not GoalState.READING:
                raise ValueError(f'goal {goal_id!r} is {item.state}, not in reading')
            item.goal = replace(
                item.goal,
                task=task,
                restart=item.goal.restart or restart,
                confirmed=confirmed or item.goal.confirmed,
            )
            item.state = GoalState.READY
            self._changed.notify_all()
            return item.goal

    def cancel(self, goal_id: str) -> bool:
        """Cancels a goal for good, even one that is added later. True unless it had already ended."""
        with self._changed:
            item = self._items.get(goal_id)
            if item is None:
                if goal_id in self._seen:
                    return False
                self._cancelled_before.add(goal_id)
                return True
            item.cancelled = True
            self._changed.notify_all()
            return True

    def cancel_task(self, task: str, *, but: str = '') -> tuple[str, ...]:
        """Cancels all goals for a task except `but`, and returns their ids."""
        with self._changed:
            ids = [goal_id for goal_id, item in self._items.items() if item.goal.task == task and goal_id != but]
            for goal_id in ids:
                self._items[goal_id].cancelled = True
            self._changed.notify_all()
            return tuple(ids)

    def cancel_all(self, *, but: str = '') -> tuple[Goal, ...]:
        """Cancels every goal except `but`, and returns those that name a task, in the order in which they came."""
        with self._changed:
            items = [item for goal_id, item in self._items.items() if goal_id != but]
            for item in items:
                item.cancelled = True
            self._changed.notify_all()
            return tuple(item.goal for item in items if item.goal.task)

    def cancel_reading(self, source: str, person: str, *, but: str = '') -> None:
        """Cancels what a speaker said and what is still being interpreted or answered, except `but`."""
        with self._changed:
            for goal_id, item in self._items.items():
                spoken = (item.goal.source, item.goal.person) == (source, person)
                if spoken and item.state is GoalState.READING and goal_id != but:
                    item.cancelled = True
            self._changed.notify_all()

    def tasks(self) -> tuple[str, ...]:
        """The tasks that run or wait."""
        with self._changed:
            return tuple(dict.fromkeys(item.goal.task for item in self._items.values() if item.goal.task))

    def is_cancelled(self, goal_id: str) -> bool:
        """Whether a goal was cancelled. An ended goal counts as cancelled, so that nothing continues for it."""
        with self._changed:
            item = self._items.get(goal_id)
            return item is None or item.cancelled

    def should_yield(self, goal_id: str) -> bool:
        """Whether a running goal has to give way at its next safe point. Once true, it stays true."""
        with self._changed:
            item = self._items.get(goal_id)
            if item is None or item.state is not GoalState.RUNNING:
                return False
            best = self._best()
            if best is not None and best.goal.priority > item.goal.priority:
                item.yields = True
            return item.yields

    def try_start(self, goal_id: str) -> Leave:
        """Whether a goal may run now. RUN means that it runs from this moment until `end`."""
        with self._changed:
            return self._try_start(goal_id)

    def change(self, task: str, change: TaskChange) -> bool:
        """Hands a change to the running goal of a task. False if there is none, or it accepts no more changes."""
        with self._changed:
            for item in self._items.values():
                if item.state is GoalState.RUNNING and item.goal.task == task and not (item.closed or item.cancelled):
                    item.changes.append(change)
                    return True
            return False

    def withdraw(self, change: TaskChange) -> bool:
        """Takes a change back. False if its goal has taken it already."""
        with self._changed:
            for item in self._items.values():
                if change in item.changes[item.taken :]:
                    item.changes.remove(change)
                    return True
            return False

    def take_changes(self, goal_id: str, last: bool = False) -> tuple[TaskChange, ...]:
        """The new changes for a goal. With `last`, a goal that has none accepts no more from now on."""
        with self._changed:
            item = self._items.get(goal_id)
            if item is None:
                return ()
            new = tuple(item.changes[item.taken :])
            item.taken = len(item.changes)
            item.closed = item.closed or (last and not new)
            return new

    def wait_turn(self, goal_id: str, timeout_s: float | None = None) -> Leave:
        """Like `try_start`, but waits for the goal's turn; WAIT after `timeout_s`."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_decided(goal_id), timeout_s)
            return self._try_start(goal_id)

    def wait_ended(self, goal_ids: Iterable[str], timeout_s: float) -> bool:
        """Waits until all these goals have ended; False after `timeout_s`."""
        ids = set(goal_ids)
        with self._changed:
            return self._changed.wait_for(lambda: not ids & self._items.keys(), timeout_s)

    def end(self, goal_id: str) -> None:
        """Removes a goal that has ended in whatever way; the next one may run."""
        with self._changed:
            item = self._items.pop(goal_id, None)
            for change in item.changes if item is not None else ():
                change.close()
            self._changed.notify_all()

    def running(self) -> Goal | None:
        """The running goal, if there is one."""
        with self._changed:
            return next((item.goal for item in self._items.values() if item.state is GoalState.RUNNING), None)

    def waiting(self) -> tuple[Goal, ...]:
        """The goals that do not run, in the order in which they are expected to."""
        with self._changed:
            items = [item for item in self._items.values() if item.state is not GoalState.RUNNING]
            return tuple(item.goal for item in sorted(items, key=_rank))

    def _best(self) -> _Item | None:
        ready = [item for item in self._items.values() if item.state is GoalState.READY and not item.cancelled]
        return min(ready, key=_rank, default=None)

    def _is_decided(self, goal_id: str) -> bool:
        item = self._items.get(goal_id)
        if item is None or item.cancelled:
            return True
        idle = all(other.state is not GoalState.RUNNING for other in self._items.values())
        return idle and self._best() is item

    def _try_start(self, goal_id: str) -> Leave:
        item = self._items.get(goal_id)
        if item is None or item.cancelled:
            return Leave.GONE
        if item.state is GoalState.RUNNING:
            raise ValueError(f'goal {goal_id!r} runs already')
        if not self._is_decided(goal_id):
            return Leave.WAIT
        item.state = GoalState.RUNNING
        return Leave.RUN


def _rank(item: _Item) -> tuple[int, int]:
    return -item.goal.priority, item.number
