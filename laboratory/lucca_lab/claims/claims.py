"""Claims: figures in README and docs (`claims.yaml`), and what their commands printed last (`results.json`).

A result says at which commit its command ran, or, where the output was not kept, which commit wrote the figure.
"""

import contextlib
import dataclasses
import io
import json
import re
import shlex
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lucca_cli.main import app
from lucca_core.errors import ConfigError, LuccaError
from lucca_core.settings import from_mapping
from lucca_core.yaml_file import LocatedMapping, load_yaml
from lucca_lab.tasks.scoring import wilson

CLAIMS_FILE = Path(__file__).with_name('claims.yaml')
RESULTS_FILE = Path(__file__).with_name('results.json')
_SURE = 3.290527
"""The normal quantile of the 99.9 % interval. The check is coarse: it finds what broke, not small drifts."""

_COUNTED = (
    ('requests', 'right'),
    ('trials', 'right'),
    ('questions', 'right'),
    ('sentences', 'still'),
)
"""What an evaluation of understanding counts, and its share (or number) of what came out right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One figure.

    Attributes:
        name: the key in `claims.yaml`.
        says: what is claimed.
        page: the file in which the figure stands.
        figure: the figure, as it stands there.
        command: the command that reproduces it.
        rows: which rows of the command's output count, as in `mode=consecutive, variant=full`; empty for all.
        small: a short form of the command, which prints JSON with the same rows.
        no_small: why there is no short form; empty if there is one.
    """

    name: str
    says: str
    page: str
    figure: str
    command: str
    rows: str = ''
    small: str = ''
    no_small: str = ''


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a claim's command printed last: how many of how many succeeded, or another figure.

    Attributes:
        done: how many succeeded.
        tasks: how many were tried; 0 if `figure` is set.
        figure: the figure as it was printed, such as `0.982`; empty for counts.
        command: the command that printed it.
        commit: the commit at which it ran.
        date: the day on which it ran, `YYYY-MM-DD`.
        from_page: what the command printed was not kept; commit and date are those that wrote the figure into its page.
    """

    done: int = 0
    tasks: int = 0
    figure: str = ''
    command: str = ''
    commit: str = ''
    date: str = ''
    from_page: bool = False

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
    claim = from_mapping(Claim, {**entry, 'name': name}, file=file)
    if bool(claim.small) == bool(claim.no_small):
        raise ConfigError(f'claim {name!r} must have either `small` or `no_small`, the reason for none', file=file)
    return claim


def load_results(file: Path = RESULTS_FILE) -> dict[str, Result]:
    """What the commands printed last, by name of the claim."""
    return {name: Result(**values) for name, values in json.loads(file.read_text(encoding='utf-8')).items()}


def save_result(name: str, result: Result, file: Path = RESULTS_FILE) -> None:
    """Writes what a claim's command has printed in place of what it printed before."""
    results = {**load_results(file), name: result}
    text = json.dumps({each: dataclasses.asdict(results[each]) for each in sorted(results)}, indent=2)
    file.write_text(text + '\n', encoding='utf-8')


def standing(claim: Claim, root: Path, results: dict[str, Result]) -> str:
    """What is wrong with a claim's figure in its page or against the last result; empty if nothing is."""
    text = ' '.join((root / claim.page).read_text(encoding='utf-8').split())
    if claim.figure not in text:
        return f'{claim.page} does not say {claim.figure!r}'
    result = results.get(claim.name)
    if result is None:
        return f'{claim.name} has no last result'
    if any(re.search(rf'(?<![\d.,]){re.escape(form)}(?!\d)', claim.figure) for form in _written(result)):
        return ''
    printed = result.figure or f'{result.done} of {result.tasks}'
    return f'{claim.figure!r} is not the {printed} that the command printed last'


def _written(result: Result) -> tuple[str, ...]:
    """How a page may write a result: as two counts, or as the count of all and a share with three digits."""
    if result.figure:
        return (result.figure,)
    count = f'{result.tasks:,}' if result.tasks >= 1000 else str(result.tasks)
    share = f'{result.rate:.3f}'
    broke = result.tasks - result.done
    return (
        f'{result.done} of {result.tasks}',
        f'| {count} | {share}',
        f'| {count} | | {share}',
        f'| {count} | {broke} |',
        *((f'None of {count}',) if not broke else ()),
    )


def counts(printed: dict[str, Any], rows: str) -> tuple[int, int]:
    """Successes and trials in what a command of the laboratory printed.

    Args:
        printed: the JSON of `lucca eval tasks`, `lucca attack` or an evaluation of understanding.
        rows: which rows of `lucca eval tasks` count, as in a claim.

    Raises:
        KeyError: the output is of none of these commands.
        ValueError: no row has these values.
    """
    if 'tried' in printed:
        return printed['tried'] - printed['broke'], printed['tried']
    if 'modes' in printed:
        wanted = [part.partition('=')[::2] for part in rows.split(', ') if part]
        chosen = [row for row in printed['modes'] if all(str(row[name]).lower() == value for name, value in wanted)]
        if not chosen:
            raise ValueError(f'no row has {rows}')
        return sum(row['done'] for row in chosen), sum(row['tasks'] for row in chosen)
    for count, share in _COUNTED:
        if count in printed:
            found = printed[share]
            return (found if isinstance(found, int) else round(found * printed[count])), printed[count]
    raise KeyError('modes')


def tried(claim: Claim, result: Result) -> str:
    """Runs the small form of a claim. Returns what is wrong with the result; empty if nothing is."""
    with tempfile.TemporaryDirectory(prefix='lucca-claim-') as folder:
        try:
            done, tasks = run_counts(claim.small, claim.rows, Path(folder))
        except CommandError as error:
            return str(error)
    low, high = wilson(done, tasks, z=_SURE)
    if low <= result.rate <= high:
        return ''
    return f'{done} of {tasks} in its small form, [{low:.3f}, {high:.3f}], is not {result.rate:.3f}'


class CommandError(LuccaError):
    """The command of a claim did not print what is counted."""


def run_counts(command: str, rows: str, folder: Path) -> tuple[int, int]:
    """Runs a command of the laboratory in this process. Returns its successes and trials.

    Args:
        command: the command, without `--out` and `--json`.
        rows: which rows of its output count.
        folder: where its own files go.

    Raises:
        CommandError: the command printed nothing that can be counted.
    """
    words = [*shlex.split(command)[1:], '--json']
    if words[0] == 'attack' or words[:2] == ['eval', 'tasks']:
        words += ['--out', str(folder)]
    if words[:2] == ['eval', 'tasks']:
        words += ['--processes', '1']
    output, errors, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        try:
            app(words)
        except SystemExit as ended:
            code = int(ended.code or 0)
    try:
        return counts(json.loads(output.getvalue()), rows)
    except (ValueError, KeyError) as error:
        raise CommandError(f'{command} ended with {code} ({error!r}): {errors.getvalue()[-300:]}') from error
