"""Fault injection: what each fault does to text, how often, and that a seed repeats it."""

import random
import re
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordinator_node.prompts import CoordinatorPrompts, StepView
from lucca_core.errors import ConfigError, ModelRetryable, ModelTimeout
from lucca_core.paths import config_dir
from lucca_core.protocol.snapshots import Snapshot, TableObject
from lucca_lab.faults.fault_profiles import FaultProfile, ModelFault, load_fault_profiles
from lucca_lab.faults.faulty_model import FaultyModel
from lucca_lab.faults.text_faults import ANSWER_CHANGES, PromptScene, with_injected_instructions, without_instructions
from lucca_llm.model import ChatOptions, ChatReply, Message
from lucca_memory.procedural import load_actions, load_tasks

SYSTEM = """You decide what a robot does.

# Tasks
## sorting
Fruit goes to box 1.
Actions of this task: move_to_box_1, move_to_box_2

## tower
Stack the cubes.
Actions of this task: put_on_tower

# Actions
<move_to_box_1(object)>: Box 1.
<move_to_box_2(object)>: Box 2.
<put_on_tower(object)>: Tower.
<retrieve_working_memory(task)>: What matters.
<finish_task(task)>: Done."""
CHAT = [Message('system', SYSTEM), Message('user', 'Objects on the table: red cube, pear, cup\nWhich call comes next?')]
CALL = re.compile(r'<(\w+)\(([^()]*)\)>')


class Scripted:
    """Always gives the same answer, and records what it was sent."""

    spec = 'scripted'

    def __init__(self, text='<move_to_box_1(pear)>'):
        self.text = text
        self.sent = []

    def chat(self, messages, options, *, on_text=None, cancelled=None):
        self.sent.append(list(messages))
        return ChatReply(text=self.text, prompt_tokens=9, completion_tokens=3, model_s=0.1)

    def check(self, deadline_s):
        pass


def _profile(rates, **settings):
    return FaultProfile(name='test', rates=MappingProxyType(rates), **settings)


def _answers(fault, text='<move_to_box_1(pear)>', calls=30):
    model = FaultyModel(Scripted(text), _profile({fault: 1.0}))
    return [model.chat(CHAT, ChatOptions()).text for _ in range(calls)]


def test_several_actions_follow_one_another():
    for answer in _answers(ModelFault.SEVERAL_ACTIONS):
        assert len(CALL.findall(answer)) == 2


def test_a_wrong_category_is_another_action_of_the_same_task():
    assert set(_answers(ModelFault.WRONG_CATEGORY)) == {'<move_to_box_2(pear)>'}


def test_a_task_with_one_action_gets_the_wrong_object():
    answers = set(_answers(ModelFault.WRONG_CATEGORY, '<put_on_tower(red cube)>'))
    assert answers == {'<put_on_tower(pear)>', '<put_on_tower(cup)>'}


def test_an_action_of_another_task_is_offered_elsewhere():
    assert set(_answers(ModelFault.ACTION_OF_ANOTHER_TASK)) == {'<put_on_tower(pear)>'}


def test_an_unknown_object_is_nowhere_in_the_prompt():
    for answer in _answers(ModelFault.UNKNOWN_OBJECT):
        name, argument = CALL.fullmatch(answer).groups()
        assert name == 'move_to_box_1'
        assert all(argument not in message.content for message in CHAT)


def test_a_malformed_call_is_none():
    answers = _answers(ModelFault.MALFORMED, calls=100)
    assert len(set(answers)) > 4
    assert all(not CALL.fullmatch(answer) for answer in answers)


def test_an_empty_answer_says_nothing():
    assert all(not answer.strip() for answer in _answers(ModelFault.EMPTY))


def test_a_bypassed_worker_acts_where_memory_was_to_be_asked():
    answers = _answers(ModelFault.BYPASSED_WORKER, '<retrieve_working_memory(sorting)>')
    assert {CALL.fullmatch(answer)[1] for answer in answers} == {'move_to_box_1', 'move_to_box_2'}
    assert _answers(ModelFault.BYPASSED_WORKER) == ['<move_to_box_1(pear)>'] * 30


def test_a_misread_list_has_one_name_too_few_or_too_many():
    for answer in _answers(ModelFault.MISREAD, 'pear, cup'):
        names = set(answer.split(', ')) - {'none'}
        assert len(names ^ {'pear', 'cup'}) == 1
    assert _answers(ModelFault.MISREAD) == ['<move_to_box_1(pear)>'] * 30


def test_forgotten_instructions_leave_the_rest():
    model = Scripted()
    FaultyModel(model, _profile({ModelFault.FORGOTTEN_INSTRUCTIONS: 1.0})).chat(CHAT, ChatOptions())
    assert model.sent == [CHAT[1:]]
    assert without_instructions(CHAT[:1]) is None


def test_injected_instructions_stand_among_what_is_seen():
    for seed in range(20):
        system, user = with_injected_instructions(CHAT, random.Random(seed))
        assert system == CHAT[0]
        lines = user.content.split('\n')
        assert [lines[0], lines[-1]] == CHAT[1].content.split('\n')
        assert CALL.search(lines[1])


