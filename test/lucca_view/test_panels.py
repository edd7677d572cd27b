"""What the page is told: which goals left their task suspended, and nothing that is no JSON."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip('mcap')

import recorded_session as session

from lucca_core.codes import ReasonCode
from lucca_core.protocol.actions import ActionResult
from lucca_core.protocol.goals import GoalFeedback, Phase, Status
from lucca_core.protocol.prohibitions import Prohibition
from lucca_core.protocol.snapshots import Container, Pose
from lucca_robot.profile import load_profile
from lucca_view.events import PathPlanned, ProhibitionsKnown
from lucca_view.panels import Panels
from lucca_view.recording.codec import from_json, to_json
from lucca_view.robot_lines import RobotLines
from lucca_view.session import SessionView

BEFORE = ((0, Phase.THINKING), (0, Phase.UNDERSTOOD), (0, Phase.ACTING))
"""What is told while a task is understood and what an earlier goal left open is settled."""


def shown(status, *steps, waits=None, **result):
    """What is told of a goal with these steps (number and phase) that ended so."""
    told = [session.news('g1', step=GoalFeedback(step=number, phase=phase)) for number, phase in steps]
    ended = session.news('g1', result=session.GoalResult(status=status, task='sorting', **result), waits=waits)
    view = SessionView().after_all(session.events((session.news('g1'), *told, ended)))
    return Panels(None).changed(view, None, frozenset(['timeline']))['timeline'][0]


@pytest.mark.parametrize('waits', [True, False])
@pytest.mark.parametrize('status', list(Status))
def test_what_the_coordinator_says_counts(status, waits):
    goal = shown(status, (1, Phase.ACTING), (1, Phase.ACTED), waits=waits)
    assert goal['waits'] is waits


def test_whoever_waits_had_begun_even_if_no_step_was_told():
    assert shown(Status.CANCELLED, waits=True)['begun']


@pytest.mark.parametrize('status', [Status.SUSPENDED, Status.CANCELLED, Status.FAILED])
@pytest.mark.parametrize('phase', [Phase.THINKING, Phase.ACTING])
def test_in_older_recordings_a_goal_that_had_begun_waits_however_it_ended(status, phase):
    assert shown(status, *BEFORE, (1, phase))['waits']


@pytest.mark.parametrize('status', list(Status))
def test_a_goal_that_ended_before_it_began_does_not_wait(status):
    goal = shown(status, *BEFORE, actions_done=('<move_to_box_1(pear)>',))
    assert (goal['begun'], goal['waits']) == (False, False)


def test_in_older_recordings_a_refused_goal_waits_only_if_something_was_done():
    assert not shown(Status.REFUSED, (1, Phase.THINKING))['waits']
    assert shown(Status.REFUSED, (1, Phase.THINKING), actions_done=('<move_to_box_1(pear)>',))['waits']
    assert shown(Status.REFUSED, (1, Phase.THINKING), undone=('<move_to_box_1(pear)>',))['waits']


def test_a_finished_goal_does_not_wait():
    assert not shown(Status.FINISHED, (1, Phase.ACTING), (1, Phase.ACTED))['waits']


def test_an_older_recording_is_read():
    ended = session.news('g1', result=session.GoalResult(status=Status.CANCELLED, task='sorting'), waits=True)
    older = {name: value for name, value in to_json(ended).items() if name != 'waits'}
    assert from_json('goal', json.dumps(older)).waits is None


def test_the_first_thought_of_a_task_is_the_only_one_that_changes_what_is_shown():
    view = SessionView().after_all(session.events((session.news('g1'),)))
    begun, later = (
        view.after_all(session.events(tuple(session.news('g1', step=step) for step in steps)))
        for steps in ([GoalFeedback(step=1, phase=Phase.THINKING)], [GoalFeedback(step=0, phase=Phase.THINKING)])
    )
    assert begun.goals[0].begun
    assert later.goals is view.goals


FINITE = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([1e308, -1e308])
PLACES = st.tuples(FINITE, FINITE, FINITE)
ROBOT = RobotLines(load_profile())


@settings(max_examples=60)
@given(place=PLACES, size=PLACES, joint=FINITE, row=st.lists(FINITE, max_size=9), time_s=FINITE)
def test_whatever_numbers_a_recording_holds_the_page_is_sent_json(place, size, joint, row, time_s):
    item = replace(session.PEAR, pose_world=Pose(place), size_m=size, score=time_s)
    box = Container(name='box 1', position_world_m=place, size_m=size)
    times = dict.fromkeys(
        ('overhead_before_s', 'overhead_after_s', 'planning_s', 'verify_wait_s', 'duration_s'), time_s
    )
    result = ActionResult(code=ReasonCode.DONE, **times)
    told = (
        session.SceneSeen(snapshot=replace(session.SNAPSHOT, objects=(item,), containers=(box,))),
        session.JointsSeen(positions={'l_joint1': joint}),
        PathPlanned(arm='left', joints=('l_joint1',), times_s=(), positions=(tuple(row),)),
        session.ActionEnded(task='sorting', result=result),
    )
    panels, view = Panels(ROBOT), SessionView().after_all(session.events(told))
    json.dumps(panels.changed(view, None, frozenset(panels.names)), allow_nan=False)


def test_what_is_prohibited_is_shown_with_who_said_it_and_how_to_lift_it():
    kept = Prohibition(what='fruit', place='box 1', person='Ana', said_at=datetime(2026, 11, 28, 1, 2, tzinfo=UTC))
    told = session.events((ProhibitionsKnown(prohibitions=(kept, Prohibition(what='the cup'))),))
    shown = Panels(None).changed(SessionView().after_all(told), None, {'prohibitions'})['prohibitions']
    assert shown['unknown'] == ''
    assert shown['found'] == [
        {
            'text': 'do not put fruit in box 1',
            'person': 'Ana',
            'on': '2026-11-28 01:02 UTC',
            'lift': 'you may put fruit in box 1 again',
        },
        {'text': 'do not move the cup', 'person': 'somebody', 'on': '', 'lift': 'you may move the cup again'},
    ]


def test_before_an_answer_and_without_one_it_is_not_known_what_is_prohibited():
    view = SessionView()
    assert Panels(None).changed(view, None, {'prohibitions'})['prohibitions']['unknown']
    for known in (
        ProhibitionsKnown(prohibitions=(Prohibition(what='fruit'),)),
        ProhibitionsKnown(unknown='it is away'),
    ):
        view = view.after_all(session.events((known,)))
    assert Panels(None).changed(view, None, {'prohibitions'})['prohibitions'] == {'unknown': 'it is away', 'found': []}
