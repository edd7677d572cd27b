"""The robot with which a recording is drawn or judged: never one whose file the recording chose."""

import shutil

import pytest

from lucca_cli.output import Output
from lucca_cli.recorded_robot import recorded_robot
from lucca_core.errors import ConfigError
from lucca_robot.profile import config_dir


@pytest.mark.parametrize(('recorded', 'given', 'name'), [('', '', 'nicol'), ('two_six_dof', '', 'two_six_dof')])
def test_a_profile_of_ours_is_used(recorded, given, name):
    assert recorded_robot(recorded, given, Output()).source == name


def test_the_one_that_is_given_counts(tmp_path):
    assert recorded_robot('/nowhere.yaml', 'two_six_dof', Output()).source == 'two_six_dof'
    with pytest.raises(ConfigError, match='nowhere'):
        recorded_robot('nicol', str(tmp_path / 'nowhere.yaml'), Output())


@pytest.mark.parametrize('recorded', ['nobody', '../robots/nicol', 'mine.yaml', '/dev/zero', 'a' * 500])
def test_a_robot_that_is_unknown_or_a_file_is_not_used_and_the_option_is_named(recorded, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, ours in (('mine.yaml', 'nicol.yaml'), ('nicol.urdf', 'nicol.urdf')):
        shutil.copy(config_dir() / 'robots' / ours, tmp_path / name)
    assert recorded_robot(recorded, '', Output()) is None
    said = ' '.join(capsys.readouterr().out.split())
    assert recorded[:20] in said
    assert 'is not used' in said
    assert '--robot' in said
