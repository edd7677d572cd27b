"""Further ways to doctor a trace, written without sight of the laws, are found out by law and object."""

import random
from dataclasses import replace

import numpy as np
import pytest
from doctoring import there_and_back, with_joint

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


@pytest.mark.parametrize('name', FURTHER)
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


def test_turns_are_told_about_the_own_axes_of_an_object():
    quarter = np.array((np.cos(np.pi / 4), np.sin(np.pi / 4), 0.0, 0.0))
    orientations = np.array([[(1.0, 0.0, 0.0, 0.0)], [quarter], [-quarter]])
    assert relative_turns(orientations)[:, 0] == pytest.approx(np.array([(np.pi / 2, 0.0, 0.0), (0.0, 0.0, 0.0)]))
    assert relative_turns(orientations, orientations[0])[2, 0] == pytest.approx(np.array((np.pi / 2, 0.0, 0.0)))
