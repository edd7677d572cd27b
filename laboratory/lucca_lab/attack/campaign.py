"""Campaigns: seeded trials of an attack. A failing trial can be repeated alone, and a campaign can be resumed."""

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from lucca_core.errors import ConfigError
from lucca_lab.attack.attack import Attack, Broken, Noted, SeededRandom

MOST_TOLD = 5
"""Number of broken trials that are described; all are counted."""

_SAVE_EVERY_S = 1.0


@dataclass(frozen=True, kw_only=True)
class Report:
    """The result of a campaign. With `first_failing_seed` and a count of 1, the first broken trial is repeated.

    `told` describes the first broken trials; `notes` are the lines that trials noted about themselves.
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
        """All attributes, in types that JSON can hold."""
        return asdict(self)

    def after(self, seed: int, came: Noted, broken: str | None) -> Self:
        """This report with one more trial: its counts and, if it broke the promise, how."""
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
    """The report of an attack before its first trial."""
    return Report(part=part.name, promise=part.promise, tried=0, broke=0, first_failing_seed=None)


class CampaignProgress:
    """The file with the report of one campaign so far. A campaign is identified by its attack and first seed.

    The file is written about once a second; later trials are repeated if the campaign is resumed.
    """

    def __init__(self, folder: Path, part: Attack, seed: int) -> None:
        self.file = folder / f'{part.name}-from-{seed}.json'
        self._part = part
        self._saved_s = time.monotonic()

    def load(self) -> Report:
        """The saved report; an empty one if there is none.

        Raises:
            ConfigError: the file does not hold a report of this attack.
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
        """Saves a report, unless the last one was saved less than a second ago. With `at_once`, it is always saved."""
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
    """Tries an attack with the seeds `seed`, `seed + 1`, ... until `count` trials are done.

    Args:
        part: the attack.
        folder: an empty folder for files of the attack.
        count: number of trials, including those of `before`.
        seed: seed of the first trial.
        on_trial: called with the report so far after each trial.
        before: the report of an earlier part of the same campaign, whose trials are not repeated.
    """
    report = before or begun(part)
    if report.tried >= count:
        return report
    with part.open(folder) as trial:
        for number in range(report.tried, count):
            came, broken = Noted({}, ''), None
            try:
                found = trial(SeededRandom(seed + number, number))
                came = found if isinstance(found, Noted) else Noted(found, '')
            except Exception as error:  # noqa: BLE001 - whatever a trial raises, its promise did not hold
                kind = '' if isinstance(error, Broken) else f'{type(error).__name__}: '
                broken = f'{kind}{error}'
            report = report.after(seed + number, came, broken)
            on_trial(report)
    return report
