"""Attack on the judge: it must find every single change to an honest trace, by law and object."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from action_node.motion.planner import MotionPlanner
from lucca_lab.attack.attack import Attack, Broken, Counts, SeededRandom, Trial
from lucca_lab.judge.traces import SimulationTrace, load_trace
from lucca_lab.judge.truth import load_truth
from lucca_lab.judge.verdict import judge_trace
from lucca_lab.runs.doctor import Doctor, NothingToDoctorError
from lucca_lab.runs.doctored import KINDS, OF_POINTING
from lucca_lab.runs.doctored_further import FURTHER
from lucca_lab.runs.doctored_records import OF_RECORDS
from lucca_lab.runs.drawn import DrawnRun, draw_run, plain_run
from lucca_lab.runs.recorded import record_run
from lucca_robot.profile import load_profile
from lucca_sim.scene import Scene, load_scene

_OF_ANY_RUN = KINDS | FURTHER | OF_RECORDS
NAMES = (*_OF_ANY_RUN, *OF_POINTING)
PER_RUN = len(NAMES)
"""Number of trials in a row that doctor the same honest runs, each in another way."""


@dataclass(frozen=True)
class _Honest:
    run: DrawnRun
    trace: SimulationTrace
    scene: Scene
    starts_s: tuple[float, ...]


@contextmanager
def _open(folder: Path) -> Iterator[Trial]:
    planner = MotionPlanner(load_profile())
    known: dict[tuple[int, bool], _Honest] = {}

    def honest(number: int, *, pointing: bool) -> _Honest:
        if (number, pointing) not in known:
            for old in [key for key in known if key[0] != number]:
                del known[old]
            run = plain_run('pointing', 1000 + number) if pointing else draw_run(SeededRandom(number))
            recorded = record_run(run, planner, folder / 'run')
            trace, scene = load_trace(recorded.trace), load_scene(run.scene, run.seed)
            known[number, pointing] = _Honest(run, trace, scene, recorded.job_starts_s)
        return known[number, pointing]

    def trial(chance: SeededRandom) -> Counts:
        number, kind = divmod(chance.trial_seed, PER_RUN)
        name = NAMES[kind]
        base = honest(number, pointing=name in OF_POINTING)
        doctor = Doctor(base.trace, base.scene, planner.profile, chance)
        try:
            if name in OF_POINTING:
                doctored = OF_POINTING[name](doctor, base.starts_s, [target for target, _ in base.run.jobs])
            else:
                doctored = _OF_ANY_RUN[name](doctor)
        except NothingToDoctorError:
            return {'nothing to doctor': 1}
        found = _found(doctored.trace, base)
        if not doctored.is_among(found):
            told = ', '.join(f'{law} of {item}' for law, item in sorted(found)) or 'nothing'
            raise Broken(f'{name}: {doctored.object} {doctored.how} in a run of {base.run}: {told} was found')
        return {doctored.law: 1}

    yield trial


def _found(trace: SimulationTrace, base: _Honest) -> set[tuple[str, str]]:
    """Laws and objects of all faults. Whether the task was complete does not matter, since the run may have failed."""
    truth = load_truth()
    judgements = judge_trace(trace, base.scene, {task: truth[task] for task in base.run.tasks})
    return {(fault.law, fault.object) for judgement in judgements.values() for fault in judgement.faults}


PART = Attack(
    name='doctored-traces',
    promise='Whatever is changed in an honest trace so that a law is broken, the judge names the law and the object.',
    open=_open,
    sample=3,
    count=20 * PER_RUN,
)
