"""General texts by a language model: only what memory accepts is kept, and the robot is never made to wait for one."""

import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_core.errors import ConfigError, ModelRetryable, ModelTimeout
from lucca_llm.model import ChatOptions, ChatReply, Message
from lucca_llm.rules.rule_based_model import RuleBasedModel
from lucca_memory.data_folder import DataFolder
from lucca_memory.people.erasure import erase_person
from lucca_memory.people.opening import open_store
from lucca_memory.semantic.forgetting.compression import shortened
from lucca_memory.semantic.opening import NETWORK_FILE
from worker_node.network.config import NetworkConfig
from worker_node.network.model_compressor import ModelCompressor, make_compressor

KILN = ('The kiln really is in Ulm.', 'The kiln of Ada is just 40 years old.', 'Actually, the kiln is never hot.')
SHORT = '- The kiln is in Ulm.\n- kiln of Ada is 40 years old.\n- the kiln is never hot.'


class Scripted:
    """Answers general texts with what it is told to, and keeps what it was asked."""

    spec = 'test'

    def __init__(self, answer: str | Exception = SHORT) -> None:
        self._answer = answer
        self.prompts: list[str] = []
        self.options: list[ChatOptions] = []

    def chat(self, messages: Sequence[Message], options: ChatOptions, *, cancelled: Any = None, **_: Any) -> ChatReply:
        if cancelled is not None and cancelled():
            raise ModelRetryable('cancelled')
        self.prompts.append(messages[-1].content)
        self.options.append(options)
        if isinstance(self._answer, Exception):
            raise self._answer
        return ChatReply(text=self._answer, prompt_tokens=1, completion_tokens=1, model_s=0.0)

    def check(self, deadline_s: float) -> None:
        pass


class Shortening(Scripted):
    """Answers with what a rule leaves of the sentences in the prompt."""

    def chat(self, messages: Sequence[Message], options: ChatOptions, **more: Any) -> ChatReply:
        said = re.findall(r'^- (.*)$', messages[-1].content, re.MULTILINE)
        self._answer = '\n'.join(f'- {shortened(text)}' for text in said)
        return super().chat(messages, options, **more)


def after_a_pass(house: Any, model: Any, **settings: Any) -> list[str]:
    """What a pass leaves of the statements, in a worker with a model."""
    house.open(model=model, forget_every_h=0.0).say('Anna', *KILN)
    house.open(model=model, forget_every_h=1e-9, forget_budget_bytes=60, **settings)
    # The first step only notes the time; a later one is due at once.
    for _ in range(3):
        house.settle()
    return sorted(house.nodes())


def test_the_model_is_asked_with_a_grammar_of_the_sentences_and_the_limits() -> None:
    model = Scripted()
    assert ModelCompressor(model, 7.0).compress(KILN) == SHORT
    [prompt], [options] = model.prompts, model.options
    assert all(f'- {text}\n' in prompt for text in KILN)
    assert options.deadline_s <= 7.0
    assert options.max_tokens < sum(map(len, KILN))
    assert options.grammar is not None
    assert '" never"' in options.grammar
    assert '" never"?' not in options.grammar
    assert '" really"?' in options.grammar


def test_texts_that_are_too_long_are_not_asked_about() -> None:
    model = Scripted()
    assert ModelCompressor(model, 7.0).compress(['word ' * 2000]) == ''
    assert not model.prompts


@given(st.text(max_size=60))
def test_no_text_leaves_its_place_in_the_grammar(text: str) -> None:
    model = Scripted('')
    ModelCompressor(model, 1.0).compress([text])
    [options] = model.options
    for rule in (options.grammar or '').split('\n'):
        bare = re.sub(r'"(?:[^"\\]|\\.)*"', '', rule)
        assert re.fullmatch(r'(?:root|line-\d+) ::=[ ?\w-]*', bare), rule


def test_with_the_setting_statements_become_a_general_node_before_they_are_forgotten(house: Any) -> None:
    model = Shortening()
    after_a_pass(house, model, generalize=True)
    assert model.prompts
    joined = [item for item in house.memory.forgotten() if item.fate == 'compressed']
    assert len(joined) > 1
    assert {item.text for item in joined} <= set(KILN)
    assert len({item.into for item in joined}) == 1
    assert house.memory.stats().bytes <= 60


def test_a_general_node_is_erased_with_its_person_and_restarts_keep_what_it_stands_for(house: Any) -> None:
    after_a_pass(house, Shortening(), generalize=True)
    house.open(forget_every_h=0.0).settle()
    joined = [item for item in house.memory.forgotten() if item.fate == 'compressed']
    assert {item.text for item in joined} <= set(KILN)
    assert joined
    assert any(b'kiln' in file.read_bytes() for file in house.path.rglob(f'{NETWORK_FILE}*'))
    house.close()
    with DataFolder.open(house.path, write=True) as folder, open_store(folder) as store:
        erase_person(folder, store, 'Anna')
    assert not any(b'kiln' in file.read_bytes() for file in house.path.rglob(f'{NETWORK_FILE}*'))


@pytest.mark.parametrize('answer', [ModelTimeout('it hung'), '', 'The kiln is in Jena.', 'rubbish ' * 500])
def test_a_model_that_fails_hangs_or_lies_leaves_the_pass_as_without_it(make_house: Any, answer: Any) -> None:
    with_it = after_a_pass(make_house('a'), Scripted(answer), generalize=True)
    without = after_a_pass(make_house('b'), Scripted(answer))
    assert with_it == without


def test_it_is_off_by_default_and_needs_a_language_model() -> None:
    assert make_compressor(Scripted(), NetworkConfig(), lambda: False) is None
    assert make_compressor(Scripted(), NetworkConfig(generalize=True), lambda: False) is not None
    with pytest.raises(ConfigError, match='generalize needs a language model'):
        make_compressor(RuleBasedModel(), NetworkConfig(generalize=True), lambda: False)


def test_a_call_ends_as_soon_as_it_is_unwanted() -> None:
    model = Scripted()
    with pytest.raises(ModelRetryable):
        ModelCompressor(model, 7.0, cancelled=lambda: True).compress(KILN)
    assert not model.prompts
