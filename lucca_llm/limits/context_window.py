"""Any model within a context window: what does not fit is not sent, as chat servers do it, or the call is refused.

Ollama's chat endpoint drops the oldest messages until the rest fits and keeps system messages and the last one; this is
the same, counted with the estimator of `tokens.py`, which is the same for every model. Nothing is reserved for the answer.
"""

from collections.abc import Callable, Sequence
from enum import StrEnum

from lucca_core.errors import ModelUnusable
from lucca_llm.limits.tokens import MESSAGE_OVERHEAD, estimate_prompt_tokens, estimate_tokens, message_tokens
from lucca_llm.model import ChatModel, ChatOptions, ChatReply, Message
from lucca_llm.wrapper import Ask, ModelWrapper


class Overflow(StrEnum):
    """What becomes of a chat that is too long: its oldest messages are left out, or it is refused."""

    TRUNCATE = 'truncate'
    ERROR = 'error'


def truncated(messages: Sequence[Message], context_tokens: int) -> tuple[Message, ...]:
    """What is left of a chat that has to fit into a window.

    Whole messages go, the oldest first, until the rest fits. System messages and the last message always stay, even
    where they alone are too long.
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
    """A model that is only sent what fits into a window. As safe to call from several threads as the model inside.

    With Overflow.ERROR, `chat` raises ModelUnusable where something does not fit.
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


def within_window(messages: Sequence[Message], tokens: int, *, keep_system: bool = True) -> list[Message]:
    """The newest part of a chat that fits into a window; the first message that fits only partly loses its beginning.

    Args:
        messages: the chat, oldest first.
        tokens: size of the window.
        keep_system: system messages stay whole and count first, as chat servers do it; else they are cut like the rest,
            as servers do that only ever see one long text.
    """
    pinned = [message.role == 'system' and keep_system for message in messages]
    left = tokens - sum(message_tokens(message) for message, pin in zip(messages, pinned, strict=True) if pin)
    kept: list[Message] = []
    cut = False
    for message, pin in zip(reversed(messages), reversed(pinned), strict=True):
        if pin:
            kept.append(message if left >= 0 else Message(message.role, _tail(message.content, max(tokens, 0))))
            continue
        if cut:
            continue
        cost = message_tokens(message)
        if cost <= left:
            kept.append(message)
            left -= cost
            continue
        cut = True
        tail = _tail(message.content, left - MESSAGE_OVERHEAD)
        if tail:
            kept.append(Message(message.role, tail))
    return kept[::-1]


def _tail(text: str, tokens: int) -> str:
    """The longest ending of a text, from a word on, that has at most this many tokens."""
    if tokens <= 0:
        return ''
    low, high = 0, len(text)
    while low < high:
        middle = (low + high) // 2
        if estimate_tokens(text[middle:]) <= tokens:
            high = middle
        else:
            low = middle + 1
    tail = text[low:]
    if low and not text[low - 1].isspace():
        tail = tail.partition(' ')[2]
    return tail
