"""Every file in config/nodes fits the settings of the nodes that it is for, in whatever namespace they run."""

import dataclasses

import pytest

from lucca_cli.setup_checks import SETTINGS
from lucca_core.errors import ConfigError
from lucca_core.paths import config_dir
from lucca_core.settings import from_mapping
from lucca_core.yaml_file import load_yaml

# Parameters of every node that are no settings of its own.
OF_ALL_NODES = {'use_sim_time': bool, 'autostart': bool}
FILES = sorted((config_dir() / 'nodes').glob('*.yaml'))


def check(file):
    """Raises ConfigError for what no node would take."""
    for key, section in load_yaml(file).items():
        node = key.removeprefix('/**/')
        if node == key or node not in SETTINGS:
            raise ConfigError(f'{key!r} should be /**/ and one of {", ".join(SETTINGS)}', file=str(file))
        if set(section) != {'ros__parameters'}:
            raise ConfigError(f'{key} should hold ros__parameters and nothing else', file=str(file))
        values = dict(section['ros__parameters'])
        for name, kind in OF_ALL_NODES.items():
            if not isinstance(values.pop(name, False), kind):
                raise ConfigError(f'{name} must be {kind.__name__}', file=str(file))
        *others, last = SETTINGS[node]
        for config_class in others:
            names = {item.name for item in dataclasses.fields(config_class)}
            own = {name: values.pop(name) for name in sorted(names & set(values))}
            from_mapping(config_class, own, file=str(file))
        from_mapping(last, values, file=str(file))


def test_there_is_one_for_each_launch_file():
    assert [file.stem for file in FILES] == ['gazebo', 'nicol', 'sim']


@pytest.mark.parametrize('file', FILES, ids=lambda file: file.stem)
def test_a_parameter_file_holds_only_what_its_nodes_take(file):
    check(file)


@pytest.mark.parametrize('file', FILES, ids=lambda file: file.stem)
def test_a_parameter_file_repeats_no_default(file):
    for key, section in load_yaml(file).items():
        classes = SETTINGS[key.removeprefix('/**/')]
        defaults = {item.name: item.default for config in classes for item in dataclasses.fields(config)}
        assert {name for name, value in section['ros__parameters'].items() if defaults.get(name) == value} == set()


@pytest.mark.parametrize(
    ('text', 'match'),
    [
        ('/**/action:\n  ros__parameters: {speed_of_light: 1.0}\n', 'no setting'),
        ('/**/worker:\n  ros__parameters: {llm: 3}\n', 'llm must be str'),
        ('/**/worker:\n  ros__parameters: {autostart: maybe}\n', 'autostart must be bool'),
        ('/**/cook:\n  ros__parameters: {}\n', "'/\\*\\*/cook' should be"),
        ('worker:\n  ros__parameters: {}\n', "'worker' should be"),
        ('/**/worker:\n  llm: embedded\n', 'should hold ros__parameters'),
    ],
)
def test_what_no_node_would_take_is_found(tmp_path, text, match):
    file = tmp_path / 'nodes.yaml'
    file.write_text(text)
    with pytest.raises(ConfigError, match=match):
        check(file)
