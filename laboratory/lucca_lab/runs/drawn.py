"""Drawn runs: the tasks, their table and order, and what goes wrong meanwhile."""

import random
from dataclasses import dataclass
from enum import StrEnum

from lucca_core.protocol.snapshots import USERS_SIDE
from lucca_lab.runs.carried_out import POINT

Job = tuple[str, str]
"""An object, and the place to which it is to be brought."""

JOBS: dict[str, tuple[tuple[Job, ...], ...]] = {
    'sorting': (
        tuple({'apple': 'box 1', 'banana': 'box 1', 'pear': 'box 1', 'cup': 'box 2', 'bowl': 'box 2'}.items()),
    ),
    'tower': (tuple((f'{colour} cube', 'tower') for colour in ('red', 'green', 'blue', 'yellow')),),
    'arrangement': (tuple((fruit, 'bowl') for fruit in ('apple', 'banana', 'lemon', 'orange', 'pear')),),
    'recipe': (tuple((item, USERS_SIDE) for item in ('bowl', 'jello', 'banana')),),
    'pointing': ((('banana', POINT), ('lemon', POINT)), (('apple', POINT), ('can', POINT))),
}
"""The jobs of each task, by the name of its scene. They are in groups; a group begins only after the one before it."""


class Trouble(StrEnum):
    """A disturbance in the middle of a run."""

    NONE = 'none'
    INTERRUPTED = 'interrupted'
    KILLED = 'killed'
    DROPPED = 'dropped'


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnRun:
    """One run.

    `at_job` is the number of the job in which the trouble comes, after the share `after` of its plan; `taken_away` are
    objects that somebody takes off the table at the beginning.
    """

    scene: str
    seed: int
    tasks: tuple[str, ...]
    jobs: tuple[Job, ...]
    trouble: Trouble = Trouble.NONE
    at_job: int = 0
    after: float = 0.0
    taken_away: tuple[str, ...] = ()

    def __str__(self) -> str:
        where = (
            '' if self.trouble in (Trouble.NONE, Trouble.INTERRUPTED) else f' in job {self.at_job} at {self.after:.2f}'
        )
        return f'{self.scene} {self.seed}, {self.trouble}{where}'


def plain_run(task: str, seed: int) -> DrawnRun:
    """A whole task in the order of `JOBS`, without trouble."""
    return DrawnRun(scene=task, seed=seed, tasks=(task,), jobs=tuple(job for group in JOBS[task] for job in group))


def draw_run(chance: random.Random) -> DrawnRun:
    """A task in random order on a table with a random seed, a fifth of the time without trouble."""
    trouble = chance.choice((Trouble.NONE, Trouble.INTERRUPTED, Trouble.KILLED, Trouble.KILLED, Trouble.DROPPED))
    seed = chance.randrange(1000, 2**31)
    if trouble is Trouble.INTERRUPTED:
        return _interrupted(chance, seed)
    scene = chance.choice([name for name in JOBS if trouble is not Trouble.DROPPED or name != 'pointing'])
    jobs = tuple(job for group in JOBS[scene] for job in chance.sample(group, len(group)))
    low, high = (0.45, 0.7) if trouble is Trouble.DROPPED else (0.05, 0.95)
    return DrawnRun(
        scene=scene,
        seed=seed,
        tasks=(scene,),
        jobs=jobs,
        trouble=trouble,
        at_job=chance.randrange(len(jobs)),
        after=chance.uniform(low, high),
    )


def _interrupted(chance: random.Random, seed: int) -> DrawnRun:
    """Sorting on the table of the demo, interrupted by the task to build a tower."""
    (sorting,), (tower,) = JOBS['sorting'], JOBS['tower']
    jobs = chance.sample(sorting, len(sorting))
    half = chance.randrange(1, len(jobs))
    return DrawnRun(
        scene='sorting_tower',
        seed=seed,
        tasks=('sorting', 'tower'),
        jobs=(*jobs[:half], *chance.sample(tower, len(tower)), *jobs[half:]),
        trouble=Trouble.INTERRUPTED,
    )
