"""Drawn runs: equal seeds give equal runs, every trouble comes, and what has an order keeps it."""

import random
from collections import Counter

from lucca_lab.attack.attack import SeededRandom
from lucca_lab.attack.video_judge import draw_spoiled
from lucca_lab.runs.drawn import JOBS, Trouble, draw_run, plain_run


def test_equal_seeds_give_equal_runs_and_all_troubles_come():
    runs = [draw_run(random.Random(seed)) for seed in range(200)]
    assert runs == [draw_run(random.Random(seed)) for seed in range(200)]
    assert set(Counter(run.trouble for run in runs)) == set(Trouble)
    assert {run.scene for run in runs} == {*JOBS, 'sorting_tower'}


def test_a_run_does_all_that_its_tasks_ask_for_and_later_groups_after_earlier_ones():
    for seed in range(100):
        run = draw_run(random.Random(seed))
        asked = [job for task in run.tasks for group in JOBS[task] for job in group]
        assert sorted(run.jobs) == sorted(asked)
        if run.scene == 'pointing':
            assert {name for name, _ in run.jobs[:2]} == {'banana', 'lemon'}


def test_the_trouble_comes_in_one_of_the_jobs():
    for seed in range(100):
        run = draw_run(random.Random(seed))
        assert 0 <= run.at_job < len(run.jobs)
        assert 0.0 <= run.after < 1.0


def test_a_spoiled_run_lacks_something_or_brings_something_elsewhere():
    hows = Counter()
    for seed in range(200):
        run, how = draw_spoiled(SeededRandom(seed))
        asked = sorted(plain_run(run.scene, run.seed).jobs)
        assert (sorted(run.jobs) == asked) is (how == '')
        assert bool(run.taken_away) is (how == 'removed')
        hows[how] += 1
    assert set(hows) == {'', 'removed', 'swapped', 'left'}
    assert 60 < hows[''] < 140
