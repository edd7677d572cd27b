"""The rule-based model as a ChatModel."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lucca_core.errors import ModelRetryable, ModelUnusable
from lucca_language.reading.description_parser import parse
from lucca_llm.limits.tokens import estimate_prompt_tokens
from lucca_llm.model import ChatOptions, Message
from lucca_llm.rules.prompts.context_window import within_window
from lucca_llm.rules.rule_based_model import RuleBasedModel

WORDS = st.sampled_from(
    [
        'put',
        'the',
        'a',
        'every',
        'red',
        'fruit',
        'that',
        'is',
        'not',
        'and',
        'or',
        'in',
        'box',
        '1',
        'bowl',
        ',',
        '.',
        'then',
        'first',
        'except',
        'only',
        'if',
        'it',
        'them',
        'give',
        'me',
        'point',
        'at',
        'with',
        'of',
        'which',
        'no',
        'nothing',
        'else',
        'rest',
        'other',
        'cubes',
        'can',
        'need',
        'build',
        'tower',
        'fill',
        'before',
        'after',
        'when',
        'all',
        '<point(cup)>',
        '#',
        'Task:',
        '-',
        '',
    ]
)
SOUP = st.lists(WORDS, max_size=60).map(' '.join)


def test_no_message_is_refused() -> None:
    with pytest.raises(ModelUnusable, match='no message'):
        RuleBasedModel().chat([], ChatOptions())


def test_a_cancelled_call_ends() -> None:
    with pytest.raises(ModelRetryable, match='cancelled'):
        RuleBasedModel().chat([Message('user', 'hello')], ChatOptions(), cancelled=lambda: True)


def test_a_window_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match='context_tokens'):
        RuleBasedModel(context_tokens=0)


def test_the_spec_tells_the_window() -> None:
    assert RuleBasedModel().spec == 'embedded'
    assert RuleBasedModel(context_tokens=100).spec == 'embedded:100'


def test_text_is_handed_on_and_counted() -> None:
    heard: list[str] = []
    reply = RuleBasedModel().chat([Message('user', 'hello')], ChatOptions(), on_text=heard.append)
    assert ''.join(heard) == reply.text
    assert reply.prompt_tokens > 0
    assert reply.completion_tokens > 0


def test_an_answer_is_cut_at_the_budget() -> None:
    reply = RuleBasedModel().chat([Message('user', 'hello')], ChatOptions(max_tokens=3))
    assert reply.finish_reason == 'length'
    assert reply.completion_tokens <= 3


def test_it_is_always_there() -> None:
    RuleBasedModel().check(0.1)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300) | SOUP)
def test_any_text_is_answered(text: str) -> None:
    messages = [Message('system', text), Message('user', text), Message('assistant', text), Message('user', text)]
    first = RuleBasedModel().chat(messages, ChatOptions()).text
    assert first == RuleBasedModel().chat(messages, ChatOptions()).text
    assert RuleBasedModel().chat(messages[1:2], ChatOptions()).text


@settings(max_examples=60, deadline=None)
@given(SOUP)
def test_any_description_gets_one_call(table: Any, text: str) -> None:
    world = table({'apple': ['red'], 'cup': [], 'red cube': []}, text.replace('#', ''), max_steps=12)
    run = world.run(memory=False)
    assert run.end.startswith('<')
    assert '\n' not in run.end


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet='abc <>().,\n' + chr(0x1F600) + chr(0x202E), max_size=2000))
def test_a_description_of_anything_is_parsed(text: str) -> None:
    parse(text)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.builds(Message, st.sampled_from(['user', 'assistant']), st.text(max_size=80)), max_size=8),
    st.integers(1, 200),
)
def test_what_is_seen_fits_the_window_and_is_the_newest(messages: list[Message], tokens: int) -> None:
    seen = within_window(messages, tokens)
    assert estimate_prompt_tokens(seen) <= tokens
    contents = [message.content for message in messages]
    kept = [message.content for message in seen]
    assert kept[1:] == contents[len(contents) - len(kept) + 1 :] if kept else True
    assert not kept or contents[-len(kept)].endswith(kept[0])


def test_system_messages_stay_in_the_window() -> None:
    messages = [Message('system', 'rules'), *[Message('user', f'turn {number}') for number in range(50)]]
    seen = within_window(messages, 60)
    assert seen[0] == messages[0]
    assert seen[-1] == messages[-1]
    assert len(seen) < len(messages)
