"""Retries within attempts and budget, on a simulated clock."""

import pytest

from lucca_core.errors import ModelRetryable, ModelTimeout, ModelUnusable
from lucca_llm.config import RetryConfig
from lucca_llm.limits.retry import ask
from lucca_llm.model import ChatOptions, ChatReply, Message

CHAT = [Message('user', 'hi')]
CONFIG = RetryConfig(attempts=3, first_wait_s=1.0, longest_wait_s=8.0)


class Clock:
    def __init__(self):
        self.now_s = 100.0
        self.slept_s = []

    def __call__(self):
        return self.now_s

    def sleep(self, seconds):
        self.slept_s.append(seconds)
        self.now_s += seconds


class Failing:
    """Raises its errors one by one, then answers; each call takes a second."""

    spec = 'failing'

    def __init__(self, clock, *errors):
        self.clock = clock
        self.errors = list(errors)
        self.deadlines_s = []

    def chat(self, messages, options, *, on_text=None, cancelled=None):
        self.deadlines_s.append(options.deadline_s)
        self.clock.now_s += 1.0
        if self.errors:
            raise self.errors.pop(0)
        return ChatReply(text='ok', prompt_tokens=1, completion_tokens=1, model_s=1.0)

    def check(self, deadline_s):
        pass


@pytest.fixture
def clock():
    return Clock()


def _ask(model, clock, **arguments):
    options = arguments.pop('options', ChatOptions(deadline_s=60))
    arguments.setdefault('config', CONFIG)
    return ask(model, CHAT, options, clock=clock, sleep=clock.sleep, **arguments)


def test_a_failure_that_passes_is_asked_again_after_growing_waits(clock):
    model = Failing(clock, ModelRetryable('a'), ModelTimeout('b'))
    assert _ask(model, clock).text == 'ok'
    assert clock.slept_s == [1.0, 2.0]


def test_attempts_are_bounded_and_the_last_error_is_raised(clock):
    model = Failing(clock, *(ModelRetryable(str(index)) for index in range(9)))
    with pytest.raises(ModelRetryable, match='2'):
        _ask(model, clock)
    assert len(model.deadlines_s) == 3


def test_what_cannot_pass_is_not_asked_again(clock):
    model = Failing(clock, ModelUnusable('bad key'))
    with pytest.raises(ModelUnusable):
        _ask(model, clock)
    assert len(model.deadlines_s) == 1


def test_the_servers_wish_is_waited_for(clock):
    model = Failing(clock, ModelRetryable('busy', retry_after_s=17.0))
    _ask(model, clock)
    assert clock.slept_s == [17.0]


def test_a_wish_beyond_the_deadline_is_given_up_at_once(clock):
    model = Failing(clock, ModelRetryable('busy', retry_after_s=17.0))
    with pytest.raises(ModelRetryable, match='busy'):
        _ask(model, clock, options=ChatOptions(deadline_s=10.0))
    assert clock.slept_s == []


def test_each_call_has_what_is_left_of_the_deadline(clock):
    model = Failing(clock, ModelRetryable('a'), ModelRetryable('b'))
    with pytest.raises(ModelRetryable, match='b'):
        _ask(model, clock, options=ChatOptions(deadline_s=4.0))
    assert model.deadlines_s == [4.0, 2.0]


def test_a_cancel_ends_the_wait_and_asks_no_more(clock):
    model = Failing(clock, ModelRetryable('busy', retry_after_s=17.0))
    with pytest.raises(ModelRetryable, match='cancelled'):
        _ask(model, clock, cancelled=lambda: clock.now_s > 103)
    assert len(model.deadlines_s) == 1
    assert clock.now_s < 104


def test_what_is_cancelled_already_is_not_asked(clock):
    model = Failing(clock)
    with pytest.raises(ModelRetryable, match='cancelled'):
        _ask(model, clock, cancelled=lambda: True)
    assert model.deadlines_s == []


def test_bad_settings_are_refused():
    with pytest.raises(ValueError, match='attempts must be from 1 to 1000000, got 0'):
        RetryConfig(attempts=0)
    with pytest.raises(ValueError, match='first_wait_s must be within'):
        RetryConfig(first_wait_s=9.0, longest_wait_s=1.0)
