import pytest

from coordinator_node.config import CoordinatorConfig
from coordinator_node.interfaces import Tally, never
from coordinator_node.model_caller import ModelCaller
from coordinator_node.waits import Interrupted, Waits
from lucca_core.errors import ModelRetryable, ModelTimeout, ModelUnusable
from lucca_llm.model import Message

ASKED = [Message('user', 'What next?')]


def ask(harness, tally, interrupted=never, **config):
    waits = Waits(harness.clock, harness.clock.sleep)
    return ModelCaller(harness.model, CoordinatorConfig(**config), waits).ask(ASKED, tally, interrupted)


def test_the_options_are_those_of_the_settings(harness):
    harness.model.answers = ['yes']
    ask(harness, Tally(), temperature=0.0, model_deadline_s=0.3, answer_tokens=9)
    (options,) = harness.model.options
    assert (options.temperature, options.deadline_s, options.max_tokens, options.top_p) == (0.0, 0.3, 9, 1.0)


def test_every_call_is_counted_failed_ones_too(harness):
    harness.model.answers = [ModelTimeout('late'), 'yes']
    tally = Tally()
    assert ask(harness, tally).text == 'yes'
    assert (tally.coordinator.model, tally.coordinator.calls, tally.model_retries) == ('scripted', 2, 1)
    assert tally.coordinator.completion_tokens == 5


def test_pauses_grow_and_are_bounded_and_the_servers_wish_is_kept(harness):
    harness.model.answers = [ModelTimeout('late')] * 5 + [ModelRetryable('full', retry_after_s=1e6), 'yes']
    before_s = harness.clock.now_s
    ask(harness, Tally(), model_retries=6, retry_pause_s=1.0, retry_pause_max_s=4.0)
    assert harness.clock.now_s - before_s == pytest.approx(1 + 2 + 4 + 4 + 4 + 4)


def test_a_goal_has_a_budget_of_retries(harness):
    harness.model.answers = [ModelTimeout('late')] * 5
    tally = Tally(model_retries=30)
    with pytest.raises(ModelTimeout):
        ask(harness, tally)
    assert len(harness.model.asked) == 1


def test_a_goal_has_a_budget_of_tokens(harness):
    harness.model.answers = ['yes', 'no']
    tally = Tally()
    ask(harness, tally, max_goal_tokens=5)
    with pytest.raises(ModelUnusable, match='max_goal_tokens allows 5'):
        ask(harness, tally, max_goal_tokens=5)


def test_nothing_is_asked_for_an_interrupted_goal(harness):
    with pytest.raises(Interrupted):
        ask(harness, Tally(), lambda: True)
    assert harness.model.asked == []


def test_a_pause_ends_when_interrupted(harness):
    harness.model.answers = [ModelRetryable('full', retry_after_s=8.0)]
    until_s = harness.clock.now_s + 1.0
    with pytest.raises(Interrupted):
        ask(harness, Tally(), lambda: harness.clock.now_s > until_s)
    assert harness.clock.now_s < until_s + 0.1
