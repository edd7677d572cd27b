"""Runs an attack: counts seeded trials, so that a failing one can be repeated alone."""

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from lucca_lab.attack.attack import Attack, Broken, Noted, SeededRandom

MOST_TOLD = 5
"""Broken trials that are told in words; all are counted."""


@dataclass(frozen=True, kw_only=True)
class Report:
    """What came of a campaign. `first_failing_seed` with a count of 1 repeats the first trial that broke the promise.

    `told` are the first broken trials in words, `notes` what trials noted of themselves.
    """

    part: str
    promise: str
    tried: int
    broke: int
    first_failing_seed: int | None
    counts: dict[str, int] = field(default_factory=dict)
    told: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Everything, in types that json can write."""
        return asdict(self)


def run_campaign(
    part: Attack,
    folder: Path,
    *,
    count: int,
    seed: int,
    on_trial: Callable[[int, int], None] = lambda tried, broke: None,
) -> Report:
    """Tries a part `count` times with the seeds `seed`, `seed + 1`, ...

    Args:
        part: what is attacked.
        folder: empty; the part writes there.
        count: number of trials.
        seed: of the first trial.
        on_trial: told after each trial how many were tried and how many broke.
    """
    broke, counts = 0, Counter[str]()
    first: int | None = None
    told: list[str] = []
    notes: list[str] = []
    with part.open(folder) as trial:
        for number in range(count):
            try:
                came = trial(SeededRandom(seed + number))
                if isinstance(came, Noted):
                    notes.append(f'seed {seed + number}: {came.note}')
                    came = came.counts
                counts.update(came)
            except Exception as error:  # noqa: BLE001 - whatever a trial raises, its promise did not hold
                broke += 1
                first = seed + number if first is None else first
                if len(told) < MOST_TOLD:
                    kind = '' if isinstance(error, Broken) else f'{type(error).__name__}: '
                    told.append(f'seed {seed + number}: {kind}{error}')
            on_trial(number + 1, broke)
    return Report(
        part=part.name,
        promise=part.promise,
        tried=count,
        broke=broke,
        first_failing_seed=first,
        counts=dict(counts),
        told=tuple(told),
        notes=tuple(notes),
    )
