"""Context windows: chats cut to a number of tokens, and a wrapper that imposes such a window on any model.

Tokens are estimates of `tokens.py`, the same for every model. Nothing is reserved for the answer.
"""

from collections.abc import Callable, Sequence
from enum import StrEnum

from lucca_core.errors import ModelUnusable
from lucca_llm.limits.tokens import MESSAGE_OVERHEAD, estimate_prompt_tokens, estimate_tokens, message_tokens
from lucca_llm.model import ChatModel, ChatOptions, ChatReply, Message
from lucca_llm.wrapper import Ask, ModelWrapper


class Overflow(StrEnum):
    """What to do with a chat that is too long: drop its oldest messages, or refuse it."""

    TRUNCATE = 'truncate'
    ERROR = 'error'


def truncated(messages: Sequence[Message], context_tokens: int) -> tuple[Message, ...]:
    """A chat without its oldest messages, so that the rest fits the window, as Ollama's chat endpoint does it.

    Messages are dropped whole. System messages and the last message always stay, even if they alone are too long.
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

    With Overflow.ERROR, `chat` raises ModelUnusable instead.
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
    """The newest part of a chat that fits into a window; a message that fits only partly loses its beginning.

    Args:
        messages: the chat, oldest first.
        tokens: size of the window.
        keep_system: system messages are kept whole, as by chat servers; otherwise they are cut like the rest, as by
            servers that see one long text.
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
    """The longest ending of a text that starts at a word and has at most this many tokens."""
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
