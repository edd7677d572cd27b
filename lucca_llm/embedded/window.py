"""The context window: what does not fit is really not seen."""

from collections.abc import Sequence

from lucca_llm.model import Message
from lucca_llm.tokens import MESSAGE_OVERHEAD, estimate_tokens, message_tokens


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
