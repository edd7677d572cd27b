"""The coordinator's node with goals, cancels and deaths, over real DDS."""

import random
import threading
from dataclasses import replace
from types import SimpleNamespace

import pytest
from lucca_interfaces.action import ExecuteAction
from lucca_interfaces.msg import Utterance
from node_bench import DEADLINE_S, Bench
from rclpy.action.server import RCLError
from rclpy.lifecycle import TransitionCallbackReturn

from coordinator_node.goals.goal_threads import GoalThreads
from coordinator_node.goals.goals import QueueFull
from coordinator_node.interfaces import Goal, TaskResult
from coordinator_node.node import CoordinatorNode, _Client
from lucca_core.codes import ReasonCode
from lucca_core.protocol.actions import ActionResult
from lucca_core.protocol.goals import Status
from lucca_ros.conversions.actions import ACTION_RESULT
from lucca_ros.conversions.stamps import time_to_msg
from lucca_ros.rclpy_internals import goals_kept

pytestmark = pytest.mark.ros


@pytest.fixture
def bench(harness):
    bench = Bench(harness)
    yield bench
    bench.close()


def test_a_task_runs_over_ros_and_tells_each_step(bench, harness):
    events = []
    result = bench.result(bench.send(task='tidy', on_feedback=events.append))
    assert result.status is Status.FINISHED
    assert result.actions_done == tuple(f'<move_to_box_1({name})>' for name in harness.world.names)
    acting = [event for event in events if event.phase == 'acting']
    assert [len(event.actions_done) for event in acting] == [0, 1, 2]
    assert result.coordinator.calls == 12
    assert result.worker.calls == 8
    assert len(result.overhead_s) == len(result.prompt_tokens) == 3


def test_many_goals_at_once_run_one_after_the_other(bench, harness):
    handles = [bench.send(task='tidy', max_actions=1) for _ in range(10)]
    results = [bench.result(handle) for handle in handles]
    # Three do one action each; the others find nothing left to do.
    assert [item.status for item in results].count(Status.SUSPENDED) == 3
    assert [item.status for item in results].count(Status.FINISHED) == 7
    assert len(harness.world.requests) == 3


def test_a_cleanup_closes_the_models(harness, monkeypatch):
    closed = []
    monkeypatch.setattr(harness.model, 'close', lambda: closed.append(True), raising=False)
    bench = Bench(harness, llm='local:smollm2+tasks')
    try:
        assert bench.node.trigger_deactivate() == TransitionCallbackReturn.SUCCESS
        assert not closed
        assert bench.node.trigger_cleanup() == TransitionCallbackReturn.SUCCESS
        # One does the tasks, the other talks.
        assert closed == [True, True]
    finally:
        bench.close()


def test_a_model_with_an_adapter_does_tasks_and_the_embedded_reasoner_talks(harness):
    bench = Bench(harness, llm='local:smollm2+tasks')
    try:
        assert bench.specs == ['local:smollm2+tasks', 'embedded']
        assert bench.node._model is not bench.node._talk_model
    finally:
        bench.close()


def test_one_model_does_both_if_it_can(bench):
    assert bench.specs == ['embedded']
    assert bench.node._model is bench.node._talk_model


def test_nothing_is_kept_of_goals_whose_results_are_no_longer_kept(harness):
    bench = Bench(harness, result_kept_s=1)
    try:
        for goal in [bench.send(task='tidy', max_actions=1) for _ in range(10)]:
            bench.result(goal)
        assert bench.until(lambda: goals_kept(bench.node._server) == 0)
        assert bench.until(lambda: not bench.node._goals._threads)
    finally:
        bench.close()


def test_a_goal_of_higher_priority_goes_first_and_the_other_is_suspended_after_its_outcome(bench, harness):
    acting = threading.Event()
    bench.stack.motion_s = 0.3
    low = bench.send(task='tidy', on_feedback=lambda event: acting.set() if event.phase == 'acting' else None)
    assert acting.wait(DEADLINE_S)
    high = bench.send(task='tidy', priority=5, max_actions=1)
    assert bench.result(low).status is Status.SUSPENDED
    assert bench.result(high).status is Status.SUSPENDED
    assert harness.world.boxed == ['apple', 'banana']
    assert bench.result(bench.send(task='tidy')).status is Status.FINISHED
    assert harness.world.boxed == ['apple', 'banana', 'pear']


def test_a_cancel_is_honoured_at_every_instant_with_nothing_in_motion_afterwards(bench, harness):
    chance = random.Random(18)
    bench.stack.motion_s = 0.05
    pause = threading.Event()
    seen = []
    for _ in range(40):
        harness.world.boxed.clear()
        handle = bench.send(task='tidy')
        pause.wait(chance.choice([0.0, chance.uniform(0.0, 0.4)]))
        handle.cancel_goal_async()
        result = bench.result(handle)
        assert result.status in (Status.CANCELLED, Status.FINISHED)
        assert not bench.stack.moving
        moves = bench.stack.moves
        seen.append(result.status)
        assert bench.stack.moves == moves
    assert seen.count(Status.CANCELLED) > 10
    harness.world.boxed.clear()
    assert bench.result(bench.send(task='tidy')).status is Status.FINISHED


