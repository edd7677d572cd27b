"""Which refused answers come again, so that the same one is not asked for thirty times."""

from collections import Counter
from enum import StrEnum


class Verdict(StrEnum):
    """What follows from a refusal: the model is asked again, or is once more after a look at the table, or nothing more."""

    ASK = 'ask'
    LOOK = 'look'
    END = 'end'


class Refusals:
    """The refusals of one goal since its last action."""

    def __init__(self) -> None:
        self._times: Counter[tuple[str, str]] = Counter()

    def take(self, answer: str, reason: str) -> Verdict:
        """What follows from an answer that was refused for a reason: the first time it is shown back, the second time the step
        ends, and the third time, with a table that was looked at anew, the goal."""
        self._times[answer, reason] += 1
        return (Verdict.ASK, Verdict.LOOK, Verdict.END)[min(self._times[answer, reason], 3) - 1]

    def acted(self) -> None:
        """An action was carried out: the table is another one."""
        self._times.clear()
