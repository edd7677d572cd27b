"""Doctored records of forces, contacts, hands, the clock and the beginning are found out by law and object."""

import random
from dataclasses import replace

import numpy as np
import pytest
from honest import record

from lucca_core.errors import LuccaError
from lucca_lab.judge.traces import SimulationTrace, load_trace
from lucca_lab.judge.verdict import judge_table, law_faults
from lucca_lab.runs.carried_out import Carrier
from lucca_lab.runs.doctor import Doctor, Doctored, NothingToDoctorError
from lucca_lab.runs.doctored_records import OF_RECORDS
from lucca_robot.profile import load_profile
from lucca_sim.physics_table import PhysicsTable
from lucca_sim.scene import load_scene
from lucca_sim.trace_recorder import TRACE_FILE, TraceRecorder

pytestmark = pytest.mark.physics

SCENES = {'short': 'sorting', 'recipe': 'recipe', 'arrangement': 'arrangement'}


@pytest.fixture(scope='module')
def awake(tmp_path_factory) -> SimulationTrace:
    """The table of the arrangement, of which contacts are always recorded: nothing is put to sleep."""
    folder = tmp_path_factory.mktemp('awake')
    table = PhysicsTable(load_scene('arrangement', 3), load_profile())
    table.model.opt.sleep_tolerance = 0.0
    recorder = TraceRecorder(table, folder, engine='physics')
    Carrier(table, recorder).advance(3.0)
    recorder.finish()
    return load_trace(folder / TRACE_FILE)


def doctored(recorded, name: str) -> tuple[Doctored, str]:
    for task, scene in SCENES.items():
        trace = recorded(task)
        for seed in range(10):
            try:
                doctor = Doctor(trace, load_scene(scene, 3), load_profile(), random.Random(seed))
                return OF_RECORDS[name](doctor), scene
            except NothingToDoctorError:
                continue
    raise AssertionError(f'{name} finds nothing to doctor')


@pytest.mark.parametrize('name', [name for name in OF_RECORDS if name != 'presses on nothing'])
def test_what_was_changed_is_found_out(recorded, name):
    changed, scene = doctored(recorded, name)
    faults = law_faults(changed.trace, load_scene(scene, 3))
    assert changed.is_among({(fault.law, fault.object) for fault in faults}), (changed.how, list(map(str, faults)))


def test_what_lies_presses_with_its_weight(awake):
    scene = load_scene('arrangement', 3)
    assert law_faults(awake, scene) == []
    changed = OF_RECORDS['presses on nothing'](Doctor(awake, scene, load_profile(), random.Random(0)))
    assert changed.is_among({(fault.law, fault.object) for fault in law_faults(changed.trace, scene)})


# `test_laws.py` has the recipe.
@pytest.mark.parametrize('task', ['short', pytest.param('arrangement', marks=pytest.mark.slow)])
def test_nothing_is_found_in_what_was_not_changed(recorded, task):
    assert law_faults(recorded(task), load_scene(SCENES[task], 3)) == []


@pytest.mark.parametrize(
    ('field', 'value', 'law', 'name'),
    [
        ('container_sizes_m', {'box 1': (0.5, 0.5, 0.1)}, 'two places', 'box 2'),
        ('region_bounds_m', {'the user': (0.0, 1.0, 0.0, 1.0)}, 'two places', 'the user'),
        ('joint_names', ('a', *(f'j{number}' for number in range(99))), 'vanishing', 'a'),
    ],
)
def test_what_the_record_is_of_is_compared_with_the_scene(recorded, field, value, law, name):
    trace = recorded('short')
    if field == 'joint_names':
        value = value[: len(trace.joint_names)]
    faults = law_faults(replace(trace, **{field: value}), load_scene('sorting', 3))
    assert (law, name) in {(fault.law, fault.object) for fault in faults}


def test_a_kind_that_is_not_that_of_the_scene_is_found_out(recorded):
    trace = recorded('short')
    labels = ('lemon', *trace.object_labels[1:])
    faults = law_faults(replace(trace, object_labels=labels), load_scene('sorting', 3))
    assert ('vanishing', trace.object_names[0]) in {(fault.law, fault.object) for fault in faults}


def test_a_trace_of_another_scene_or_seed_is_refused(tmp_path):
    file = record('sorting', 3, tmp_path / 'run', (('apple', 'box 1'),))
    for seed, changes in ((4, {}), (3, {'seed': np.array(7)}), (3, {'scene': np.array('tower')})):
        with np.load(file) as data:
            np.savez(tmp_path / 'changed.npz', **{**dict(data), **changes})
        with pytest.raises(LuccaError, match=f'not of sorting with seed {seed}'):
            judge_table(tmp_path / 'changed.npz', 'sorting', seed, ('sorting',))
