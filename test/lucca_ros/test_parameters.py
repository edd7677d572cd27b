"""ROS parameters from settings dataclasses, and back."""

from dataclasses import dataclass

import pytest
from rclpy.parameter import Parameter

from lucca_core.errors import ConfigError
from lucca_core.settings import setting
from lucca_ros.parameters import declare_parameters, read_parameters

pytestmark = pytest.mark.ros


@dataclass(frozen=True, kw_only=True)
class Config:
    wait_s: float = setting(1.5, 'How long, in seconds.')
    attempts: int = setting(3, 'How often.')
    name: str = setting('a', 'What it is called.')
    joints: tuple[str, ...] = setting(('j1', 'j2'), 'Which ones.')

    def __post_init__(self) -> None:
        if self.wait_s <= 0:
            raise ValueError(f'wait_s must be positive, got {self.wait_s}')


@dataclass(frozen=True)
class Empty:
    joints: tuple[str, ...] = setting((), 'Which ones.')


def test_defaults_come_back(make_node):
    node = make_node('tester')
    declare_parameters(node, Config())
    assert read_parameters(node, Config) == Config()
    assert node.describe_parameter('wait_s').description == 'How long, in seconds.'


def test_overrides_come_back(make_node):
    overrides = [Parameter('wait_s', value=2.5), Parameter('joints', value=['a', 'b'])]
    node = make_node('tester', parameter_overrides=overrides)
    declare_parameters(node, Config())
    assert read_parameters(node, Config) == Config(wait_s=2.5, joints=('a', 'b'))


def test_a_value_that_the_dataclass_refuses_names_the_node(make_node):
    node = make_node('tester', parameter_overrides=[Parameter('wait_s', value=-1.0)])
    declare_parameters(node, Config())
    with pytest.raises(ConfigError, match=r'^/tester: wait_s must be positive, got -1\.0'):
        read_parameters(node, Config)


def test_a_default_without_a_type_is_the_authors_mistake(make_node):
    with pytest.raises(ValueError, match='joints: rclpy cannot infer a type'):
        declare_parameters(make_node('tester'), Empty())
