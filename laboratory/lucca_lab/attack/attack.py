"""The `Attack` class: a promise, and a trial that draws one input and checks the promise on it."""

import random
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

Counts = Mapping[str, int]
"""Numbers that one trial counted, by name; a campaign adds them up."""


@dataclass(frozen=True, slots=True)
class Noted:
    """The counts of one trial, with a line about it for the report."""

    counts: Counts
    note: str


class SeededRandom(random.Random):
    """The random numbers of one trial. Its seed and its number in the campaign, from 0, are for attacks that go through
    a list of cases in turn: the seed alone decides what is tried, so that a trial can be repeated."""

    def __init__(self, trial_seed: int, number: int = 0) -> None:
        super().__init__(trial_seed)
        self.trial_seed = trial_seed
        self.number = number


_STRIDE = 2_654_435_761
"""A prime, so that trials one after the other go through all cases, each once, and through all kinds from the first
trials on."""


def turn_of(trial_seed: int, cases: int) -> int:
    """The case that a trial takes, of so many; as many trials one after the other take each of them once."""
    return trial_seed * _STRIDE % cases


Trial = Callable[[SeededRandom], Counts | Noted]
"""Draws one input, tries it and checks the promise. Raises `Broken` if the promise does not hold; any other exception
counts as a broken promise too."""


class Broken(AssertionError):
    """A promise did not hold. The message has the input (shortened) and its result."""


@dataclass(frozen=True, kw_only=True)
class Attack:
    """One promise and the attack on it.

    Attributes:
        name: the attack's name for `lucca attack`.
        promise: one sentence that says what holds for every input.
        open: sets up what all trials share, in a folder of its own, and yields the trial; cleans up at the end.
        sample: number of trials in `make test`; 0 if one trial takes too long for that.
        count: number of trials in `make soak`, and the default of `lucca attack`.
    """

    name: str
    promise: str
    open: Callable[[Path], AbstractContextManager[Trial]]
    sample: int
    count: int
