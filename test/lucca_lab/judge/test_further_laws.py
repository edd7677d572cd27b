"""Further ways to doctor a trace, written without sight of the laws, are found out by law and object."""

import random
from dataclasses import replace

import numpy as np
import pytest
from doctoring import first_hold, there_and_back, with_joint
from honest import record
from scipy.spatial.transform import Rotation

from lucca_core.errors import LuccaError
from lucca_lab.judge.traces import load_trace
from lucca_lab.judge.turning import relative_turns
from lucca_lab.judge.verdict import law_faults
from lucca_lab.runs.doctor import Doctor, Doctored, NothingToDoctorError
from lucca_lab.runs.doctored_further import FURTHER
from lucca_robot.profile import load_profile
from lucca_sim.scene import load_scene

pytestmark = pytest.mark.physics

OF_CUBES = ('stands on an edge', 'hangs over', 'is inside another')
"""Changes of boxes that nobody touches."""


def doctored(trace, scene, name: str) -> Doctored:
    for seed in range(20):
        try:
            return FURTHER[name](Doctor(trace, scene, load_profile(), random.Random(seed)))
        except NothingToDoctorError:
            continue
    raise AssertionError(f'{name} finds nothing to doctor')


# `make soak` has all.
@pytest.mark.parametrize(
    'name', [pytest.param(name, marks=pytest.mark.slow if at % 2 else ()) for at, name in enumerate(FURTHER)]
)
def test_what_was_changed_is_found_out(recorded, name):
    task, scene = ('tower', 'tower') if name in OF_CUBES else ('short', 'sorting')
    changed = doctored(recorded(task), load_scene(scene, 3), name)
    faults = law_faults(changed.trace, load_scene(scene, 3))
    assert changed.is_among({(fault.law, fault.object) for fault in faults}), (changed.how, list(map(str, faults)))


def test_an_arm_that_goes_through_the_table_is_found_out(recorded):
    trace = recorded('short')
    rows = np.arange(0, 150)
    here = trace.joint_positions_rad[rows, trace.joint_names.index('r_joint4')]
    lowered = with_joint(trace, 'r_joint4', rows, here + there_and_back(rows, (-1.0, 0.0, 0.0))[:, 0])
    faults = law_faults(lowered, load_scene('sorting', 3))
    assert any(fault.law == 'solids' and fault.object.startswith('r_') for fault in faults), list(map(str, faults))


def test_a_hand_that_is_said_to_be_closed_and_is_not_is_found_out(recorded):
    trace = recorded('short')
    measured = trace.hand_measured.copy()
    measured[100:110, 0] = 1.0
    faults = law_faults(replace(trace, hand_measured=measured), load_scene('sorting', 3))
    assert ('joints', trace.hand_names[0]) in {(fault.law, fault.object) for fault in faults}


def rolled_on(trace, name, angles_of):
    """The trace in which an object turns on about the vertical after its hold, by `angles_of` the seconds since it
    came to rest."""
    column = trace.index_of(name)
    begin = first_hold(trace, name)[-1] + 25
    speeds = np.linalg.norm(np.diff(trace.object_positions_m[begin:, column], axis=0), axis=1) / 0.02
    begin += int(np.argmax(np.convolve(speeds < 0.01, np.ones(10), 'valid') == 10))
    angles = angles_of(trace.time_s[begin:] - trace.time_s[begin])
    orientations, velocities = trace.object_orientations_wxyz.copy(), trace.object_velocities.copy()
    here = Rotation.from_quat(orientations[begin:, column], scalar_first=True)
    turned = Rotation.from_rotvec(np.outer(angles, (0.0, 0.0, 1.0))) * here
    orientations[begin:, column] = turned.as_quat(scalar_first=True)
    velocities[begin:, column, 3:] += turned.inv().apply(np.outer(np.gradient(angles, 0.02), (0.0, 0.0, 1.0)))
    return replace(trace, object_orientations_wxyz=orientations, object_velocities=velocities)


def test_what_was_put_down_may_roll_on_slowly_until_it_lies(recorded):
    trace = rolled_on(recorded('short'), 'apple', lambda time_s: 0.3 * (1.0 - np.exp(-time_s / 0.7)))
    assert law_faults(trace, load_scene('sorting', 3)) == []


def test_what_was_put_down_and_turns_on_and_on_is_found_out(recorded):
    trace = rolled_on(recorded('short'), 'apple', lambda time_s: 0.1 * time_s)
    faults = law_faults(trace, load_scene('sorting', 3))
    assert {(fault.law, fault.object) for fault in faults} == {('unheld motion', 'apple')}


def test_turns_are_told_about_the_own_axes_of_an_object():
    quarter = np.array((np.cos(np.pi / 4), np.sin(np.pi / 4), 0.0, 0.0))
    orientations = np.array([[(1.0, 0.0, 0.0, 0.0)], [quarter], [-quarter]])
    assert relative_turns(orientations)[:, 0] == pytest.approx(np.array([(np.pi / 2, 0.0, 0.0), (0.0, 0.0, 0.0)]))
    assert relative_turns(orientations, orientations[0])[2, 0] == pytest.approx(np.array((np.pi / 2, 0.0, 0.0)))


def test_what_is_carried_without_a_weld_is_found_out(recorded):
    trace = recorded('short')
    held = trace.held_by.copy()
    held[:, trace.index_of('apple')] = ''
    faults = law_faults(replace(trace, held_by=held), load_scene('sorting', 3))
    assert ('unheld motion', 'apple') in {(fault.law, fault.object) for fault in faults}


@pytest.mark.parametrize('changed', [{'forces_n': -3.0}, {'forces_n': np.nan}, {'depths_m': 0.2}, {'normals': 0.0}])
def test_a_contact_that_cannot_be_is_found_out(recorded, changed):
    trace = recorded('short')
    (name, value), track = next(iter(changed.items())), trace.contacts
    values = getattr(track, name).copy()
    row = int(np.flatnonzero((track.bodies == track.body_names.index('apple')).any(axis=1))[0])
    values[row] = value
    faults = law_faults(replace(trace, contacts=replace(track, **{name: values})), load_scene('sorting', 3))
    assert ('contacts', 'apple') in {(fault.law, fault.object) for fault in faults}


def test_a_container_that_is_recorded_elsewhere_is_found_out(recorded):
    trace = recorded('short')
    assert set(trace.container_positions_m) == {'box 1', 'box 2'}
    places = {**trace.container_positions_m, 'box 2': (0.5, 0.0, 0.8)}
    faults = law_faults(replace(trace, container_positions_m=places), load_scene('sorting', 3))
    assert {(fault.law, fault.object) for fault in faults} == {('two places', 'box 2')}


def test_contacts_of_rows_or_bodies_that_are_not_there_are_no_trace(tmp_path):
    file = record('sorting', 3, tmp_path / 'run', (('apple', 'box 1'),))
    with np.load(file) as data:
        values = dict(data)
    for name, text in (('contact_rows', 'contact_rows has'), ('contact_bodies', 'contact_bodies has')):
        wrong = values[name].copy()
        wrong[0] = 30_000
        np.savez(tmp_path / 'wrong.npz', **{**values, name: wrong})
        with pytest.raises(LuccaError, match=text):
            load_trace(tmp_path / 'wrong.npz')
    np.savez(tmp_path / 'short.npz', **{**values, 'contact_forces_n': values['contact_forces_n'][:-1]})
    with pytest.raises(LuccaError, match='contact_forces_n has the shape'):
        load_trace(tmp_path / 'short.npz')
