"""Laws of a record's subject: it shows the whole robot and the whole scene, and starts as the scene does."""

from collections.abc import Iterable

import numpy as np

from lucca_lab.judge.evidence import Evidence
from lucca_lab.judge.faults import Fault
from lucca_lab.judge.traces import CONTACTS_SINCE, PHYSICS, SimulationTrace
from lucca_lab.judge.turning import relative_turns
from lucca_robot.profile import RobotProfile

PLACE_SLACK_M = 0.005
START_M, START_RAD = 0.02, 0.2
"""How far an object may be from its pose in the scene when the record begins: it starts slightly above the table."""


def the_robot_is_recorded(trace: SimulationTrace, profile: RobotProfile) -> list[Fault]:
    """Checks that recorded joints and hands belong to the robot and occur once; with physics, that none is missing."""
    joints = tuple(joint.name for joint in profile.moving_joints)
    faults = _strange('joint', trace.joint_names, joints) + _strange('hand', trace.hand_names, profile.arms)
    if trace.has_physics:
        faults += [
            _fault('vanishing', name, 'belongs to the robot, and is not in the record')
            for name in (*joints, *profile.arms)
            if name not in (*trace.joint_names, *trace.hand_names)
        ]
    return faults


def the_engine_is_what_it_says(trace: SimulationTrace) -> list[Fault]:
    """Checks that a trace has contacts if its engine is the physics engine, and only then."""
    if trace.format < CONTACTS_SINCE or (trace.engine == PHYSICS) == (trace.contacts is not None):
        return []
    how = 'no contacts' if trace.contacts is None else 'contacts'
    return [_fault('contacts', 'the trace', f'has {how}, and says that its engine is {trace.engine!r}')]


def the_scene_is_as_it_should_be(evidence: Evidence) -> list[Fault]:
    """Checks that containers and regions are recorded as the scene has them, and that objects have the right labels."""
    trace, scene, faults = evidence.trace, evidence.scene, []
    for recorded, known in (
        (trace.container_positions_m, {item.name: item.position_world_m for item in scene.containers}),
        (trace.container_sizes_m, {item.name: item.size_m for item in scene.containers}),
        (trace.region_bounds_m, {item.name: (*item.area.x_m, *item.area.y_m) for item in scene.regions}),
    ):
        faults += [
            _fault('two places', name, 'is recorded elsewhere than the scene has it, or in another size')
            for name in dict.fromkeys((*recorded, *(known if recorded else ())))
            if name not in recorded
            or name not in known
            or len(recorded[name]) != len(known[name])
            or not np.allclose(recorded[name], known[name], atol=PLACE_SLACK_M)
        ]
    labels = {item.name: item.label for item in scene.objects}
    faults += [
        _fault('vanishing', name, f'is a {labels[name]}, and recorded as a {label}')
        for name, label in zip(trace.object_names, trace.object_labels, strict=False)
        if label != labels[name]
    ]
    return faults


def all_begins_where_the_scene_has_it(evidence: Evidence) -> list[Fault]:
    """Checks that no object has been moved yet when the record begins."""
    trace, faults = evidence.trace, []
    for column, name in enumerate(trace.object_names):
        item = evidence.scene.object_named(name)
        assert item is not None, 'traces with other objects are refused'
        x, y, z, w = item.pose.orientation_xyzw
        turns = np.array([[(w, x, y, z)], [trace.object_orientations_wxyz[0, column]]])
        way_m = float(np.linalg.norm(trace.object_positions_m[0, column] - item.pose.position_m))
        turn_rad = float(np.linalg.norm(relative_turns(turns)))
        if way_m > START_M or turn_rad > START_RAD:
            text = f'is {way_m * 100:.1f} cm and {turn_rad:.2f} rad from where the scene puts it'
            faults.append(Fault(law='start', object=name, time_s=float(trace.time_s[0]), text=text))
    return faults


def _strange(kind: str, recorded: tuple[str, ...], known: Iterable[str]) -> list[Fault]:
    there = set(known)
    faults = [_fault('vanishing', name, f'is no {kind} of this robot') for name in recorded if name not in there]
    twice = {name for name in recorded if recorded.count(name) > 1}
    return faults + [_fault('two places', name, 'stands in the record twice') for name in sorted(twice)]


def _fault(law: str, name: str, text: str) -> Fault:
    return Fault(law=law, object=name, time_s=None, text=text)
