"""The robot with which a trace is judged: never one whose file the trace chose."""

import shutil
from dataclasses import replace

import pytest
from still import still_trace

from lucca_core.errors import LuccaError
from lucca_lab.judge.verdict import law_faults
from lucca_robot.profile import config_dir
from lucca_sim.scene import load_scene

SCENE = load_scene('sorting', 3)
STILL = still_trace(SCENE)


@pytest.fixture
def own_profile(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(config_dir() / 'robots' / 'nicol.urdf', tmp_path)
    return shutil.copy(config_dir() / 'robots' / 'nicol.yaml', tmp_path / 'mine.yaml')


@pytest.mark.parametrize('robot', ['mine.yaml', '../x', '../robots/nicol', '/dev/zero', '', 'a' * 500])
def test_a_trace_that_names_a_file_is_refused_and_the_option_is_named(robot, own_profile):
    with pytest.raises(LuccaError, match='--robot') as refused:
        law_faults(replace(STILL, robot=robot), SCENE)
    assert robot[:20] in str(refused.value)


def test_the_robot_that_is_given_counts(own_profile):
    assert law_faults(replace(STILL, robot='/nowhere.yaml'), SCENE, robot=str(own_profile)) == law_faults(STILL, SCENE)
    with pytest.raises(LuccaError, match='nowhere'):
        law_faults(STILL, SCENE, robot='nowhere')
