"""What the page is told of goals: which of them left their task suspended."""

import pytest

pytest.importorskip('mcap')

import recorded_session as session

from lucca_core.protocol.goals import Status
from lucca_memory.declarative.entry import Entry, EntryKind, entry_to_text
from lucca_view.panels import Panels
from lucca_view.session import SessionView


def waits(status, *kinds, task='sorting'):
    """Whether the first goal is told to wait, if it ended so, after entries of these kinds in the log of `task`."""
    entries = [
        session.LogEntry(task=task, text=entry_to_text(Entry(entry_id=number, kind=kind)))
        for number, kind in enumerate(kinds, 1)
    ]
    ended = session.news('g1', result=session.GoalResult(status=status, task='sorting'))
    view = SessionView().after_all(session.events((session.news('g1'), *entries, ended)))
    timeline = Panels(None).changed(view, None, frozenset(['timeline']))['timeline']
    return timeline[0]['waits']


@pytest.mark.parametrize('status', [Status.SUSPENDED, Status.CANCELLED, Status.FAILED])
def test_a_goal_that_left_its_task_suspended_waits_however_it_ended(status):
    assert waits(status, EntryKind.STARTED, EntryKind.SUSPENDED)


def test_a_goal_that_was_finished_or_cancelled_before_it_began_does_not_wait():
    assert not waits(Status.FINISHED, EntryKind.STARTED, EntryKind.FINISHED)
    assert not waits(Status.CANCELLED)
    assert not waits(Status.CANCELLED, EntryKind.SUSPENDED, task='tower')
