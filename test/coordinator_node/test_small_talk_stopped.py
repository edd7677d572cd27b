"""A stop while small talk is being written: it is heard at once, and nothing is said afterwards."""

import threading

import pytest

from coordinator_node.interfaces import Goal
from lucca_core.errors import ModelRetryable
from lucca_core.protocol.goals import Phase, Status
from lucca_llm.assisted_rules import AssistedRules
from lucca_llm.rules.rule_based_model import RuleBasedModel

WAIT_S = 10.0


class SlowWriter:
    """A model that begins to write and ends only when it is released, or cancelled unless it is deaf."""

    spec = 'slow'

    def __init__(self):
        self.begun, self.released = threading.Event(), threading.Event()
        self.deaf = False

    def chat(self, messages, options, *, on_text=None, cancelled=None):
        self.begun.set()
        while not self.released.wait(0.005):
            if not self.deaf and cancelled is not None and cancelled():
                break
        raise ModelRetryable('the call was cancelled')

    def check(self, deadline_s):
        pass


class SmallTalk:
    """A question to which the slow writer answers, served in a thread of its own."""

    def __init__(self, harness):
        self.writer = SlowWriter()
        harness.model = AssistedRules(RuleBasedModel(), self.writer)
        self.dispatcher = harness.dispatcher(max_goals=6)
        self.events, self.results = [], []
        goal = Goal(goal_id='talk', text='How are you today?', person='Ana', source='cli')
        self.dispatcher.queue.add(goal)
        self.thread = threading.Thread(
            target=lambda: self.results.append(self.dispatcher.serve(goal, self.events.append)), daemon=True
        )
        self.thread.start()
        assert self.writer.begun.wait(WAIT_S)

    def say(self, text, person='Ana'):
        """Says something to the robot meanwhile, in the same conversation unless somebody else does."""
        goal = Goal(goal_id=text, text=text, person=person, source='cli')
        if not self.dispatcher.is_stop(goal):
            self.dispatcher.queue.add(goal)
        return self.dispatcher.serve(goal)

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


class Running:
    """A goal that runs until it is cancelled, as the task loop does."""

    def __init__(self, queue, task='tidy'):
        self._queue = queue
        queue.add(Goal(goal_id=f'goal of {task}', task=task))
        queue.try_start(f'goal of {task}')
        self.thread = threading.Thread(target=self._run, args=(f'goal of {task}',), daemon=True)
        self.thread.start()

    def _run(self, goal_id):
        pause = threading.Event()
        while not self._queue.is_cancelled(goal_id):
            pause.wait(0.005)
        self._queue.end(goal_id)


@pytest.mark.parametrize('text', ['stop', 'Halt!', 'freeze', 'stop now', 'Lucca, stop.', 'please stop it'])
def test_a_stop_waits_for_no_answer_in_its_own_conversation_and_asks_no_model(talk, text):
    talk.writer.deaf = True
    running = Running(talk.dispatcher.queue)
    result = talk.say(text)
    assert (result.status, result.said) == (Status.FINISHED, 'I have stopped tidy.')
    assert result.coordinator.calls == 0
    running.thread.join(WAIT_S)
    assert talk.thread.is_alive()
    assert not talk.writer.released.is_set()


def test_a_stop_ends_the_answer_that_is_being_written_and_says_so_if_nothing_ran(talk):
    result = talk.say('stop')
    assert (result.status, result.said) == (Status.FINISHED, 'Nothing is running that I could stop.')
    assert talk.end().status is Status.CANCELLED


def test_a_stop_leaves_nothing_that_was_asked_for_before_to_begin_afterwards(talk):
    running = Running(talk.dispatcher.queue)
    talk.dispatcher.queue.add(Goal(goal_id='next', task='tower'))
    waiting = threading.Thread(target=talk.dispatcher.serve, args=(Goal(goal_id='next', task='tower'),), daemon=True)
    waiting.start()
    assert talk.say('stop', person='Ben').said == 'I have stopped tidy and tower.'
    assert talk.end().status is Status.CANCELLED
    for thread in (running.thread, waiting):
        thread.join(WAIT_S)
        assert not thread.is_alive()


@pytest.mark.parametrize('text', ['stop the tower', 'Halt the tower now, please', 'stop tower'])
def test_a_stop_of_one_task_waits_for_no_answer_and_ends_no_other_task(talk, text):
    talk.writer.deaf = True
    running = Running(talk.dispatcher.queue)
    talk.dispatcher.queue.add(Goal(goal_id='next', task='tower'))
    waiting = threading.Thread(target=talk.dispatcher.serve, args=(Goal(goal_id='next', task='tower'),), daemon=True)
    waiting.start()
    assert talk.say(text).said == 'I have stopped tower.'
    waiting.join(WAIT_S)
    assert running.thread.is_alive()
    talk.dispatcher.queue.cancel('goal of tidy')
    running.thread.join(WAIT_S)


@pytest.mark.parametrize(
    ('text', 'rest'),
    [
        ('Stop! Give me the pear.', 'Give me the pear.'),
        ('stop the tidy. Put the cup in box 1.', 'Put the cup in box 1.'),
        ('halt and put the cup in box 1', 'and put the cup in box 1'),
    ],
)
def test_what_is_said_behind_a_stop_is_not_done_and_that_is_said(talk, text, rest):
    talk.writer.deaf = True
    running = Running(talk.dispatcher.queue)
    result = talk.say(text)
    assert result.said == f'I have stopped tidy. I have only stopped, so please say the rest again: “{rest}”'
    assert result.coordinator.calls == 0
    running.thread.join(WAIT_S)


