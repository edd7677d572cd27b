"""Parsing the public ids of lines and nodes, such as `said:17`, from untrusted text."""

SAID = 'said:'
_MOST_DIGITS = 18
"""More digits may not fit the 64 bits of a database id."""


def number_of(item_id: str, prefix: str = SAID) -> int | None:
    """The number of an id with this prefix; None if the text is not such an id."""
    number = item_id.removeprefix(prefix)
    plain = number.isascii() and number.isdecimal() and len(number) <= _MOST_DIGITS
    return int(number) if plain and item_id != number else None
