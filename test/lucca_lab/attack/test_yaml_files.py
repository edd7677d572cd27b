"""The attack on configurations leaves out no file and no value."""

import shutil

import pytest

from lucca_core.paths import config_dir
from lucca_lab.attack.attack import turn_of
from lucca_lab.attack.robot_stand_ins import make_stand_ins
from lucca_lab.attack.yaml_files import targets_in


def test_every_yaml_file_of_the_configuration_has_its_turn(monkeypatch, tmp_path):
    shutil.copytree(config_dir(), tmp_path / 'config')
    files = {str(file.relative_to(config_dir())) for file in config_dir().rglob('*.yaml')}
    monkeypatch.setenv('LUCCA_ROBOTS_DIR', str(tmp_path / 'robots'))
    make_stand_ins(tmp_path / 'robots')
    targets = targets_in(tmp_path / 'config')
    assert files - {target.name for target in targets} == set()
    assert all(target.places for target in targets)


@pytest.mark.parametrize('values', [1, 6, 7_919, 8_000])
def test_as_many_trials_as_values_mutate_each_value_once(values):
    assert sorted(turn_of(seed, values) for seed in range(41_000, 41_000 + values)) == list(range(values))
