"""Names, places and texts as people read them."""

from collections.abc import Sequence


def and_list(names: Sequence[str]) -> str:
    """The names in one phrase: `a`, `a and b`, `a, b and c`; empty without names."""
    return ' and '.join([*filter(None, [', '.join(names[:-1])]), *names[-1:]])


def with_article(name: str) -> str:
    """A thing or place that is known: `the bowl`, `the user's side`, but `box 1`."""
    return name if name[-1:].isdigit() else f'the {name}'


def at_place(place: str) -> str:
    """Where something is: `in box 1`, `in the bowl`, `on the table`, `at the user's side`; empty for no place."""
    if not place:
        return ''
    if place in ('table', 'tower'):
        return f'on the {place}'
    return f'{"at" if place.endswith("side") else "in"} {with_article(place)}'


def cut(text: str, most: int) -> str:
    """A text of `most` characters at most; one that was cut ends in an ellipsis."""
    return text if len(text) <= most else f'{text[: most - 1]}…'
