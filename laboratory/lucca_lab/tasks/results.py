"""The result folder of a run: its plan and one line for each finished trial, so that a killed run can resume."""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lucca_core.errors import ConfigError
from lucca_lab.tasks.executors import Executor
from lucca_lab.tasks.spec import Setting, TrialSpec
from lucca_lab.tasks.suites import SuitePlan

RUN_FILE = 'run.json'
RESULTS_FILE = 'results.jsonl'
OnDone = Callable[[int, int], None]


class RunFolder:
    """The folder of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.results_file = path / RESULTS_FILE

    def begin(self, plan: SuitePlan) -> None:
        """Creates the folder, or resumes the run in it.

        Raises:
            ConfigError: the folder holds a run with other settings. More suites and trials are allowed.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        asked = _comparable(plan)
        if (self.path / RUN_FILE).exists():
            found = self._run()
            if found['plan'] != asked:
                differ = [key for key in asked if found['plan'].get(key) != asked[key]]
                raise ConfigError(
                    f'{self.path} holds a run with other settings ({", ".join(differ)}); choose another folder'
                )
        else:
            self._write_run({'plan': asked, 'wall_s': 0.0})

    def plan(self) -> SuitePlan:
        """The plan of the run in this folder, as far as it cannot change between parts of the run.

        Raises:
            ConfigError: there is no run.
        """
        asked = self._run()['plan']
        return SuitePlan(
            seed=int(asked['seed']),
            shuffle_tasks=bool(asked['shuffle_tasks']),
            setting=Setting(**asked['setting']),
        )

    @property
    def wall_s(self) -> float:
        """Wall time (s) spent on all trials so far, over all parts of the run."""
        return float(self._run()['wall_s'])

    def add_wall_s(self, seconds: float) -> None:
        """Adds the wall time of a part of the run."""
        found = self._run()
        self._write_run({**found, 'wall_s': round(found['wall_s'] + seconds, 3)})

    def done(self) -> set[str]:
        """Names of the finished trials. An incomplete last line is removed from the file first."""
        if not self.results_file.exists():
            return set()
        _cut_torn_line(self.results_file)
        return {record['trial'] for record in self.records()}

    def records(self) -> Iterator[dict[str, Any]]:
        """Yields the record of every finished trial.

        Raises:
            ConfigError: a line is not a result; the message names file and line.
        """
        if not self.results_file.exists():
            return
        with self.results_file.open(encoding='utf-8') as lines:
            for number, line in enumerate(lines, start=1):
                if not line.endswith('\n'):
                    return
                try:
                    yield json.loads(line)
                except ValueError as error:
                    raise ConfigError(f'no result: {error}', file=str(self.results_file), line=number) from error

    def run(self, specs: Sequence[TrialSpec], executor: Executor, on_done: OnDone = lambda done, total: None) -> None:
        """Runs the trials that are not finished yet. Every line is written before the next one is taken.

        Raises:
            LuccaError: see `Executor.run`. Finished trials are kept.
        """
        done = self.done()
        left = [spec for spec in specs if spec.trial_id not in done]
        count = len(specs) - len(left)
        on_done(count, len(specs))
        if not left:
            return
        with self.results_file.open('a', encoding='utf-8') as out:
            for line in executor.run(left):
                out.write(line + '\n')
                out.flush()
                count += 1
                on_done(count, len(specs))
            os.fsync(out.fileno())
        self._sort([spec.trial_id for spec in specs])

    def _sort(self, order: Sequence[str]) -> None:
        """Sorts the lines by the order of the trials, so that the file does not depend on which trial was faster."""
        place = {name: number for number, name in enumerate(order)}
        with self.results_file.open(encoding='utf-8') as lines:
            keyed = sorted(lines, key=lambda line: place.get(json.loads(line)['trial'], len(place)))
        _write_atomically(self.results_file, ''.join(keyed))

    def _run(self) -> dict[str, Any]:
        file = self.path / RUN_FILE
        try:
            return dict(json.loads(file.read_text(encoding='utf-8')))
        except (OSError, ValueError) as error:
            raise ConfigError(f'holds no run of lucca eval tasks: {error}', file=str(file)) from error

    def _write_run(self, value: dict[str, Any]) -> None:
        _write_atomically(self.path / RUN_FILE, json.dumps(value, indent=2) + '\n')


def _comparable(plan: SuitePlan) -> dict[str, Any]:
    """A plan as it is after a round trip through JSON, without suites and trials, which may grow from part to part."""
    asked = asdict(plan)
    for name in ('suites', 'trials', 'modes', 'memory'):
        del asked[name]
    return dict(json.loads(json.dumps(asked)))


def _cut_torn_line(file: Path) -> None:
    with file.open('rb+') as data:
        size = data.seek(0, os.SEEK_END)
        if not size:
            return
        end, step = size, 1 << 16
        while end:
            start = max(0, end - step)
            data.seek(start)
            at = data.read(end - start).rfind(b'\n')
            if at >= 0:
                data.truncate(start + at + 1)
                return
            end = start
        data.truncate(0)


def _write_atomically(file: Path, text: str) -> None:
    draft = file.with_name(f'{file.name}.new')
    with draft.open('w', encoding='utf-8') as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    draft.replace(file)
