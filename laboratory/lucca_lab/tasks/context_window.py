"""A limit of any model to a context window, by dropping old messages or refusing the call.

Token counts are the estimates of `lucca_llm/limits/tokens.py`, which are the same for every model. No tokens are
reserved for the answer.
"""

from collections.abc import Callable, Sequence
from enum import StrEnum

from lucca_core.errors import ModelUnusable
from lucca_llm.limits.tokens import estimate_prompt_tokens, message_tokens
from lucca_llm.model import ChatModel, ChatOptions, ChatReply, Message
from lucca_llm.wrapper import Ask, ModelWrapper


class Overflow(StrEnum):
    """What to do with a chat that is too long: drop its oldest messages, or refuse it."""

    TRUNCATE = 'truncate'
    ERROR = 'error'


def truncated(messages: Sequence[Message], context_tokens: int) -> tuple[Message, ...]:
    """A chat without its oldest messages, so that the rest fits into the window, as in Ollama's chat endpoint.

    Messages are dropped whole. System messages and the last message always stay, even if they are too long on their
    own.
    """
    left = estimate_prompt_tokens(messages) - context_tokens
    kept = []
    for number, message in enumerate(messages):
        if left > 0 and message.role != 'system' and number < len(messages) - 1:
            left -= message_tokens(message)
        else:
            kept.append(message)
    return tuple(kept)


class WindowedModel(ModelWrapper):
    """Cuts every chat to a context window before the wrapped model sees it; see `truncated`.

    With `Overflow.ERROR`, `chat` raises `ModelUnusable` for a chat that is too long.
    """

    def __init__(self, model: ChatModel, context_tokens: int, overflow: Overflow = Overflow.TRUNCATE) -> None:
        if context_tokens < 1:
            raise ValueError(f'context_tokens must be positive, got {context_tokens}')
        super().__init__(model)
        self._context_tokens = context_tokens
        self._overflow = overflow

    def _around(
        self, messages: Sequence[Message], options: ChatOptions, ask: Ask, cancelled: Callable[[], bool]
    ) -> ChatReply:
        tokens = estimate_prompt_tokens(messages)
        if self._overflow is Overflow.ERROR and tokens > self._context_tokens:
            raise ModelUnusable(f'the prompt has {tokens} tokens; the context window has {self._context_tokens}')
        return ask(truncated(messages, self._context_tokens))