def test_a_waiting_goal_can_be_cancelled(bench):
    bench.stack.motion_s = 1.0
    first = bench.send(task='tidy')
    second = bench.send(task='tidy')
    second.cancel_goal_async()
    assert bench.result(second).status is Status.CANCELLED
    first.cancel_goal_async()
    assert bench.result(first).status is Status.CANCELLED


def test_the_action_node_may_die_in_the_middle_of_an_action(bench, harness):
    bench.stack.dies_at_move = 2
    harness.world.effect_after_crash = True
    result = bench.result(bench.send(task='tidy'))
    assert result.status is Status.FINISHED
    assert harness.world.boxed == ['apple', 'banana', 'pear']
    assert [intent.object_name for intent in harness.world.settled] == ['banana']


def test_the_worker_may_die_in_the_middle_of_a_step(bench, harness):
    restarted = []

    def restart():
        if len(harness.model.asked) in (2, 5):
            restarted.append(True)
            bench.stack.restart_memory()

    harness.model.on_chat = restart
    result = bench.result(bench.send(task='tidy'))
    assert result.status is Status.FINISHED
    assert len(restarted) == 2
    assert harness.world.boxed == ['apple', 'banana', 'pear']


def test_a_worker_that_lists_no_tasks_is_waited_for(bench, harness):
    known, asked = harness.world.tasks, []

    def tasks():
        asked.append(True)
        return () if len(asked) < 4 else known()

    harness.world.tasks = tasks
    events = []
    result = bench.result(bench.send(task='tidy', on_feedback=events.append))
    assert result.status is Status.FINISHED
    assert any(event.phase == 'waiting' and 'not ready' in event.text for event in events)


def test_what_is_heard_becomes_a_goal_and_its_end_is_said(bench, harness):
    def forget_script():
        # The first question is what the person wants; after that the model does as a good one would.
        if 'Which call fits?' not in harness.model.asked[-1][-1].content:
            harness.model.answers = None

    harness.model.answers = ['<resume_task(tidy)>']
    harness.model.on_chat = forget_script
    said, heard = [], threading.Event()

    def on_said(msg):
        said.append(msg.text)
        heard.set()

    bench.client_node.create_subscription(Utterance, 'speech/say', on_said, 10)
    speaker = bench.client_node.create_publisher(Utterance, 'speech/heard', 10)
    pause = threading.Event()
    while not speaker.get_subscription_count() or not bench.node.count_subscribers('speech/say'):
        pause.wait(0.02)
    speaker.publish(Utterance(text='go on tidying', person='Ada', stamp=time_to_msg(0.0)))
    assert heard.wait(DEADLINE_S)
    assert said == ['I have finished tidy.']


def test_a_text_that_asks_for_nothing_is_answered(bench, harness):
    harness.model.answers = ['<say(Good morning.)>']
    result = bench.result(bench.send(text='hello'))
    assert (result.status, result.said) == (Status.FINISHED, 'Good morning.')


def test_a_text_can_stop_a_task(bench, harness):
    acting = threading.Event()
    bench.stack.motion_s = 5.0
    running = bench.send(task='tidy', on_feedback=lambda event: acting.set() if event.phase == 'acting' else None)
    assert acting.wait(DEADLINE_S)
    harness.model.answers = ['<stop_task(tidy)>']
    result = bench.result(bench.send(text='stop tidying'))
    assert (result.status, result.said) == (Status.FINISHED, 'I have stopped tidy.')
    assert bench.result(running).status is Status.CANCELLED
    assert not bench.stack.moving


def test_deactivating_the_node_ends_what_runs(bench):
    acting = threading.Event()
    bench.stack.motion_s = 5.0
    running = bench.send(task='tidy', on_feedback=lambda event: acting.set() if event.phase == 'acting' else None)
    assert acting.wait(DEADLINE_S)
    assert bench.node.trigger_deactivate() == TransitionCallbackReturn.SUCCESS
    assert not bench.stack.moving
    assert running.accepted
    assert bench.node.trigger_activate() == TransitionCallbackReturn.SUCCESS
    bench.stack.motion_s = 0.0
    assert bench.result(bench.send(task='tidy')).status is Status.FINISHED


