"""What the page is told of goals: which of them left their task suspended."""

import pytest

pytest.importorskip('mcap')

import recorded_session as session

from lucca_core.protocol.goals import GoalFeedback, Phase, Status
from lucca_view.panels import Panels
from lucca_view.session import SessionView


def waits(status, *phases):
    """Whether a goal is told to wait that went through these phases and ended so."""
    steps = [session.news('g1', step=GoalFeedback(step=1, phase=phase, text='', code='')) for phase in phases]
    ended = session.news('g1', result=session.GoalResult(status=status, task='sorting'))
    view = SessionView().after_all(session.events((session.news('g1'), *steps, ended)))
    return Panels(None).changed(view, None, frozenset(['timeline']))['timeline'][0]['waits']


def test_a_goal_that_was_suspended_or_cancelled_after_it_had_begun_waits():
    assert waits(Status.SUSPENDED)
    assert waits(Status.CANCELLED, Phase.ACTING)


@pytest.mark.parametrize('status', [Status.FINISHED, Status.FAILED, Status.REFUSED])
def test_a_goal_that_ended_otherwise_does_not_wait(status):
    assert not waits(status, Phase.ACTING, Phase.ACTED)


def test_a_goal_that_was_cancelled_before_it_began_does_not_wait():
    assert not waits(Status.CANCELLED)
