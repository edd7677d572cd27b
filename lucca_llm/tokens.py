"""How many tokens a text is, estimated without any model's tokenizer."""

import math
import re
from collections.abc import Sequence

from lucca_llm.model import Message

MESSAGE_OVERHEAD = 4
"""Tokens that a chat template adds around each message."""

# Letters of one script hang together in a token, digits by threes, other characters stand alone.
_PIECE = re.compile(r'[^\W\d_]+|\d+|_+|[^\w\s]|\n+')
_LETTERS_PER_TOKEN = 6
_DIGITS_PER_TOKEN = 3


def estimate_tokens(text: str) -> int:
    """Tokens of a text, within about a third of what tokenizers of 30k to 200k entries give for English prose and lists.

    Deterministic, and never smaller for a text that was made longer at a line break.
    """
    total = 0
    for match in _PIECE.finditer(text):
        piece = match.group()
        if piece.isascii():
            if piece[0].isalpha():
                total += math.ceil(len(piece) / _LETTERS_PER_TOKEN)
            elif piece[0].isdigit():
                total += math.ceil(len(piece) / _DIGITS_PER_TOKEN)
            else:
                total += 1
        else:
            total += len(piece)
    return total


def estimate_prompt_tokens(messages: Sequence[Message]) -> int:
    """Tokens of a chat as prompt, its template included."""
    return sum(estimate_tokens(message.content) + MESSAGE_OVERHEAD for message in messages)
