"""A model of the tests that writes what it is told to."""

from lucca_llm.model import ChatReply


class Writer:
    """A model that writes one text, and keeps what it was asked."""

    spec = 'writer'

    def __init__(self, text='That is lovely.', *, fails=None, finish_reason='stop'):
        self.text, self.fails, self.finish_reason = text, fails, finish_reason
        self.asked = []

    def chat(self, messages, options, *, on_text=None, cancelled=None):
        self.asked.append((tuple(messages), options))
        if self.fails is not None:
            raise self.fails
        return ChatReply(
            text=self.text, prompt_tokens=9, completion_tokens=3, model_s=1.0, finish_reason=self.finish_reason
        )

    def check(self, deadline_s):
        pass
