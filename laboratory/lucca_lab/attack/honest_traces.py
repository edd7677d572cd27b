"""Attack on the judge: it must find no broken law in a trace of honest physics."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from action_node.motion.planner import MotionPlanner
from lucca_lab.attack.attack import Attack, Broken, Noted, SeededRandom, Trial
from lucca_lab.judge.traces import load_trace
from lucca_lab.judge.truth import load_truth
from lucca_lab.judge.verdict import judge_trace
from lucca_lab.runs.drawn import DrawnRun, Trouble, draw_run
from lucca_lab.runs.recorded import Recorded, record_run
from lucca_robot.profile import load_profile
from lucca_sim.scene import load_scene

OUTCOMES = frozenset({'place', 'pointing', 'bystander', 'order', 'repeats'})
"""Laws about the outcome of tasks. A disturbed run may break them."""


@contextmanager
def _open(folder: Path) -> Iterator[Trial]:
    planner = MotionPlanner(load_profile())

    def trial(chance: SeededRandom) -> Noted:
        run = draw_run(chance)
        recorded = record_run(run, planner, folder / 'run')
        return _judged(run, recorded)

    yield trial


def _judged(run: DrawnRun, recorded: Recorded) -> Noted:
    """Counts the outcome of a run. Raises `Broken` if a law is broken, or if a run without trouble has any fault."""
    truth = load_truth()
    judgements = judge_trace(
        load_trace(recorded.trace), load_scene(run.scene, run.seed), {task: truth[task] for task in run.tasks}
    )
    faults = [fault for judgement in judgements.values() for fault in judgement.faults]
    unfair = [fault for fault in faults if fault.law not in OUTCOMES]
    complete = all(judgement.complete for judgement in judgements.values())
    smooth = run.trouble in (Trouble.NONE, Trouble.INTERRUPTED) and not recorded.given_up
    if unfair or (smooth and faults):
        raise Broken(f'{run}: {"; ".join(sorted({str(fault) for fault in unfair or faults}))}')
    counts = Counter({str(run.trouble): 1, 'complete': complete, 'a motion was not found': bool(recorded.given_up)})
    return Noted(counts, '')


PART = Attack(
    name='honest-traces',
    promise='The judge blames no law on a trace that honest physics left, whatever interrupted, killed or dropped.',
    open=_open,
    sample=0,
    count=100,
)
