"""Seeds for the calls of a model, one each, so that a run can be repeated, and a repeated question is a new draw."""

import itertools


class CallSeeds:
    """Counts up from a first seed; if that is negative, no call gets a seed. Safe to use from several threads."""

    def __init__(self, first: int) -> None:
        self._numbers = itertools.count(first) if first >= 0 else None

    def next(self) -> int | None:
        """The seed of the next call; None if the model or its server draws one."""
        return None if self._numbers is None else next(self._numbers)
