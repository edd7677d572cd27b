"""The verdict on a trace: the outcome of its tasks, and whether honest physics produced it."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lucca_core.errors import LuccaError
from lucca_lab.judge.balance import what_rests_is_in_balance
from lucca_lab.judge.contacts import contacts_agree_with_places, contacts_are_possible, contacts_carry_what_lies
from lucca_lab.judge.events import pointed, transports
from lucca_lab.judge.evidence import Evidence
from lucca_lab.judge.faults import Fault
from lucca_lab.judge.grasps import (
    holds_have_recorded_contacts,
    welds_end_when_the_hand_opens,
    welds_need_a_pinch,
    what_is_held_goes_with_the_hand,
)
from lucca_lab.judge.motion import (
    all_is_at_rest_in_the_end,
    nothing_gains_energy_by_itself,
    nothing_is_carried_unheld,
    nothing_is_too_fast,
    nothing_moves_untouched,
    what_nothing_holds_falls,
    what_rests_is_supported,
)
from lucca_lab.judge.places import final_places, moved_m
from lucca_lab.judge.record import (
    arms_have_inertia,
    hands_agree_with_their_joints,
    hands_do_what_they_are_asked,
    joints_keep_their_limits,
    nothing_appears_or_vanishes,
    orientations_follow_velocities,
    positions_follow_velocities,
    time_runs_on,
)
from lucca_lab.judge.scene_match import (
    all_begins_where_the_scene_has_it,
    the_engine_is_what_it_says,
    the_robot_is_recorded,
    the_scene_is_as_it_should_be,
)
from lucca_lab.judge.solids import nothing_is_inside_another, the_robot_is_in_nothing
from lucca_lab.judge.traces import SimulationTrace, load_trace
from lucca_lab.judge.truth import ExpectedOutcome, load_truth
from lucca_lab.judge.turning import nothing_turns_untouched
from lucca_robot.profile import RobotProfile, load_profile
from lucca_robot.profile_name import is_profile_name
from lucca_sim.scene import Scene, load_scene

Law = Callable[[Evidence], list[Fault]]

LEAST_ROWS = 60
UNMOVED_M = 0.05
"""How far an object that no task names may be moved by accident."""

OF_EVERY_ENGINE: tuple[Law, ...] = (
    positions_follow_velocities,
    all_is_at_rest_in_the_end,
    all_begins_where_the_scene_has_it,
    the_scene_is_as_it_should_be,
)
OF_PHYSICS: tuple[Law, ...] = (
    orientations_follow_velocities,
    nothing_moves_untouched,
    nothing_turns_untouched,
    nothing_is_carried_unheld,
    nothing_gains_energy_by_itself,
    what_nothing_holds_falls,
    what_rests_is_supported,
    what_rests_is_in_balance,
    nothing_is_too_fast,
    nothing_is_inside_another,
    the_robot_is_in_nothing,
    welds_need_a_pinch,
    welds_end_when_the_hand_opens,
    what_is_held_goes_with_the_hand,
    holds_have_recorded_contacts,
    contacts_agree_with_places,
    contacts_are_possible,
    contacts_carry_what_lies,
    hands_agree_with_their_joints,
    hands_do_what_they_are_asked,
    joints_keep_their_limits,
    arms_have_inertia,
)


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """The judgement on one task.

    Attributes:
        complete: everything that the task names is where it belongs, or was pointed at, and nothing else was moved.
        physical: no law is broken; None if the trace cannot tell (no dynamics, or no contacts recorded).
        repeated: how many actions were done again: put into the same place again, pointed at again.
        order: no action came before one that had to precede it.
        faults: all that is wrong, including faults of the whole table.
    """

    complete: bool
    physical: bool | None
    repeated: int
    order: bool
    faults: tuple[Fault, ...]

    def as_json(self) -> dict[str, Any]:
        """All attributes, in types that JSON can hold."""
        return {
            'complete': self.complete,
            'physical': self.physical,
            'repeated': self.repeated,
            'order': self.order,
            'faults': [fault.as_json() for fault in self.faults],
        }


def judge_table(
    trace_file: Path, scene_name: str, seed: int, tasks: Sequence[str], *, robot: str = ''
) -> dict[str, Judgement]:
    """A judgement for each task done on one table. Faults of the whole table count against each of its tasks.

    `robot`: profile of the robot, a name or a file; empty for the one that the trace names.

    Raises:
        LuccaError: the trace, the scene or the robot's profile cannot be read, or they do not belong together.
        ValueError: no truth is known for a task.
    """
    truth = load_truth()
    if unknown := [task for task in tasks if task not in truth]:
        raise ValueError(f'no truth is known for {", ".join(unknown)}; there is one for {", ".join(truth)}')
    trace, scene = load_trace(trace_file), load_scene(scene_name, seed)
    if trace.scene not in ('', scene.name) or trace.seed not in (None, scene.seed):
        raise LuccaError(
            f'{trace_file} is a trace of the scene {trace.scene} with seed {trace.seed}, not of {scene.name} with seed '
            f'{scene.seed}'
        )
    if strange := set(trace.object_names) - set(scene.object_names):
        raise LuccaError(
            f'{trace_file} is no trace of the scene {scene_name}: it has {", ".join(sorted(strange))}, and the scene '
            f'{", ".join(scene.object_names)}'
        )
    return judge_trace(trace, scene, {task: truth[task] for task in tasks}, robot=robot)


def judge_trace(
    trace: SimulationTrace, scene: Scene, tasks: dict[str, ExpectedOutcome], *, robot: str = ''
) -> dict[str, Judgement]:
    """The same as `judge_table`, from a trace and a scene that have been read, with tasks by name.

    Raises:
        LuccaError: the robot's profile cannot be read, or the trace alone names it, by a file.
    """
    evidence, laws = _evidence_and_laws(trace, scene, robot)
    physical = not laws if trace.has_physics else None
    twice = len(set(trace.object_names)) < len(trace.object_names)
    if evidence is None or twice or _cannot_be_followed(laws):
        return {
            task: Judgement(complete=False, physical=physical, repeated=0, order=False, faults=tuple(laws))
            for task in tasks
        }
    bystanders = _bystander_faults(evidence, tasks)
    return {task: _judge(evidence, truth, [*laws, *bystanders], physical) for task, truth in tasks.items()}


def law_faults(trace: SimulationTrace, scene: Scene, *, robot: str = '') -> list[Fault]:
    """Every law that the trace breaks. Without physics, only laws that hold for any engine are checked.

    Raises:
        LuccaError: as `judge_trace`.
    """
    return _evidence_and_laws(trace, scene, robot)[1]


def _evidence_and_laws(trace: SimulationTrace, scene: Scene, robot: str) -> tuple[Evidence | None, list[Fault]]:
    """The evidence in a trace, None if the record cannot be placed in the scene; and all faults of law."""
    if len(trace.time_s) < LEAST_ROWS:
        return None, [_too_short(trace)]
    profile = _profile(trace, robot)
    unusable = [*the_engine_is_what_it_says(trace), *the_robot_is_recorded(trace, profile)]
    if unusable:
        return None, unusable
    evidence = Evidence(trace, scene, profile)
    return evidence, _broken_laws(evidence)


def _profile(trace: SimulationTrace, robot: str) -> RobotProfile:
    if not (robot or is_profile_name(trace.robot)):
        # A trace may come from anybody, and does not choose a file that is read here.
        raise LuccaError(
            f'the robot of the trace, {trace.robot[:200]!r}, is no name of a profile but a file; name it with --robot'
        )
    return load_profile(robot or trace.robot)


def _too_short(trace: SimulationTrace) -> Fault:
    return Fault(law='time', object='the trace', time_s=None, text=f'has {len(trace.time_s)} samples')


def _broken_laws(evidence: Evidence) -> list[Fault]:
    unusable = [*time_runs_on(evidence), *nothing_appears_or_vanishes(evidence)]
    if unusable:
        return unusable
    laws = OF_EVERY_ENGINE + (OF_PHYSICS if evidence.trace.has_physics else ())
    return [fault for law in laws for fault in law(evidence)]


def _cannot_be_followed(faults: Sequence[Fault]) -> bool:
    return any(fault.law in ('time', 'vanishing') for fault in faults)


def _bystander_faults(evidence: Evidence, tasks: dict[str, ExpectedOutcome]) -> list[Fault]:
    named = {item for truth in tasks.values() for items in truth.places.values() for item in items}
    return [
        Fault(
            law='bystander', object=name, time_s=None, text=f'was moved by {way * 100:.1f} cm though no task names it'
        )
        for name, way in moved_m(evidence.trace).items()
        if name not in named and way > UNMOVED_M
    ]


def _judge(evidence: Evidence, truth: ExpectedOutcome, shared: list[Fault], physical: bool | None) -> Judgement:
    done, faults = (_carried if truth.places else _pointed)(evidence, truth)
    first = tuple(dict.fromkeys(done))
    for action in truth.too_early(first):
        text = f'came too early, in {", ".join(first)}'
        faults.append(Fault(law='order', object=_object_of(action), time_s=None, text=text))
    for action, times in Counter(done).items():
        if times > 1:
            text = f'was the object of {action} {times} times'
            faults.append(Fault(law='repeats', object=_object_of(action), time_s=None, text=text))
    wrong = {fault.law for fault in [*shared, *faults]}
    complete = not wrong & {'place', 'pointing', 'bystander', 'time', 'vanishing'}
    return Judgement(
        complete=complete,
        physical=physical,
        repeated=len(done) - len(first),
        order=truth.in_order(first),
        faults=(*shared, *faults),
    )


def _carried(evidence: Evidence, truth: ExpectedOutcome) -> tuple[tuple[str, ...], list[Fault]]:
    places = final_places(evidence.trace, evidence.scene)
    faults = [
        Fault(law='place', object=item, time_s=None, text=f'is in {places.get(item, "no place")}, not in {place}')
        for place, items in truth.places.items()
        for item in sorted(items)
        if places.get(item) != place
    ]
    arrivals = tuple(
        f'<{action}({item.object})>'
        for item in transports(evidence)
        for action in _actions_on(truth, item.object)
        if item.object in truth.places.get(item.place, ())
    )
    return arrivals, faults


def _object_of(action: str) -> str:
    return action[1:-1].partition('(')[2][:-1]


def _actions_on(truth: ExpectedOutcome, name: str) -> list[str]:
    return [action[1:].partition('(')[0] for action in truth.actions if action.endswith(f'({name})>')]


def _pointed(evidence: Evidence, truth: ExpectedOutcome) -> tuple[tuple[str, ...], list[Fault]]:
    seen = tuple(f'<point({name})>' for name in pointed(evidence))
    wanted = truth.actions

    def fault(action: str, text: str) -> Fault:
        return Fault(law='pointing', object=_object_of(action), time_s=None, text=text)

    faults = [fault(action, 'was not pointed at') for action in wanted if action not in seen]
    faults += [
        fault(action, 'was pointed at, but not asked for') for action in dict.fromkeys(seen) if action not in wanted
    ]
    return seen, faults
