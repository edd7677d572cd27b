"""Unique names for objects: the first pear is `pear`, the next one `pear 2`; an object keeps its number."""


class ObjectNames:
    """Gives each object id a name: a base and, from the second object on, a number."""

    def __init__(self) -> None:
        self._given: dict[str, tuple[str, int]] = {}

    def name(self, object_id: str, base: str) -> str:
        """The name of an object. It changes only if its base changes, and then takes the lowest free number."""
        current = self._given.get(object_id)
        if current is None or current[0] != base:
            # Whole names are compared, because a base that ends in a number ("can 2") may equal another object's name.
            taken = {_text(*other) for holder, other in self._given.items() if holder != object_id}
            number = 1
            while _text(base, number) in taken:
                number += 1
            current = self._given[object_id] = (base, number)
        return _text(*current)

    def forget(self, object_id: str) -> None:
        """Frees the name of an object that will not come back."""
        self._given.pop(object_id, None)


def _text(base: str, number: int) -> str:
    return base if number == 1 else f'{base} {number}'