def test_a_stop_in_other_words_tells_what_was_not_done(talk, harness):
    harness.world.log.append(('started', ''))
    Running(talk.dispatcher.queue)
    assert talk.say('stop that tidying thing. Give me the pear.').said == (
        'I have stopped tidy. I have only stopped, so please say the rest again: “Give me the pear.”'
    )


def test_a_stop_of_a_task_needs_no_place_in_the_queue_and_is_refused_if_that_has_ended(talk):
    goal = Goal(goal_id='stop', text='stop the tower')
    assert not talk.dispatcher.is_stop(goal)
    talk.dispatcher.queue.add(Goal(goal_id='next', task='tower'))
    assert talk.dispatcher.is_stop(goal)
    talk.dispatcher.queue.end('next')
    assert talk.dispatcher.serve(goal).said == 'That has ended already.'


def test_a_stop_that_says_more_ends_the_answer_and_is_then_read(talk, harness):
    harness.world.log.append(('started', ''))
    Running(talk.dispatcher.queue)
    assert talk.say('stop what you are doing').said == 'I have stopped tidy.'
    assert talk.end().status is Status.CANCELLED


def test_what_only_speaks_of_stops_ends_no_answer(talk):
    thread = threading.Thread(target=talk.say, args=("don't stop",), daemon=True)
    thread.start()
    thread.join(0.1)
    assert thread.is_alive()
    assert talk.thread.is_alive()
    talk.writer.released.set()
    thread.join(WAIT_S)


def test_a_stop_that_does_not_work_says_so(harness):
    dispatcher = harness.dispatcher(cancel_timeout_s=0.01)
    dispatcher.queue.add(Goal(goal_id='deaf', task='tidy'))
    dispatcher.queue.try_start('deaf')
    result = dispatcher.serve(Goal(goal_id='stop', text='stop'))
    assert (result.status, result.said) == (Status.FAILED, 'I could not stop tidy.')


@pytest.mark.parametrize(
    'text',
    [
        'Stop the tower and the tidy.',
        'Stop the tower, then stop the tidy.',
        'Stop the tower and everything.',
        'Stop the tower, stop everything!',
        'Stop the tower! Stop!',
    ],
)
def test_a_stop_that_may_mean_more_than_one_task_stops_everything(talk, text):
    talk.writer.deaf = True
    running = Running(talk.dispatcher.queue)
    talk.dispatcher.queue.add(Goal(goal_id='next', task='tower'))
    waiting = threading.Thread(target=talk.dispatcher.serve, args=(Goal(goal_id='next', task='tower'),), daemon=True)
    waiting.start()
    assert 'tidy' in talk.say(text).said
    running.thread.join(WAIT_S)
    waiting.join(WAIT_S)
    assert not running.thread.is_alive()
    assert not waiting.is_alive()


def test_a_comma_makes_a_stop_of_one_task_none_of_all(talk):
    talk.writer.deaf = True
    running = Running(talk.dispatcher.queue)
    talk.dispatcher.queue.add(Goal(goal_id='next', task='tower'))
    waiting = threading.Thread(target=talk.dispatcher.serve, args=(Goal(goal_id='next', task='tower'),), daemon=True)
    waiting.start()
    assert talk.say('Stop, the tower!').said == 'I have stopped tower.'
    waiting.join(WAIT_S)
    assert running.thread.is_alive()
    talk.dispatcher.queue.cancel('goal of tidy')
    running.thread.join(WAIT_S)


def test_a_stop_with_words_behind_it_leaves_nothing_of_others_to_begin(talk):
    queue, cancelled = talk.dispatcher.queue, threading.Event()
    queue.add(Goal(goal_id='other', text='put the pear in box 1', person='Ben', source='voice'))

    def notice():
        queue.wait_turn('other', WAIT_S)
        cancelled.set()

    threading.Thread(target=notice, daemon=True).start()
    thread = threading.Thread(target=talk.say, args=('Stop! You hit my hand.',), daemon=True)
    thread.start()
    assert cancelled.wait(WAIT_S)
    assert queue.is_cancelled('other')
    queue.end('other')
    talk.writer.released.set()
    thread.join(WAIT_S)


def test_of_a_text_that_is_far_too_long_only_the_beginning_is_searched_for_a_stop(talk, monkeypatch):
    talk.dispatcher.queue.add(Goal(goal_id='next', task='tower'))
    seen = []
    plain = talk.dispatcher._is_stop_of
    monkeypatch.setattr(talk.dispatcher, '_is_stop_of', lambda task, text: seen.append(len(text)) or plain(task, text))
    assert not talk.dispatcher.is_stop(Goal(goal_id='stop', text='Stop the lamp' + ', pear' * 20_000))
    assert max(seen) <= talk.dispatcher._config.text_chars
    assert talk.dispatcher.is_stop(Goal(goal_id='stop', text='Stop!' + ' pear' * 20_000))
    talk.dispatcher.queue.end('next')
