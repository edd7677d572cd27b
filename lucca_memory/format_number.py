"""The number of a file format, as lucca writes it."""

import re

_NUMBER = re.compile(r'[1-9][0-9]{0,8}')
"""Nine digits are enough, and int() refuses some thousands of them."""


def format_number(text: str) -> int | None:
    """The number in a text; None if lucca never wrote it so: `0`, `01`, `+1`, other digits, or too many."""
    return int(text) if _NUMBER.fullmatch(text) else None
