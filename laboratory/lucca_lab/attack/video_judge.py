"""Attack on both judges: the judge of the trace and the judge of the camera's video must agree."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from action_node.motion.planner import MotionPlanner
from lucca_lab.attack.attack import Attack, Broken, Noted, SeededRandom, Trial
from lucca_lab.judge.traces import load_trace
from lucca_lab.judge.truth import load_truth
from lucca_lab.judge.verdict import judge_trace
from lucca_lab.judge.video_judge import judge_video
from lucca_lab.runs.camera_video import VIDEO_FILE
from lucca_lab.runs.drawn import DrawnRun, Job, plain_run
from lucca_lab.runs.recorded import record_run
from lucca_robot.profile import load_profile
from lucca_sim.scene import load_scene

TASKS = ('sorting', 'arrangement', 'recipe')
SPOILED = ('removed', 'swapped', 'left')
"""A wanted object is taken off the table; two objects go to each other's place; an object is left where it was."""

_INSTEAD = {'arrangement': 'can', 'recipe': 'apple'}
"""The object that is brought in place of a wanted one, in tasks with only one place."""


def draw_spoiled(chance: SeededRandom) -> tuple[DrawnRun, str]:
    """A task on a random table, and how it is spoiled: '' in half of the cases."""
    run = plain_run(chance.choice(TASKS), chance.randrange(1000, 2**31))
    jobs = tuple(chance.sample(run.jobs, len(run.jobs)))
    if chance.random() < 0.5:
        return replace(run, jobs=jobs), ''
    how = chance.choice(SPOILED)
    victim = chance.choice(jobs)
    left = tuple(job for job in jobs if job != victim)
    if how == 'removed':
        return replace(run, jobs=left, taken_away=(victim[0],)), how
    if how == 'left':
        return replace(run, jobs=left), how
    return replace(run, jobs=_swapped(chance, run.scene, jobs, victim)), how


def _swapped(chance: SeededRandom, scene: str, jobs: tuple[Job, ...], victim: Job) -> tuple[Job, ...]:
    if scene in _INSTEAD:
        return tuple((_INSTEAD[scene], victim[1]) if job == victim else job for job in jobs)
    other = chance.choice([job for job in jobs if job[1] != victim[1]])
    trade = {victim: (victim[0], other[1]), other: (other[0], victim[1])}
    return tuple(trade.get(job, job) for job in jobs)


@contextmanager
def _open(folder: Path) -> Iterator[Trial]:
    profile = load_profile()
    planner = MotionPlanner(profile)

    def trial(chance: SeededRandom) -> Noted:
        run, how = draw_spoiled(chance)
        recorded = record_run(run, planner, folder / 'run', video=True)
        scene, truth = load_scene(run.scene, run.seed), load_truth()[run.scene]
        traced = judge_trace(load_trace(recorded.trace), scene, {run.scene: truth})[run.scene]
        shown, seen = judge_video(folder / 'run' / VIDEO_FILE, scene, profile, truth)
        told = f'{run.scene} {run.seed}, {how or "as asked"}'
        if traced.complete != shown:
            places = ', '.join(f'{name}: {item.place} ({item.pixels} px)' for name, item in seen.items())
            faults = '; '.join(map(str, traced.faults)) or 'nothing is wrong'
            raise Broken(f'{told}: complete={traced.complete} by the trace ({faults}), {shown} by the video ({places})')
        return Noted({'spoiled': int(bool(how)), 'both complete': int(shown), 'both not complete': int(not shown)}, '')

    yield trial


PART = Attack(
    name='video-judge',
    promise='The judge of the plain video agrees with the judge of the trace on whether a task is complete.',
    open=_open,
    sample=0,
    count=100,
)
