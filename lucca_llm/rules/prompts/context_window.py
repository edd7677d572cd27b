"""The context window of the rule-based model: the newest part of a chat that fits into it."""

from collections.abc import Sequence

from lucca_llm.limits.tokens import MESSAGE_OVERHEAD, estimate_tokens, message_tokens
from lucca_llm.model import Message


def within_window(messages: Sequence[Message], tokens: int) -> list[Message]:
    """The newest part of a chat that fits into `tokens`. A message that fits only partly loses its beginning.

    System messages are kept whole and count first, as with chat servers.
    """
    left = tokens - sum(message_tokens(message) for message in messages if message.role == 'system')
    kept: list[Message] = []
    cut = False
    for message in reversed(messages):
        if message.role == 'system':
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
