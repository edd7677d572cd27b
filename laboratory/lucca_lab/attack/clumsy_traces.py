"""Attack on the judge: it must find no fault in a trace of a clumsy robot that hits, pushes and squeezes things."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from action_node.motion.planner import MotionPlanner
from lucca_lab.attack.attack import Attack, Broken, Counts, SeededRandom, Trial
from lucca_lab.judge.traces import load_trace
from lucca_lab.judge.verdict import law_faults
from lucca_lab.runs.clumsy import draw_clumsy_run, record_clumsy_run
from lucca_robot.profile import load_profile
from lucca_sim.scene import load_scene

_ENDS = 'rest'
"""The law of rest at the end. An object that was hit may still roll then, so its faults are ignored."""


@contextmanager
def _open(folder: Path) -> Iterator[Trial]:
    planner = MotionPlanner(load_profile())

    def trial(chance: SeededRandom) -> Counts:
        clumsy = draw_clumsy_run(chance, load_scene)
        trace = load_trace(record_clumsy_run(clumsy, planner, folder / 'run').trace)
        unfair = [fault for fault in law_faults(trace, clumsy.scene) if fault.law != _ENDS]
        if unfair:
            raise Broken(f'{clumsy.run}: {"; ".join(sorted({str(fault) for fault in unfair}))}')
        floor_m = clumsy.scene.table.height_m - 0.1
        return {
            'something was held': int(trace.attached.any()),
            'something fell off the table': int((trace.object_positions_m[-1, :, 2] < floor_m).any()),
        }

    yield trial


PART = Attack(
    name='clumsy-traces',
    promise='The judge blames no law on a trace in which a robot that sees badly hits, pushes and squeezes things.',
    open=_open,
    sample=1,
    count=100,
)
