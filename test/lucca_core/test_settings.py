"""Settings dataclasses: defaults, overrides and refusals."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_core.errors import ConfigError
from lucca_core.settings import from_mapping, parameters_for, setting


@dataclass(frozen=True, kw_only=True)
class Config:
    wait_s: float = setting(1.5, 'How long, in seconds.')
    attempts: int = setting(3, 'How often.')
    name: str = setting('a|b', 'What it is called.')
    is_on: bool = setting(True, 'Whether at all.')
    scales: tuple[float, ...] = setting((1.0, 2.0), 'How large.')

    def __post_init__(self) -> None:
        if self.wait_s <= 0:
            raise ValueError(f'wait_s must be positive, got {self.wait_s}')


def test_without_values_the_defaults_hold():
    assert from_mapping(Config, {}) == Config()


@given(st.integers(1, 99), st.integers(), st.text(), st.booleans(), st.lists(st.integers(-9, 9)))
def test_values_override_defaults_and_whole_numbers_become_floats(wait, attempts, name, is_on, scales):
    config = from_mapping(
        Config, {'wait_s': wait, 'attempts': attempts, 'name': name, 'is_on': is_on, 'scales': scales}
    )
    assert config == Config(
        wait_s=float(wait), attempts=attempts, name=name, is_on=is_on, scales=tuple(map(float, scales))
    )
    assert type(config.wait_s) is float
    assert all(type(item) is float for item in config.scales)


@pytest.mark.parametrize(
    ('values', 'match'),
    [
        ({'wait': 1}, r"f\.yaml: Config has no setting 'wait'; it has attempts, is_on, name, scales, wait_s"),
        ({'wait_s': 'long'}, r"f\.yaml: wait_s must be float, got 'long'"),
        ({'wait_s': True}, 'wait_s must be float, got True'),
        ({'attempts': 2.5}, 'attempts must be int, got 2.5'),
        ({'attempts': True}, 'attempts must be int, got True'),
        ({'is_on': 1}, 'is_on must be bool, got 1'),
        ({'scales': 3.0}, 'scales must be tuple'),
        ({'scales': [1.0, 'x']}, 'scales must be tuple'),
        ({'wait_s': -1.0}, r'f\.yaml: wait_s must be positive, got -1\.0'),
    ],
)
def test_a_wrong_value_is_refused_by_name(values, match):
    with pytest.raises(ConfigError, match=match):
        from_mapping(Config, values, file='f.yaml')


def read(file: Path) -> Config:
    values = parameters_for(file, 'mine')
    values.pop('use_sim_time', None)
    return from_mapping(Config, values, file=str(file))


def test_parameters_of_a_node_override_those_for_all_nodes(tmp_path):
    file = tmp_path / 'nodes.yaml'
    file.write_text(
        '/**:\n  ros__parameters: {use_sim_time: true, attempts: 5, name: all}\n'
        '/**/mine:\n  ros__parameters: {name: anywhere, wait_s: 2.5}\n'
        'mine:\n  ros__parameters: {name: mine}\nother:\n  ros__parameters: {nonsense: 1}\n'
    )
    assert read(file) == Config(attempts=5, wait_s=2.5, name='mine')


def test_a_parameter_file_without_the_node_gives_the_defaults(tmp_path):
    file = tmp_path / 'nodes.yaml'
    file.write_text('')
    assert read(file) == Config()


@pytest.mark.parametrize(
    ('text', 'match'),
    [
        ('mine: 3', r'f\.yaml:1: mine must be a mapping, got 3'),
        ('mine:\n  ros__parameters: [x]', r'f\.yaml:2: ros__parameters must be a mapping'),
        ('mine:\n  ros__parameters:\n    name: x\n    wait_s: -1.0', r'f\.yaml:4: wait_s must be positive'),
        ('mine:\n  ros__parameters:\n    name: x\n    attempts: x', r'f\.yaml:4: attempts must be int'),
        ('/**:\n  ros__parameters:\n    nonsense: x', r"f\.yaml:3: Config has no setting 'nonsense'"),
    ],
)
def test_a_mistake_in_a_parameter_file_is_named_by_its_line(tmp_path, text, match):
    file = tmp_path / 'f.yaml'
    file.write_text(text)
    with pytest.raises(ConfigError, match=match):
        read(file)
