"""What was measured of a comparison, in a folder, so that an interrupted run continues where it stopped."""

import json
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import Any

from lucca_core.errors import ConfigError

PLAN_FILE, MEASURED_FILE = 'plan.json', 'measured.jsonl'
Key = tuple[float, str, str]
"""The share of the bytes, the dialogue and the memory."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was left for one question: all of its evidence (1 or 0), all of it verbatim (1 or 0), and the share of it
    among the first ten texts that are retrieved."""

    sample_id: str
    survived: float
    verbatim: float
    recall: float


@dataclass(frozen=True, slots=True)
class Measured:
    """A memory at the end of a dialogue: the outcome of each question, its bytes, and its general nodes."""

    outcomes: tuple[Outcome, ...]
    size: int
    generals_asked: int = 0
    generals_made: int = 0


@dataclass(slots=True)
class KeptMeasurements:
    """What was measured so far; without a folder, in memory only."""

    folder: Path | None = None
    measured: dict[Key, Measured] = field(default_factory=dict)

    def begin(self, plan: Mapping[str, Any]) -> None:
        """Reads what was measured with the same plan.

        Raises:
            ConfigError: the folder has a run with another plan, or cannot be read or written.
        """
        if self.folder is None:
            return
        file, lines = self.folder / PLAN_FILE, self.folder / MEASURED_FILE
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if file.exists() and json.loads(file.read_text(encoding='utf-8')) != plan:
                raise ConfigError('this folder has a run with other settings; name another', file=str(file))
            file.write_text(json.dumps(plan, indent=1) + '\n', encoding='utf-8')
            for line in lines.read_text(encoding='utf-8').splitlines() if lines.exists() else ():
                self._take(line)
        except (OSError, ValueError) as error:
            raise ConfigError(f'the run cannot be opened: {error}', file=str(self.folder)) from error

    def _take(self, line: str) -> None:
        try:
            share, sample_id, name, outcomes, *counts = json.loads(line)
            measured = Measured(tuple(Outcome(sample_id, *scores) for scores in outcomes), *counts)
        except (ValueError, TypeError):
            # The last line of an interrupted run is incomplete; it is measured again.
            return
        self.measured[share, sample_id, name] = measured

    def note(self, key: Key, measured: Measured) -> None:
        """Keeps what was measured.

        Raises:
            ConfigError: it could not be written.
        """
        self.measured[key] = measured
        if self.folder is None:
            return
        outcomes = [astuple(outcome)[1:] for outcome in measured.outcomes]
        counts = (measured.size, measured.generals_asked, measured.generals_made)
        file = self.folder / MEASURED_FILE
        try:
            with file.open('a', encoding='utf-8') as out:
                out.write(json.dumps([*key, outcomes, *counts]) + '\n')
        except OSError as error:
            raise ConfigError(f'the run cannot be continued: {error}', file=str(file)) from error
