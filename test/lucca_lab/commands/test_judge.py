"""`lucca judge`: what it prints of a trace, and what it ends with."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from lucca_cli.main import app
from lucca_robot.profile import load_profile
from lucca_sim.kinematic_table import KinematicTable
from lucca_sim.scene import load_scene
from lucca_sim.trace_recorder import TRACE_FILE, TraceRecorder


@pytest.fixture(scope='module')
def idle(tmp_path_factory):
    """The trace of two seconds in which nothing was done."""
    folder = tmp_path_factory.mktemp('idle')
    table = KinematicTable(load_scene('sorting', 0), load_profile())
    recorder = TraceRecorder(table, folder, engine='kinematic')
    for tick in range(101):
        table.step(0.02 * tick)
        recorder.sample()
    recorder.finish()
    return folder / TRACE_FILE


def judge(*arguments):
    return CliRunner().invoke(app, ['judge', *map(str, arguments)])


def test_what_is_missing_is_told_as_json_and_ends_with_one(idle):
    result = judge(idle, '--scene', 'sorting', '--tasks', 'sorting', '--json')
    told = json.loads(result.stdout)['sorting']
    assert result.exit_code == 1
    assert (told['complete'], told['physical'], told['repeated'], told['order']) == (False, None, 0, True)
    assert {(fault['law'], fault['object']) for fault in told['faults']} == {
        ('place', name) for name in ('apple', 'banana', 'pear', 'cup', 'bowl')
    }


@pytest.mark.parametrize(
    ('arguments', 'code', 'text'),
    [
        (('--scene', 'sorting', '--tasks', 'ironing'), 2, 'no truth is known for ironing'),
        (('--scene', 'sorting', '--tasks', ','), 2, 'must name at least one task'),
        (
            ('--scene', 'tower', '--tasks', 'tower'),
            1,
            'is a trace of the scene sorting with seed 0, not of tower with seed 0',
        ),
    ],
)
def test_what_does_not_fit_is_said(idle, arguments, code, text):
    result = judge(idle, *arguments)
    assert result.exit_code == code
    assert text in ' '.join(result.output.split())


def test_a_file_that_is_no_trace_is_said_to_be_none(tmp_path):
    np.savez(tmp_path / 'other.npz', values=np.zeros(3))
    result = judge(tmp_path / 'other.npz', '--scene', 'sorting', '--tasks', 'sorting')
    assert result.exit_code == 1
    assert 'is no trace' in ' '.join(result.output.split())
