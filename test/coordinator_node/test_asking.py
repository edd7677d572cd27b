"""The forms in which a model is asked for the next call."""

import pytest

from coordinator_node.config import CoordinatorConfig
from coordinator_node.tasks.asking import ANSWER, THINK

REMEMBER = ['<retrieve_declarative_memory(tidy)>', '<retrieve_working_memory(tidy)>']


def test_short_prompts_hold_the_working_memory_and_leave_one_decision(harness):
    harness.model.answers = ['<move_to_box_1(pear)>', '<move_to_box_1(apple)>']
    harness.run(settings={'prompts': 'short'}, max_actions=2)
    assert harness.world.boxed == ['pear', 'apple']
    base, question = harness.model.asked[0]
    assert 'In box 1' not in base.content
    assert 'Objects still to handle, in order: ' in question.content
    assert question.content.endswith('Which call comes next?')
    assert len(harness.model.asked[1]) == 2  # no earlier turns


def test_with_short_prompts_nothing_is_restated(harness):
    harness.model.answers = ['<move_to_box_1(pear)>']
    assert harness.run(settings={'prompts': 'short', 'restate': True}, max_actions=1).understood == ''


def test_the_embedded_reasoner_has_no_short_prompts(harness):
    harness.model.spec = 'embedded'
    with pytest.raises(ValueError, match='prompts = short is for language models'):
        harness.parts(prompts='short')


def test_an_adapter_asks_for_short_prompts_and_may_be_asked_with_long_ones(harness):
    harness.model.spec = 'local:smollm2+lucca'
    harness.model.answers = ['<move_to_box_1(pear)>']
    harness.run(max_actions=1)
    assert len(harness.model.asked) == 1
    harness.model.answers = [*REMEMBER, '<move_to_box_1(apple)>']
    harness.run(settings={'prompts': 'long'}, max_actions=1)
    assert len(harness.model.asked) == 4


def test_the_whole_dialogue_is_sent_with_memory_on_too(harness):
    harness.run(settings={'whole_dialogue': True, 'turns_kept': 0})
    lengths = [len(messages) for messages in harness.model.asked]
    assert lengths == list(range(2, 2 * len(lengths) + 2, 2))
    assert 'Objects on the table' in harness.model.asked[-1][1].content


def test_containers_can_be_left_out_of_the_prompt(harness):
    harness.run(settings={'show_containers': False}, max_actions=1)
    assert not any('In box 1:' in messages[-1].content for messages in harness.model.asked)


def test_retrieval_can_be_left_to_the_model(harness):
    harness.model.answers = ['<move_to_box_1(apple)>']
    result = harness.run(settings={'must_retrieve': False}, max_actions=1)
    assert harness.world.boxed == ['apple']
    assert result.refusals == 0


def test_a_model_thinks_before_it_answers_and_the_thought_is_not_kept(harness):
    harness.model.answers = [*REMEMBER, 'The apple is fruit.', '<move_to_box_1(apple)>']
    harness.run(settings={'think_first': True, 'constrain': False}, max_actions=1)
    asked = harness.model.asked
    thinking = next(number for number, messages in enumerate(asked) if messages[-1].content.endswith(THINK))
    assert asked[thinking + 1][-1].content == ANSWER
    assert [message.content for message in asked[thinking + 1][-3:-1]] == [
        asked[thinking][-1].content,
        'The apple is fruit.',
    ]
    harness.model.answers = [*REMEMBER, 'Next.', '<move_to_box_1(pear)>']
    harness.run(settings={'think_first': True, 'constrain': False}, max_actions=1)
    assert THINK not in ''.join(message.content for messages in asked[-4:-2] for message in messages)


def test_the_seed_reaches_the_model_and_is_another_for_each_call(harness):
    harness.run(settings={'seed': 40}, max_actions=1)
    seeds = [options.seed for options in harness.model.options]
    assert seeds == list(range(40, 40 + len(seeds)))


def test_without_a_seed_none_is_sent(harness):
    harness.run(max_actions=1)
    assert {options.seed for options in harness.model.options} == {None}


def test_a_form_of_prompts_that_is_none_is_refused():
    with pytest.raises(ValueError, match="prompts must be one of auto, long, short, got 'tiny'"):
        CoordinatorConfig(prompts='tiny')
