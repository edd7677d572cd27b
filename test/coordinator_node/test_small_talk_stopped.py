"""A stop while small talk is being written: it is heard at once, and nothing is said afterwards."""

import threading

import pytest

from coordinator_node.interfaces import Goal
from lucca_core.errors import ModelRetryable
from lucca_core.protocol.goals import Phase, Status
from lucca_llm.rules.rule_based_model import RuleBasedModel
from lucca_llm.small_talk import SmallTalkModel

WAIT_S = 10.0


class SlowWriter:
    """A model that begins to write and ends only when it is cancelled or released."""

    spec = 'slow'

    def __init__(self):
        self.begun, self.released = threading.Event(), threading.Event()

    def chat(self, messages, options, *, on_text=None, cancelled=None):
        self.begun.set()
        while not self.released.wait(0.005):
            if cancelled is not None and cancelled():
                break
        raise ModelRetryable('the call was cancelled')

    def check(self, deadline_s):
        pass


class SmallTalk:
    """A question to which the slow writer answers, served in a thread of its own."""

    def __init__(self, harness):
        self.writer = SlowWriter()
        harness.model = SmallTalkModel(RuleBasedModel(), self.writer)
        self.dispatcher = harness.dispatcher(max_goals=3)
        self.events, self.results = [], []
        goal = Goal(goal_id='talk', text='How are you today?', person='Ana', source='cli')
        self.dispatcher.queue.add(goal)
        self.thread = threading.Thread(
            target=lambda: self.results.append(self.dispatcher.serve(goal, self.events.append))
        )
        self.thread.start()
        assert self.writer.begun.wait(WAIT_S)

    def end(self):
        self.thread.join(WAIT_S)
        assert not self.thread.is_alive()
        return self.results[0]


@pytest.fixture
def talk(harness):
    talk = SmallTalk(harness)
    yield talk
    talk.writer.released.set()
    talk.thread.join(WAIT_S)


def test_a_cancel_ends_small_talk_and_nothing_is_said(talk):
    assert talk.dispatcher.queue.cancel('talk')
    result = talk.end()
    assert not talk.writer.released.is_set()
    assert (result.status, result.said) == (Status.CANCELLED, '')
    assert [event.text for event in talk.events if event.phase is Phase.SAYING] == []


def test_somebody_elses_stop_does_not_wait_for_small_talk(talk, monkeypatch):
    stopped = []
    monkeypatch.setattr(talk.dispatcher.queue, 'cancel_task', lambda task, but: stopped.append(task) or ())
    goal = Goal(goal_id='stop', text='Stop tidying.', person='Ben', source='voice')
    talk.dispatcher.queue.add(goal)
    assert talk.dispatcher.serve(goal).status is Status.FINISHED
    assert stopped == ['tidy']
    assert talk.thread.is_alive()


def test_a_task_that_is_named_is_served_while_small_talk_is_written(talk):
    talk.dispatcher.queue.add(Goal(goal_id='task', task='tidy'))
    assert talk.dispatcher.queue.cancel('task')
    assert talk.dispatcher.serve(Goal(goal_id='task', task='tidy')).status is Status.CANCELLED
    assert talk.thread.is_alive()
