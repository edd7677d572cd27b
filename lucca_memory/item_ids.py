"""The names that lines and nodes have outside of the memory, such as `said:17`: read from what anybody may have sent."""

SAID = 'said:'
_MOST_DIGITS = 18
"""Fewer than any number of a database's 64 bits."""


def number_of(item_id: str, prefix: str = SAID) -> int | None:
    """The number in a name with this prefix; None if it is none that anything could have."""
    number = item_id.removeprefix(prefix)
    plain = number.isascii() and number.isdecimal() and len(number) <= _MOST_DIGITS
    return int(number) if plain and item_id != number else None
