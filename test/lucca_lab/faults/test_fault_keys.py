"""Correlated faults: what befalls one call befalls the others that share its prompt, or its state."""

from types import MappingProxyType

import pytest

from lucca_core.errors import ConfigError
from lucca_core.paths import config_dir
from lucca_lab.faults.fault_keys import state_of
from lucca_lab.faults.fault_profiles import FaultProfile, ModelFault, load_fault_profiles
from lucca_lab.faults.faulty_model import FaultyModel
from lucca_lab.tasks.models import trial_model
from lucca_lab.tasks.spec import Setting, TrialSpec
from lucca_llm.model import ChatOptions, ChatReply, Message

RATES = MappingProxyType({ModelFault.EMPTY: 0.5})


class Echo:
    spec = 'echo'

    def chat(self, messages, options, *, on_text=None, cancelled=None):
        return ChatReply(text='pear', prompt_tokens=1, completion_tokens=1, model_s=0.0)


def answers(correlation, prompts, seed=1):
    model = FaultyModel(Echo(), FaultProfile(name='test', rates=RATES, correlation=correlation, seed=seed))
    return [model.chat([Message('user', prompt)], ChatOptions()).text.strip() for prompt in prompts]


def prompt(task='sorting', table='pear, cup', held='none', extra=''):
    return f'Task: {task}\nObjects on the table: {table}\nIn box 1: {held}\n{extra}'


def test_independent_faults_differ_between_equal_calls():
    assert len(set(answers('call', [prompt()] * 40))) == 2


def test_the_same_prompt_gets_the_same_answer_and_another_one_its_own():
    assert len(set(answers('prompt', [prompt()] * 40))) == 1
    assert len(set(answers('prompt', [prompt(extra=str(number)) for number in range(40)]))) == 2


def test_in_one_state_every_wording_and_order_gets_the_same_answer():
    ways = [prompt(extra=str(number)) for number in range(20)] + [prompt(table='cup (blue), pear')] * 20
    assert len(set(answers('state', ways))) == 1
    tables = [prompt(table=f'pear, cup {number}') for number in range(40)]
    assert len(set(answers('state', tables))) == 2


def test_a_state_is_the_task_and_what_lies_where_as_it_was_said_last():
    early, late = Message('user', prompt(held='none')), Message('user', prompt(table='cup (blue)', held='pear (green)'))
    assert state_of([early, late]) == 'sorting | cup | box 1: pear'
    log = 'Log of the task sorting, its newest entry last:\n\nIn box 1: pear\nObjects on the table: cup'
    assert state_of([Message('user', log)]) == state_of([late])


def test_one_model_stands_behind_both_roles_only_where_the_state_decides():
    def seeds(faults):
        spec = TrialSpec(
            suite='grid', mode='consecutive', memory=True, tasks=(), index=3, seed=1, setting=Setting(faults=faults)
        )
        from contextlib import ExitStack

        with ExitStack() as closing:
            return {trial_model(spec, who, [], closing).spec for who in ('coordinator', 'worker')}

    assert len(seeds('state_correlated')) == 1
    assert len(seeds('prompt_correlated')) == len(seeds('independent')) == 2


def test_the_correlated_profiles_have_the_rates_of_the_paper():
    profiles = load_fault_profiles(config_dir() / 'faults.yaml')
    for name, correlation in (('independent', 'call'), ('prompt_correlated', 'prompt'), ('state_correlated', 'state')):
        assert (profiles[name].rates, profiles[name].far_tokens) == (profiles['paper'].rates, 1780.0)
        assert profiles[name].correlation == correlation


@pytest.mark.parametrize(
    ('text', 'match'),
    [
        ('profiles:\n  a: {like: b}', r'f\.yaml:2: .*is like .b., which is no profile'),
        ('profiles:\n  a: {like: b}\n  b: {like: a}', 'which is no profile with values of its own'),
        ('profiles:\n  a: {correlation: moon}', 'correlation must be one of call, prompt, state, got .moon.'),
    ],
)
def test_a_bad_likeness_or_correlation_is_refused(tmp_path, text, match):
    file = tmp_path / 'f.yaml'
    file.write_text(text)
    with pytest.raises(ConfigError, match=match):
        load_fault_profiles(file)
