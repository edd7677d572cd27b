from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lucca_interfaces.msg import TaskState
from lucca_interfaces.srv import RetrieveMemory

from coordinator_node.conversions import (
    event_to_msg,
    goal_from_msg,
    goal_to_msg,
    result_from_msg,
    result_to_msg,
    retrieved_from_msg,
    status_from_msg,
)
from coordinator_node.ports import Goal, OpenIntent, Phase, Status, TaskEvent, TaskResult, TaskStatus
from lucca_core.protocol.snapshots import Snapshot, TableObject
from lucca_core.protocol.usage import ModelUsage

pytestmark = pytest.mark.ros

# Message strings end at a null and hold no half of a surrogate pair.
TEXT = st.text(st.characters(exclude_characters='\0', exclude_categories=('Cs',)), max_size=30)
TEXTS = st.lists(TEXT, max_size=4).map(tuple)
SECONDS = st.floats(0, 1e6)
COUNT = st.integers(0, 2**32 - 1)
SNAPSHOT = Snapshot(stamp_s=2.5, objects=(TableObject(object_id='1', name='pear', label='pear'),))


@given(TEXT, TEXT, TEXT, st.integers(-(2**31), 2**31 - 1), COUNT, st.booleans())
def test_a_goal_survives_the_way(task, text, person, priority, max_actions, restart):
    goal = Goal(
        goal_id='7', task=task, text=text, person=person, priority=priority, max_actions=max_actions, restart=restart
    )
    # Whoever uses the action is the command line; what is heard comes over a topic.
    assert goal_from_msg(goal_to_msg(goal), '7') == replace(goal, source='cli')


@given(
    st.builds(
        TaskResult,
        status=st.sampled_from(Status),
        task=TEXT,
        said=TEXT,
        reason=TEXT,
        actions_done=TEXTS,
        done_before=TEXTS,
        undone=TEXTS,
        left=TEXTS,
        repeated=COUNT,
        retries=COUNT,
        refusals=COUNT,
        model_retries=st.just(0),
        coordinator=st.builds(ModelUsage, model=TEXT, calls=COUNT, prompt_tokens=COUNT, model_s=SECONDS),
        worker=st.just(ModelUsage()),
        overhead_s=st.lists(SECONDS, max_size=3).map(tuple),
        planning_s=st.lists(SECONDS, max_size=3).map(tuple),
        verify_wait_s=st.lists(SECONDS, max_size=3).map(tuple),
        prompt_tokens=st.lists(COUNT, max_size=3).map(tuple),
    )
)
def test_a_result_survives_the_way(result):
    assert result_from_msg(result_to_msg(result)) == result


def test_an_event_is_told_in_words():
    event = TaskEvent(step=3, phase=Phase.ACTING, text='<point(pear)>', actions_done=('a',), left=('pear',))
    msg = event_to_msg(event)
    assert (msg.step, msg.phase, msg.text, list(msg.actions_done), list(msg.left)) == (
        3,
        'acting',
        '<point(pear)>',
        ['a'],
        ['pear'],
    )


def test_memory_is_read_with_its_open_intent():
    msg = RetrieveMemory.Response(text='To do: pear', to_do=['pear'], message='pear is not certain', corrections=2)
    assert retrieved_from_msg(msg).open_intent is None
    msg.open_intent_id, msg.open_intent_action, msg.open_intent_object_name = 4, '<point(pear)>', 'pear'
    found = retrieved_from_msg(msg)
    assert found.open_intent == OpenIntent(intent_id=4, action='<point(pear)>', object_name='pear')
    assert (found.to_do, found.doubt, found.corrections) == (('pear',), 'pear is not certain', 2)


def test_the_state_of_a_task_is_read():
    msg = TaskState(
        task='tower', description='Build.', status='suspended', actions_done=['a'], undone=['c'], left=['b']
    )
    assert status_from_msg(msg) == TaskStatus(
        task='tower', description='Build.', status='suspended', actions_done=('a',), undone=('c',), left=('b',)
    )
