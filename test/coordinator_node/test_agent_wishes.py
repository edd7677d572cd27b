import pytest

from coordinator_node.config import CoordinatorConfig
from coordinator_node.interfaces import Tally, never
from coordinator_node.model_caller import ModelCaller
from coordinator_node.talk.agent import Agent
from coordinator_node.talk.interpretation import Heard, Interpretation
from coordinator_node.talk.tools import Wish
from coordinator_node.waits import Interrupted

UNUSABLE = 'I did not understand: tidy up; scripted gave no answer that I can use'


@pytest.fixture
def agent(harness):
    return harness.agent()


def understand(agent, text, person='', tally=None, interrupted=never):
    return agent.turn(Heard(text=text, person=person), tally or Tally(), interrupted)


def test_a_wrong_answer_is_mended(agent, harness):
    harness.model.answers = ['<start_task(tidying)>', '<start_task(tidy)>']
    tally = Tally()
    assert understand(agent, 'tidy up please', 'Ada', tally) == Interpretation(Wish.START, 'tidy')
    assert "no task is named 'tidying'; known are tidy" in harness.model.asked[1][-1].content
    assert 'Ada said: tidy up please' in harness.model.asked[1][1].content
    assert tally.refusals == 1
    assert tally.coordinator.calls == 2


def test_a_model_that_never_mends_leads_to_a_refusal_and_no_task(agent, harness):
    harness.model.answers = [f'nonsense {number}' for number in range(10)]
    assert understand(agent, 'tidy up') == Interpretation(Wish.CANNOT, UNUSABLE)
    assert len(harness.model.asked) == CoordinatorConfig().max_repairs + 1


def test_a_model_that_repeats_a_wrong_answer_is_not_asked_again(agent, harness):
    harness.model.answers = ['nonsense'] * 10
    assert understand(agent, 'tidy up') == Interpretation(Wish.CANNOT, UNUSABLE)
    assert len(harness.model.asked) == 2


def test_an_endless_wrong_answer_is_not_shown_back_in_full(agent, harness):
    harness.model.answers = ['x' * 10**6, '<say(Yes.)>']
    assert understand(agent, 'hello').argument == 'Yes.'
    assert len(harness.model.asked[1][-2].content) < 1000


def test_silence_is_not_sent_to_the_model(agent, harness):
    assert understand(agent, ' \n').wish is Wish.CANNOT
    assert harness.model.asked == []


def test_a_cancelled_goal_is_not_understood(agent):
    with pytest.raises(Interrupted):
        understand(agent, 'tidy up', interrupted=lambda: True)


def test_without_arms_a_task_is_refused_and_none_is_taught(harness):
    config = CoordinatorConfig()
    agent = Agent(ModelCaller(harness.model, config, harness.waits()), harness.world, config, no_hands='no arms here')
    harness.model.answers = ['<do(put the cans in box 1)>']
    found = understand(agent, 'put the cans in box 1')
    assert found == Interpretation(Wish.CANNOT, 'no arms here')
    assert harness.world.taught == {}
