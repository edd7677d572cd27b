"""Folders of configuration, data and state."""

from pathlib import Path

import pytest

from lucca_core import paths
from lucca_core.paths import config_dir, default_data_dir, default_state_dir


def test_the_source_tree_has_its_config_beside_it():
    assert (config_dir() / 'tasks.yaml').is_file()


def test_the_environment_names_another_config(monkeypatch, tmp_path):
    monkeypatch.setenv('LUCCA_CONFIG_DIR', str(tmp_path))
    assert config_dir() == tmp_path


def test_an_installed_package_has_its_config_in_a_prefix(monkeypatch, tmp_path):
    monkeypatch.setattr(paths, '__file__', str(tmp_path / 'site' / 'lucca_core' / 'paths.py'))
    monkeypatch.setattr(paths.sys, 'prefix', str(tmp_path / 'none'))
    monkeypatch.setenv('AMENT_PREFIX_PATH', f'{tmp_path / "a"}:{tmp_path / "b"}')
    folder = tmp_path / 'b' / 'share' / 'lucca' / 'config'
    with pytest.raises(FileNotFoundError, match='set LUCCA_CONFIG_DIR'):
        config_dir()
    folder.mkdir(parents=True)
    assert config_dir() == folder


def test_what_pip_installed_has_its_config_in_the_environment(monkeypatch, tmp_path):
    monkeypatch.setattr(paths, '__file__', str(tmp_path / 'site' / 'lucca_core' / 'paths.py'))
    monkeypatch.delenv('AMENT_PREFIX_PATH', raising=False)
    monkeypatch.setattr(paths.sys, 'prefix', str(tmp_path))
    folder = tmp_path / 'share' / 'lucca' / 'config'
    folder.mkdir(parents=True)
    assert config_dir() == folder


def test_the_data_folder_follows_the_environment(monkeypatch):
    monkeypatch.setenv('LUCCA_DATA_DIR', '~/mine')
    assert default_data_dir() == Path.home() / 'mine'
    monkeypatch.delenv('LUCCA_DATA_DIR')
    monkeypatch.setenv('XDG_DATA_HOME', '/x')
    assert default_data_dir() == Path('/x/lucca')
    monkeypatch.delenv('XDG_DATA_HOME')
    assert default_data_dir() == Path.home() / '.local/share/lucca'


def test_the_state_folder_follows_the_environment(monkeypatch):
    monkeypatch.setenv('LUCCA_STATE_DIR', '~/mine')
    assert default_state_dir() == Path.home() / 'mine'
    monkeypatch.delenv('LUCCA_STATE_DIR')
    monkeypatch.setenv('XDG_STATE_HOME', '/x')
    assert default_state_dir() == Path('/x/lucca')
    monkeypatch.delenv('XDG_STATE_HOME')
    assert default_state_dir() == Path.home() / '.local/state/lucca'
