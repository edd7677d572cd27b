"""The `Attack` class: a promise, and a trial that draws one input and checks the promise on it."""

import random
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

Counts = Mapping[str, int]
"""What one trial counted, by name; a campaign adds them up."""


@dataclass(frozen=True, slots=True)
class Noted:
    """What one trial counted, and a line about it that the report keeps."""

    counts: Counts
    note: str


class SeededRandom(random.Random):
    """The random numbers of one trial, and the seed itself, for what is tried by turns instead of by chance."""

    def __init__(self, trial_seed: int) -> None:
        super().__init__(trial_seed)
        self.trial_seed = trial_seed


Trial = Callable[[SeededRandom], Counts | Noted]
"""Draws one input, tries it and checks the promise. Raises `Broken` if it does not hold; any other exception counts as
broken too."""


class Broken(AssertionError):
    """A promise did not hold; the message has the input (shortened) and what came of it."""


@dataclass(frozen=True, kw_only=True)
class Attack:
    """One promise and the attack on it.

    Attributes:
        name: what `lucca attack` calls it.
        promise: one sentence, what holds for every input.
        open: makes what all trials share (a folder of its own is given) and yields the trial; it is closed at the end.
        sample: trials in `make test`; 0 where one takes too long for it.
        count: trials in `make soak`, and of `lucca attack` unless it is given another number.
    """

    name: str
    promise: str
    open: Callable[[Path], AbstractContextManager[Trial]]
    sample: int
    count: int
