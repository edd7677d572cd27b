"""Kills, cancels and the demo over its seeds in physics, and kills of memory, for hours: `make soak`.

Figures go to out/soak/.

SOAK_KILLS, SOAK_CANCELS, SOAK_SEEDS, SOAK_MEMORY_KILLS (how many) and SOAK_FIRST_SEED choose a part.
"""

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kill_judge import KillTally, once_only_faults
from memory_kills import KillCounts, kill_often
from rig import (
    Cancels,
    Kills,
    Rig,
    Steps,
    cancel_once,
    do_with_kills,
    pause,
    physical_faults,
    running,
)

from lucca_core.protocol.goals import GoalRequest

pytestmark = [pytest.mark.ros, pytest.mark.slow]

VICTIMS = ('coordinator', 'worker', 'action')
TABLES = (('sorting_tower', ('sorting', 'tower')), ('arrangement', ('arrangement',)), ('pointing', ('pointing',)))
KILLS_PER_TASK = 3
CANCELS_PER_TABLE = 25
KILLS_PER_FOLDER = 50
OUT = Path('out/soak')


def write_report(name: str, figures: dict[str, Any], started_s: float) -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    figures = {**figures, 'wall_s': round(time.monotonic() - started_s, 1)}
    (OUT / f'{name}.json').write_text(json.dumps(figures, indent=2), encoding='utf-8')


def kill_on_one_table(
    folder: Path, scene: str, tasks: tuple[str, ...], number: int, seed: int, tally: KillTally
) -> list[tuple[str, str]]:
    """Does the tasks of a table with up to `number` kills; returns who was killed in which action."""
    chance, kills, where = random.Random(seed), Kills(), f'{scene} {seed}: '
    with running(folder, scene, seed=seed, engine='physics') as rig:
        for task in tasks:
            planned = min(KILLS_PER_TASK, number - len(kills.killed))
            victims = [chance.choice(VICTIMS) for _ in range(planned)]
            report = do_with_kills(rig, task, victims, chance, kills)
            tally.add_log(rig.entries(task), task, where)
            if report.repeated:
                tally.faults.append(f'{where}{task} counts {report.repeated} repeats')
    tally.add_judged(physical_faults(rig, tasks), tasks, where)
    return kills.killed


def test_tasks_survive_kills_in_physics(
    tmp_path: Path, soak_size: Callable[[str, int], int], capsys: pytest.CaptureFixture[str]
) -> None:
    started_s, wanted = time.monotonic(), soak_size('KILLS', 50)
    killed: list[tuple[str, str]] = []
    tally = KillTally()
    seed = 0
    while len(killed) < wanted and seed < wanted:
        scene, tasks = TABLES[seed % len(TABLES)]
        killed += kill_on_one_table(tmp_path / str(seed), scene, tasks, wanted - len(killed), seed, tally)
        seed += 1
        write_report('kills', {'kills': len(killed), 'tables': seed, **tally.figures(), 'killed': killed}, started_s)
    with capsys.disabled():
        sys.stdout.write(f'{len(killed)} kills on {seed} tables: {tally.sentence()}\n')
    assert len(killed) >= wanted
    assert tally.faults == []


def instant_of(number: int, chance: random.Random) -> Callable[[Steps], None]:
    """By turns: within the first 200 ms, while the model is asked, and in an action."""

    def instant(steps: Steps) -> None:
        if number % 3 == 0:
            pause(chance.uniform(0.0, 0.2))
        elif number % 3 == 1:
            steps.until(lambda step: step.phase == 'thinking')
            pause(chance.uniform(0.0, 0.3))
        else:
            steps.until(lambda step: step.phase == 'acting')
            pause(chance.uniform(0.0, 15.0))

    return instant


def finish(rig: Rig, task: str) -> str:
    report = rig.do(GoalRequest(task=task), 600.0)
    faults = once_only_faults(rig.entries(task), task)
    return '' if report.finished and not faults else f'{task}: {report.status} {report.reason} {faults}'


def test_cancels_are_honoured_in_physics(tmp_path: Path, soak_size: Callable[[str, int], int]) -> None:
    started_s, wanted = time.monotonic(), soak_size('CANCELS', 200)
    chance, counts, faults = random.Random(7), Cancels(), []
    seed = 0
    while counts.statuses['cancelled'] < wanted:
        scene, task = (('sorting', 'sorting'), ('tower', 'tower'), ('arrangement', 'arrangement'))[seed % 3]
        with running(tmp_path / str(seed), scene, seed=seed, engine='physics') as rig:
            for number in range(min(CANCELS_PER_TABLE, wanted - counts.statuses['cancelled'])):
                report = cancel_once(rig, GoalRequest(task=task), instant_of(number, chance), counts)
                if report.finished:
                    # It was done before the cancel came; on this table nothing is left to interrupt.
                    break
            faults += [fault] if (fault := finish(rig, task)) else []
        faults += physical_faults(rig, (task,))
        seed += 1
        figures = {'ended': dict(counts.statuses), 'tables': seed, 'slowest_s': round(counts.slowest_s, 2)}
        write_report('cancels', {**figures, 'faults': faults}, started_s)
        assert seed <= wanted, 'every task is done before it can be cancelled'
    assert faults == []


def test_demo_completes_on_every_seed(tmp_path: Path, soak_size: Callable[[str, int], int]) -> None:
    started_s, count, first = time.monotonic(), soak_size('SEEDS', 20), soak_size('FIRST_SEED', 1)
    seeds: dict[int, dict[str, Any]] = {}
    for seed in range(first, first + count):
        out = tmp_path / f'seed-{seed}'
        begun_s = time.monotonic()
        run = subprocess.run(
            [Path(sys.executable).with_name('lucca'), 'demo', '--seed', str(seed), '--out', str(out), '--no-video'],
            capture_output=True,
            text=True,
            check=False,
        )
        seeds[seed] = {'code': run.returncode, 'wall_s': round(time.monotonic() - begun_s, 1)}
        if run.returncode:
            seeds[seed]['said'] = (run.stdout + run.stderr)[-2000:]
        write_report(
            'seeds', {'complete': sum(item['code'] == 0 for item in seeds.values()), 'seeds': seeds}, started_s
        )
    assert {seed: item for seed, item in seeds.items() if item['code']} == {}


@pytest.mark.timeout(14400)
def test_memory_survives_kills_of_turns_summaries_and_indexes(
    tmp_path: Path, soak_size: Callable[[str, int], int]
) -> None:
    started_s, wanted = time.monotonic(), soak_size('MEMORY_KILLS', 200)
    counts = KillCounts()
    for seed in range(wanted // KILLS_PER_FOLDER + bool(wanted % KILLS_PER_FOLDER)):
        number = min(KILLS_PER_FOLDER, wanted - counts.kills)
        counts += kill_often(tmp_path / str(seed), number, seed)
        write_report('memory_kills', counts.figures(), started_s)
    assert (counts.kills, counts.lost, counts.faults) == (wanted, [], [])
