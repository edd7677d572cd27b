"""Runs an attack: counts seeded trials. A failing one can be repeated alone, and a campaign that was ended resumed."""

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from lucca_core.errors import ConfigError
from lucca_lab.attack.attack import Attack, Broken, Noted, SeededRandom

MOST_TOLD = 5
"""Broken trials that are told in words; all are counted."""

_SAVE_EVERY_S = 1.0


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

    def after(self, seed: int, came: Noted, broken: str | None) -> Self:
        """This report with one more trial: what it counted, and in words how it broke, if it did."""
        note = (f'seed {seed}: {came.note}',) if came.note else ()
        told = (f'seed {seed}: {broken}',) if broken is not None and len(self.told) < MOST_TOLD else ()
        return replace(
            self,
            tried=self.tried + 1,
            broke=self.broke + (broken is not None),
            first_failing_seed=seed if broken is not None and not self.broke else self.first_failing_seed,
            counts={name: self.counts.get(name, 0) + came.counts.get(name, 0) for name in (*self.counts, *came.counts)},
            told=self.told + told,
            notes=self.notes + note,
        )


def begun(part: Attack) -> Report:
    """The report of a part of which nothing was tried yet."""
    return Report(part=part.name, promise=part.promise, tried=0, broke=0, first_failing_seed=None)


class Progress:
    """A file with the report so far of one campaign: of a part from a seed on.

    It is written about once a second; trials since then are tried again when a campaign is resumed.
    """

    def __init__(self, folder: Path, part: Attack, seed: int) -> None:
        self.file = folder / f'{part.name}-from-{seed}.json'
        self._part = part
        self._saved_s = time.monotonic()

    def load(self) -> Report:
        """The report as it was saved; an empty one if there is none.

        Raises:
            ConfigError: the file holds no report of this part.
        """
        try:
            values = json.loads(self.file.read_text(encoding='utf-8'))
        except FileNotFoundError:
            return begun(self._part)
        except (OSError, ValueError) as error:
            raise ConfigError(f'holds no progress of an attack: {error}', file=str(self.file)) from error
        try:
            found = Report(**{**values, 'told': tuple(values['told']), 'notes': tuple(values['notes'])})
        except (KeyError, TypeError) as error:
            raise ConfigError(f'holds no progress of an attack: {error}', file=str(self.file)) from error
        if found.part != self._part.name:
            raise ConfigError(f'holds progress of {found.part!r}, not of {self._part.name!r}', file=str(self.file))
        return found

    def save(self, report: Report, *, at_once: bool = False) -> None:
        """Keeps a report, if the last one was kept long enough ago or `at_once`."""
        if not at_once and time.monotonic() - self._saved_s < _SAVE_EVERY_S:
            return
        self.file.parent.mkdir(parents=True, exist_ok=True)
        draft = self.file.with_suffix('.new')
        draft.write_text(json.dumps(report.as_json()) + '\n', encoding='utf-8')
        draft.replace(self.file)
        self._saved_s = time.monotonic()


def run_campaign(
    part: Attack,
    folder: Path,
    *,
    count: int,
    seed: int,
    on_trial: Callable[[Report], None] = lambda report: None,
    before: Report | None = None,
) -> Report:
    """Tries a part with the seeds `seed`, `seed + 1`, ... until `count` were tried.

    Args:
        part: what is attacked.
        folder: empty; the part writes there.
        count: number of trials, those of `before` included.
        seed: of the first trial.
        on_trial: told after each trial of the report so far.
        before: the report of an earlier part of the same campaign; its trials are not made again.
    """
    report = before or begun(part)
    if report.tried >= count:
        return report
    with part.open(folder) as trial:
        for number in range(report.tried, count):
            came, broken = Noted({}, ''), None
            try:
                found = trial(SeededRandom(seed + number))
                came = found if isinstance(found, Noted) else Noted(found, '')
            except Exception as error:  # noqa: BLE001 - whatever a trial raises, its promise did not hold
                kind = '' if isinstance(error, Broken) else f'{type(error).__name__}: '
                broken = f'{kind}{error}'
            report = report.after(seed + number, came, broken)
            on_trial(report)
    return report
