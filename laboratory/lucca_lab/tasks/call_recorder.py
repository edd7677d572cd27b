"""A recorder of the calls to a model: what was sent, what was cut off, and what came back."""

from collections.abc import Callable, Sequence
from typing import Any

from lucca_core.errors import ModelError
from lucca_lab.faults.text_faults import instruction_distance
from lucca_lab.tasks.context_window import truncated
from lucca_llm.limits.tokens import estimate_prompt_tokens
from lucca_llm.model import ChatModel, ChatOptions, ChatReply, Message
from lucca_llm.wrapper import Ask, ModelWrapper


class Tape(ModelWrapper):
    """Adds the calls of one model to a list of JSON values, in order.

    The first message is written only when it changes; otherwise only the last message of a call is written, since those
    in between are earlier calls. `dropped` is the number of messages that the window left out, oldest first; `distance`
    is the number of tokens between the task's text and the end of the prompt.
    """

    def __init__(self, model: ChatModel, who: str, context_tokens: int, calls: list[dict[str, Any]]) -> None:
        super().__init__(model)
        self._who = who
        self._context_tokens = context_tokens
        self._calls = calls
        self._first = ''

    def _around(
        self, messages: Sequence[Message], options: ChatOptions, ask: Ask, cancelled: Callable[[], bool]
    ) -> ChatReply:
        sent = truncated(messages, self._context_tokens)
        line: dict[str, Any] = {'to': self._who, 'sent': len(sent), 'dropped': len(messages) - len(sent)}
        if len(messages) > 1 and messages[0].content != self._first:
            self._first = line['first'] = messages[0].content
        line |= {
            'tokens': estimate_prompt_tokens(sent),
            'distance': instruction_distance(sent),
            'asked': messages[-1].content,
        }
        self._calls.append(line)
        try:
            reply = ask(messages)
        except ModelError as error:
            line['error'] = f'{type(error).__name__}: {error}'
            raise
        line['answered'] = reply.text
        return reply
