"""Claims: figures in README and docs (`claims.yaml`), and what their commands printed last (`results.json`)."""

import json
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lucca_core.errors import ConfigError
from lucca_core.settings import from_mapping
from lucca_core.yaml_file import LocatedMapping, load_yaml
from lucca_lab.tasks.scoring import wilson

CLAIMS_FILE = Path(__file__).with_name('claims.yaml')
RESULTS_FILE = Path(__file__).with_name('results.json')
_SURE = 3.290527
"""The normal quantile of the 99.9 % interval: a true figure passes its small form in 999 of 1,000 runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One figure.

    Attributes:
        name: the key in `claims.yaml`.
        says: what is claimed.
        page: the file in which the figure stands.
        figure: the figure, as it stands there.
        command: the command that reproduces it.
        small: a short form of the command, a `lucca eval tasks` or `lucca attack` whose rate is compared; empty if no
            short form would be informative.
    """

    name: str
    says: str
    page: str
    figure: str
    command: str
    small: str = ''


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a claim's command printed last: `done` of `tasks` succeeded."""

    done: int
    tasks: int

    @property
    def rate(self) -> float:
        """The share of tasks that succeeded."""
        return self.done / self.tasks


def load_claims(file: Path = CLAIMS_FILE) -> list[Claim]:
    """Reads all claims, in the order of the file.

    Raises:
        ConfigError: the file is not valid; the message names it, the line and the reason.
    """
    entries = load_yaml(file).get('claims')
    if not isinstance(entries, LocatedMapping):
        raise ConfigError('must hold a mapping `claims`', file=str(file))
    return [_claim(name, entry, str(file)) for name, entry in entries.items()]


def _claim(name: str, entry: object, file: str) -> Claim:
    if not isinstance(entry, LocatedMapping):
        raise ConfigError(f'claim {name!r} must be a mapping, got {entry!r}', file=file)
    return from_mapping(Claim, {**entry, 'name': name}, file=file)


def load_results(file: Path = RESULTS_FILE) -> dict[str, Result]:
    """What the commands printed last, by name of the claim."""
    return {name: Result(**values) for name, values in json.loads(file.read_text(encoding='utf-8')).items()}


def standing(claim: Claim, root: Path, results: dict[str, Result]) -> str:
    """What is wrong with a claim's figure in its page or against the last result; empty if nothing is."""
    text = ' '.join((root / claim.page).read_text(encoding='utf-8').split())
    if claim.figure not in text:
        return f'{claim.page} does not say {claim.figure!r}'
    result = results.get(claim.name)
    if result is not None and f'{result.done} of {result.tasks}' not in claim.figure:
        return f'{claim.figure!r} is not the {result.done} of {result.tasks} that the command printed last'
    return ''


def counts(printed: dict[str, Any]) -> tuple[int, int]:
    """Successes and trials in what `lucca eval tasks` or `lucca attack` printed.

    Raises:
        KeyError: the output is of neither command.
    """
    if 'tried' in printed:
        return printed['tried'] - printed['broke'], printed['tried']
    rows = printed['modes']
    return sum(row['done'] for row in rows), sum(row['tasks'] for row in rows)


def tried(claim: Claim, result: Result) -> str:
    """Runs the small form of a claim. Returns what is wrong with the result; empty if nothing is."""
    with tempfile.TemporaryDirectory(prefix='lucca-claim-') as folder:
        words = [*shlex.split(claim.small)[1:], '--out', folder, '--json']
        if words[:2] == ['eval', 'tasks']:
            words += ['--processes', '1']
        program = [sys.executable, '-c', 'from lucca_cli.main import main; main()']
        run = subprocess.run([*program, *words], capture_output=True, text=True, check=False)
    try:
        done, tasks = counts(json.loads(run.stdout))
    except (ValueError, KeyError):
        return f'{claim.small} ended with {run.returncode}: {run.stderr[-300:]}'
    low, high = wilson(done, tasks, z=_SURE)
    if low <= result.rate <= high:
        return ''
    return f'{done} of {tasks} in its small form, [{low:.3f}, {high:.3f}], is not {result.rate:.3f}'