def test_a_goal_that_outlasts_its_node_is_told_as_failed_and_then_unheard(bench, harness, monkeypatch):
    monkeypatch.setattr('coordinator_node.node._JOIN_S', 0.1)
    bench.node._config = replace(bench.node._config, deactivate_timeout_s=0.1)
    asked, answer = threading.Event(), threading.Event()

    def hang() -> None:
        asked.set()
        assert answer.wait(DEADLINE_S)

    harness.model.on_chat = hang
    phases = []
    running = bench.send(task='tidy', on_feedback=lambda event: phases.append(event.phase))
    assert asked.wait(DEADLINE_S)
    goal = next(thread for thread in threading.enumerate() if thread.name.startswith('goal-'))
    assert bench.node.trigger_deactivate() == TransitionCallbackReturn.SUCCESS
    result = bench.result(running)
    assert result.status is Status.FAILED
    assert 'did not end in time' in result.reason
    bench.close()
    told = list(phases)
    answer.set()  # the model answers at last
    goal.join(DEADLINE_S)
    # An exception in the thread would fail this test.
    assert not goal.is_alive()
    assert phases == told


def test_a_goal_for_which_there_is_no_thread_is_refused_and_the_next_one_runs(bench, monkeypatch):
    def none(*_):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(GoalThreads, 'start', none)
        assert bench.result(bench.send(task='tidy')).status is Status.REFUSED
        result = bench.result(bench.send(text='tidy up'))
    assert not bench.node._dispatcher.queue.waiting()
    assert (result.status, result.reason) == (Status.REFUSED, "can't start new thread")
    assert result.said == "I cannot do that now: can't start new thread"
    assert bench.result(bench.send(task='tidy')).status is Status.FINISHED


class Handle:
    """A goal's handle that fails so often when it is executed."""

    def __init__(self, *faults: Exception) -> None:
        self.faults = list(faults)
        self.executed = 0
        self.is_cancel_requested = True

    def execute(self, _) -> None:
        if self.faults:
            raise self.faults.pop(0)
        self.executed += 1


def client_of(handle: Handle, *, up: bool) -> _Client:
    quiet = {'log_end': lambda *_: None, 'observe': lambda *_, **__: None}
    node = SimpleNamespace(context=SimpleNamespace(ok=lambda: up), **quiet)
    return _Client(node, Goal(goal_id='1', task='tidy'), handle)


def test_a_cancel_in_the_middle_of_the_end_loses_no_result():
    handle = Handle(RCLError('wrong state'))
    client_of(handle, up=True).tell(TaskResult(status=Status.CANCELLED))
    assert handle.executed == 1
    with pytest.raises(RCLError):
        client_of(Handle(*[RCLError('wrong state')] * 2), up=True).tell(TaskResult(status=Status.CANCELLED))


@pytest.mark.parametrize('waits', [True, False, None])
def test_watchers_are_told_whether_the_task_of_a_goal_waits_at_its_end(waits):
    told = []
    node = SimpleNamespace(_observer=SimpleNamespace(tell=told.append))
    goal = Goal(goal_id='1', task='tidy')
    CoordinatorNode.observe(node, goal)
    CoordinatorNode.observe(node, goal, result=TaskResult(status=Status.CANCELLED, waits=waits))
    assert [news.waits for news in told] == [None, waits]


def test_nobody_waits_for_a_delivery_that_cannot_be():
    handle = Handle(AttributeError('no executor'))
    client = client_of(handle, up=False)
    client.tell(TaskResult(status=Status.FAILED))
    assert handle.delivered.is_set()


def test_a_goal_that_comes_while_the_node_is_deactivated_is_refused_and_not_begun(bench, harness):
    bench.node._goals.close()
    result = bench.result(bench.send(task='tidy'))
    assert (result.status, result.reason) == (Status.REFUSED, 'no goal is taken any more')
    assert not bench.node._dispatcher.queue.waiting()
    assert bench.node._dispatcher.queue.running() is None
    assert harness.world.requests == []


def test_a_goal_that_finds_the_queue_full_after_all_is_refused(bench, monkeypatch):
    def full(_):
        raise QueueFull('16 goals run or wait already')

    with monkeypatch.context() as patch:
        patch.setattr(bench.node._dispatcher.queue, 'add', full)
        result = bench.result(bench.send(task='tidy'))
    assert (result.status, result.reason) == (Status.REFUSED, '16 goals run or wait already')


@pytest.mark.parametrize('text', ['stop', 'stop the tidy now', 'Stop! Give me the pear.'])
def test_a_stop_is_taken_even_if_the_queue_is_full(harness, text):
    acting = threading.Event()
    bench = Bench(harness, max_goals=1)
    try:
        bench.stack.motion_s = 5.0
        running = bench.send(task='tidy', on_feedback=lambda event: acting.set() if event.phase == 'acting' else None)
        assert acting.wait(DEADLINE_S)
        result = bench.result(bench.send(text=text))
        assert result.status is Status.FINISHED
        assert result.said.startswith('I have stopped tidy.')
        assert bench.result(running).status is Status.CANCELLED
    finally:
        bench.close()


def test_an_action_server_without_a_usable_result_counts_as_a_fault(bench, harness):
    with pytest.raises(ValueError, match='code must be one of done'):
        ACTION_RESULT.from_msg(ExecuteAction.Result())
    assert ACTION_RESULT.from_msg(ACTION_RESULT.to_msg(ActionResult(code=ReasonCode.DONE))).code is ReasonCode.DONE