@pytest.mark.parametrize(
    ('fault', 'error', 'wish_s'),
    [
        (ModelFault.TIMEOUT, ModelTimeout, None),
        (ModelFault.SERVER_ERROR, ModelRetryable, None),
        (ModelFault.RATE_LIMIT, ModelRetryable, 2.5),
    ],
)
def test_failures_of_the_server_are_raised_and_the_model_is_not_asked(fault, error, wish_s):
    model = Scripted()
    with pytest.raises(error, match=r'faulty:test#0:scripted.*simulated') as caught:
        FaultyModel(model, _profile({fault: 1.0}, retry_after_s=2.5)).chat(CHAT, ChatOptions())
    assert caught.value.retry_after_s == wish_s
    assert model.sent == []


def test_a_simulated_stall_can_be_cancelled():
    model = FaultyModel(Scripted(), _profile({ModelFault.TIMEOUT: 1.0}, stall_s=60.0))
    with pytest.raises(ModelRetryable, match='cancelled'):
        model.chat(CHAT, ChatOptions(), cancelled=lambda: True)


def test_the_same_seed_gives_the_same_faults_and_another_seed_others():
    rates = dict.fromkeys(ANSWER_CHANGES, 0.2)

    def run(seed):
        model = FaultyModel(Scripted(), _profile(rates, seed=seed))
        return [model.chat(CHAT, ChatOptions()).text for _ in range(50)]

    assert run(1) == run(1)
    assert run(1) != run(2)


def test_the_rate_is_about_kept_and_every_fault_is_counted():
    model = FaultyModel(Scripted(), _profile({ModelFault.SEVERAL_ACTIONS: 0.25}))
    texts = [model.chat(CHAT, ChatOptions()).text for _ in range(1000)]
    count = sum(text != '<move_to_box_1(pear)>' for text in texts)
    assert 200 < count < 300
    assert model.injected == {ModelFault.SEVERAL_ACTIONS: count}


def test_no_more_faults_follow_one_another_than_the_profile_says():
    model = FaultyModel(Scripted(), _profile({ModelFault.EMPTY: 1.0}, most_in_a_row=2))
    texts = [model.chat(CHAT, ChatOptions()).text.strip() for _ in range(6)]
    assert texts == ['', '', '<move_to_box_1(pear)>'] * 2


def test_the_listener_hears_the_faulty_answer_only():
    heard = []
    model = FaultyModel(Scripted(), _profile({ModelFault.WRONG_CATEGORY: 1.0}))
    model.chat(CHAT, ChatOptions(), on_text=heard.append)
    assert heard == ['<move_to_box_2(pear)>']


def test_the_committed_prompts_are_read():
    tasks, actions = load_tasks(config_dir() / 'tasks.yaml'), load_actions(config_dir() / 'actions.yaml')
    table = [
        TableObject(object_id=name, name=name, label=name, attributes=('red', 'small')) for name in ('can', 'pear')
    ]
    prompts = CoordinatorPrompts()
    base = prompts.base(tasks.values(), actions.values(), memory=True)
    step = prompts.step(StepView(task='sorting', snapshot=Snapshot(objects=tuple(table))), memory=True)
    scene = PromptScene.of([Message('system', base), Message('user', step)])
    assert scene.objects == ('can', 'pear')
    assert set(scene.actions) == set(actions)
    assert dict(scene.task_actions) == {name: tuple(task.actions) for name, task in tasks.items()}
    assert scene.siblings('move_to_box_1') == ('move_to_box_2',)
    assert 'give' in scene.strangers('put_on_tower')


@given(
    st.sampled_from(sorted(ANSWER_CHANGES)),
    st.text(max_size=80),
    st.lists(st.text(max_size=80), min_size=1, max_size=4),
    st.integers(0, 9),
)
def test_no_text_makes_a_fault_fail(fault, answer, contents, seed):
    scene = PromptScene.of([Message('user', content) for content in contents])
    changed = ANSWER_CHANGES[fault](scene, answer, random.Random(seed))
    assert changed is None or isinstance(changed, str)


def test_every_fault_has_a_profile_of_its_own_in_the_committed_file():
    profiles = load_fault_profiles(config_dir() / 'faults.yaml')
    for fault in ModelFault:
        assert set(profiles[fault].rates) == {fault}
    assert set(profiles['all'].rates) == set(ModelFault)


@pytest.mark.parametrize(
    ('text', 'match'),
    [
        ('a: 1', 'must hold a mapping `profiles`'),
        ('profiles: {}', 'must hold a mapping `profiles`'),
        ('profiles:\n  a: 1', r'f\.yaml:2: profile .a. must be a mapping'),
        ('profiles:\n  a:\n    rates: {sloth: 1}', r'f\.yaml:3: there is no fault .sloth.; there are timeout'),
        ('profiles:\n  a:\n    rates: {empty: often}', r'f\.yaml:3: the rate of empty must be a number'),
        ('profiles:\n  a:\n    seed: often', r'f\.yaml:3: seed must be int, got .often'),
        ('profiles:\n  a:\n    rates: 3', r'f\.yaml:3: rates must be a mapping'),
        ('profiles:\n  a:\n    rates: {empty: 2}', r'f\.yaml:2: .*must be within 0 and 1, got 2'),
        ('profiles:\n  a:\n    rate: {}', r'f\.yaml:3: FaultProfile has no setting .rate.; it has correlation'),
        ('profiles:\n  a:\n    most_in_a_row: -1', r'f\.yaml:3: .*must not be negative'),
    ],
)
def test_a_bad_file_of_profiles_is_refused_with_its_line(tmp_path, text, match):
    file = tmp_path / 'f.yaml'
    file.write_text(text)
    with pytest.raises(ConfigError, match=match):
        load_fault_profiles(file)
