"""Fault rates that grow with the distance to the task's text."""

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_core.paths import config_dir
from lucca_lab.faults.fault_profiles import FaultProfile, ModelFault, load_fault_profiles
from lucca_lab.faults.faulty_model import FaultyModel
from lucca_lab.faults.text_faults import ANSWER_CHANGES, PromptScene, instruction_distance, without_instructions
from lucca_llm.limits.tokens import estimate_prompt_tokens
from lucca_llm.model import ChatOptions, ChatReply, Message

BASE = (
    '# Tasks\n## sorting\nTidy up.\nActions of this task: move\n\n## tower\nBuild one.\nActions of this task: stack\n'
)
NOW = Message('user', 'Task: sorting\nObjects on the table: pear\nWhich call comes next?')


def far_profile(**settings):
    return FaultProfile(
        name='far', rates={ModelFault.EMPTY: 0.01}, **{'far_tokens': 100.0, 'far_factor': 30.0, **settings}
    )


@given(st.floats(0, 5000), st.floats(0, 5000))
def test_a_fault_is_the_likelier_the_further_away_the_task_was_told(one, other):
    near, far = sorted((one, other))
    profile = far_profile()
    rates = [profile.rate(ModelFault.EMPTY, distance) for distance in (0, near, far, 1e6)]
    assert all(one <= other + 1e-12 for one, other in itertools.pairwise(rates))
    assert rates[-1] == pytest.approx(1 - 0.99**31)


def test_without_a_distance_the_rates_are_what_they_are():
    assert far_profile(far_tokens=0.0).rate(ModelFault.EMPTY, 5000) == 0.01
    assert far_profile().rate(ModelFault.EMPTY, 0) == 0.01
    assert far_profile().rate(ModelFault.MALFORMED, 5000) == 0.0


def test_the_distance_is_counted_from_the_text_of_the_task_that_is_asked_about():
    base = Message('user', BASE)
    sorting = instruction_distance([base, NOW])
    tower = instruction_distance([base, Message('user', NOW.content.replace('sorting', 'tower'))])
    assert sorting > tower > 0
    longer = instruction_distance([base, Message('user', 'word ' * 50), Message('assistant', 'yes'), NOW])
    assert longer > sorting + 50


def test_a_reminder_brings_the_task_near():
    reminded = Message('user', f'# Working memory of sorting\nReminder: Tidy up.\nState: so\n{NOW.content}')
    base = Message('user', BASE)
    assert instruction_distance([base, reminded]) < instruction_distance([base, NOW])


def test_where_the_task_is_not_told_all_of_the_prompt_lies_in_between():
    chat = [Message('user', 'something'), NOW]
    assert instruction_distance(chat) == estimate_prompt_tokens(chat)


def test_instructions_that_a_person_said_first_can_be_forgotten():
    chat = [Message('user', BASE), Message('assistant', '<move(pear)>'), NOW]
    assert without_instructions(chat) == tuple(chat[1:])
    assert without_instructions([NOW]) is None
    assert without_instructions(chat[1:]) is None


def test_an_opinion_is_turned_around_and_nothing_else():
    change = ANSWER_CHANGES[ModelFault.MISJUDGED]
    scene, chance = PromptScene((), (), ()), random.Random(0)
    assert (change(scene, 'yes', chance), change(scene, ' No. ', chance)) == ('no', 'yes')
    assert change(scene, 'pear', chance) is None
    assert ANSWER_CHANGES[ModelFault.MISREAD](scene, 'yes', chance) is None


class Steady:
    spec = 'steady'

    def chat(self, messages, options, *, on_text=None, cancelled=None):
        return ChatReply(text='<move(pear)>', prompt_tokens=1, completion_tokens=1, model_s=0.0)

    def check(self, deadline_s):
        pass


@pytest.mark.parametrize('filler', [0, 400])
def test_faults_happen_about_as_often_as_the_distance_says(filler):
    profile = far_profile(seed=1)
    chat = [Message('user', BASE), *([Message('user', 'word ' * filler)] if filler else []), NOW]
    model = FaultyModel(Steady(), profile)
    calls = 2000
    for _ in range(calls):
        model.chat(chat, ChatOptions())
    expected = calls * profile.rate(ModelFault.EMPTY, instruction_distance(chat))
    assert abs(model.injected[ModelFault.EMPTY] - expected) < 4 * expected**0.5 + 3


def test_the_profile_of_the_paper_names_every_fault_and_grows_with_distance():
    profile = load_fault_profiles(config_dir() / 'faults.yaml')['paper']
    assert set(profile.rates) == set(ModelFault)
    assert profile.far_tokens > 0
