"""The usage meter."""

import threading

import pytest

from lucca_core.errors import ModelRetryable
from lucca_llm.limits.usage_meter import UsageMeter
from lucca_llm.model import ChatOptions, ChatReply, Message

CHAT = [Message('user', 'hi')]


class Model:
    spec = 'fake'
    error = None

    def chat(self, messages, options, *, on_text=None, cancelled=None):
        if self.error:
            raise self.error
        return ChatReply(text='ok', prompt_tokens=10, completion_tokens=2, model_s=0.5)

    def check(self, deadline_s):
        pass


def test_calls_and_tokens_add_up():
    meter = UsageMeter(Model())
    for _ in range(3):
        meter.chat(CHAT, ChatOptions())
    usage = meter.usage
    assert (usage.model, usage.calls, usage.prompt_tokens, usage.completion_tokens) == ('fake', 3, 30, 6)
    assert usage.model_s > 0


def test_a_failed_call_counts_too():
    model = Model()
    model.error = ModelRetryable('busy')
    meter = UsageMeter(model)
    with pytest.raises(ModelRetryable):
        meter.chat(CHAT, ChatOptions())
    assert meter.usage.calls == 1
    assert meter.usage.prompt_tokens > 0
    assert meter.usage.completion_tokens == 0


def test_no_call_of_several_threads_is_lost():
    meter = UsageMeter(Model())
    threads = [threading.Thread(target=lambda: [meter.chat(CHAT, ChatOptions()) for _ in range(50)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert meter.usage.calls == 200
