"""Counts of refused answers, so that the model is not asked for the same one again and again."""

from collections import Counter
from enum import StrEnum


class Verdict(StrEnum):
    """What follows a refusal: ask the model again, look at the table first, or end the goal."""

    ASK = 'ask'
    LOOK = 'look'
    END = 'end'


class Refusals:
    """The refusals of one goal since its last action."""

    def __init__(self) -> None:
        self._times: Counter[tuple[str, str]] = Counter()

    def take(self, answer: str, reason: str) -> Verdict:
        """What follows when `answer` is refused for `reason`.

        The first time it is shown back to the model. The second time the step ends. The third time, after a fresh look
        at the table, the goal ends.
        """
        self._times[answer, reason] += 1
        return (Verdict.ASK, Verdict.LOOK, Verdict.END)[min(self._times[answer, reason], 3) - 1]

    def acted(self) -> None:
        """Forgets all refusals after an action was carried out, as the table has changed."""
        self._times.clear()
