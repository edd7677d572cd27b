"""The experiment of `lucca eval voice` in several processes; it can be resumed after an interruption."""

import functools
import hashlib
import json
import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lucca_cli.output import Output
from lucca_lab.voice.outcomes_file import all_settings, kept_outcomes
from lucca_lab.voice.trials import (
    FURTHER_VOICES,
    GROUPS,
    VOICES,
    Ear,
    Kind,
    Row,
    SpeechOutcome,
    Trial,
    make_ear,
    table,
    trials,
)

OUTCOMES = 'trials.jsonl'
SNRS_DB = (20.0, 35.0, 10.0)
_SPOTTER = ('stop_spotter.py', 'stop_words.npz')


def run_eval(
    out: Path,
    show: Output,
    *,
    count: int,
    snrs_db: Sequence[float] | None = None,
    voices: Sequence[str] | None = None,
    seed: int = 0,
    kinds: Sequence[Kind] = tuple(Kind),
    processes: int = 1,
    transcriber: str = '',
) -> list[dict[str, Any]]:
    """Measures, prints each row as soon as it is complete, and writes `voice.json` into `out`.

    Each outcome is appended to `trials.jsonl` there. Trials that this file has are not repeated.

    Raises:
        StackError: `out` holds outcomes of another seed, other settings or another state of `speech_node`.
    """
    out.mkdir(parents=True, exist_ok=True)
    snrs_db, voices = tuple(snrs_db or SNRS_DB), tuple(voices or (*VOICES, *FURTHER_VOICES))
    planned = [trial for trial in trials(count=count, seed=seed, snrs_db=snrs_db, voices=voices) if trial.kind in kinds]
    file = out / OUTCOMES
    outcomes = {row.pop('key'): SpeechOutcome(**row) for row in kept_outcomes(file, _about(seed, kinds, transcriber))}
    # All rows grow at the same rate, so that half a measurement tells something about each of them.
    left = sorted((trial for trial in planned if trial.key not in outcomes), key=lambda trial: trial.number)
    told: set[str] = set()
    with file.open('a', encoding='utf-8') as opened:
        for trial, outcome in show.bar(_done(left, processes, transcriber), 'sentences', len(left)):
            opened.write(json.dumps({'key': trial.key} | asdict(outcome)) + '\n')
            opened.flush()
            outcomes[trial.key] = outcome
            _tell(planned, outcomes, told, show)
    _tell(planned, outcomes, told, show)
    rows = [as_json(row) for row in table(planned, outcomes)]
    (out / 'voice.json').write_text(json.dumps(rows, indent=2), encoding='utf-8')
    return rows


def as_json(row: Row) -> dict[str, Any]:
    """The row with its share, as values for JSON."""
    return asdict(row) | {'share': row.share}


def _tell(planned: Sequence[Trial], outcomes: dict[str, SpeechOutcome], told: set[str], show: Output) -> None:
    for name in dict.fromkeys(trial.row for trial in planned):
        of_row = [trial for trial in planned if trial.row == name]
        if name not in told and all(trial.key in outcomes for trial in of_row):
            told.add(name)
            show.line(table(of_row, outcomes)[0].text())


def _about(seed: int, kinds: Sequence[Kind], transcriber: str = '') -> dict[str, Any]:
    """The settings on which outcomes depend.

    Trials without stops do not depend on the stop spotter.
    """
    stops = {Kind.STOP, Kind.NO_STOP} & set(kinds)
    groups = hashlib.sha256(repr(GROUPS).encode()).hexdigest()[:16]
    return {'seed': seed, 'groups': groups} | all_settings(transcriber, () if stops else _SPOTTER)


def _done(left: Sequence[Trial], processes: int, transcriber: str) -> Iterator[tuple[Trial, SpeechOutcome]]:
    if processes == 1 or not left:
        ear = make_ear(transcriber) if left else None
        yield from ((trial, ear.run(trial)) for trial in left if ear is not None)
        return
    with ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context('spawn')) as pool:
        waiting = [pool.submit(_run, transcriber, trial) for trial in left]
        yield from (one.result() for one in as_completed(waiting))


def _run(transcriber: str, trial: Trial) -> tuple[Trial, SpeechOutcome]:
    return trial, _ear(transcriber).run(trial)


@functools.cache
def _ear(transcriber: str) -> Ear:
    """One ear for each process, since its model takes a second to load."""
    return make_ear(transcriber)
