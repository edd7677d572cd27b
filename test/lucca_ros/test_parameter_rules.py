"""What `ros2 param set` does to a settings dataclass in a running node."""

from dataclasses import dataclass, fields

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rclpy.parameter import Parameter

from lucca_core.settings import check_bounds, setting
from lucca_ros.parameters import declare_parameters, declare_read_only, read_parameters

pytestmark = pytest.mark.ros


@dataclass(frozen=True, kw_only=True)
class Config:
    speed: float = setting(1.0, 'How fast.', above=0, most=2, live=True)
    tries: int = setting(3, 'How often.', least=1, most=9, live=True)
    low: float = setting(0.0, 'Low end.', most=10, live=True)
    high: float = setting(10.0, 'High end.', most=10, live=True)
    name: str = setting('a', 'What it is called.')
    scales: tuple[float, ...] = setting((1.0, 2.0), 'How large.', most=5)

    def __post_init__(self) -> None:
        check_bounds(self)
        if self.low > self.high:
            raise ValueError(f'low must not be above high, got {self.low} and {self.high}')


def _set(node, name, value):
    (result,) = node.set_parameters([Parameter(name, value=value)])
    return result


def test_a_live_setting_is_set_read_back_and_acts(make_node):
    node, seen = make_node('tester'), []
    declare_parameters(node, Config(), seen.append)
    assert _set(node, 'speed', 0.5).successful
    assert node.get_parameter('speed').value == 0.5
    assert seen == [Config(speed=0.5)]
    assert read_parameters(node, Config) == Config(speed=0.5)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=st.floats(allow_nan=True, allow_infinity=True))
def test_a_value_is_set_exactly_when_the_dataclass_takes_it(make_node, value):
    node, seen = make_node('tester'), []
    declare_parameters(node, Config(), seen.append)
    result = _set(node, 'speed', value)
    assert result.successful == (0 < value <= 2)
    assert node.get_parameter('speed').value == (value if result.successful else 1.0)
    assert bool(seen) == result.successful
    assert result.successful or 'speed' in result.reason


@pytest.mark.parametrize(
    ('name', 'value', 'reason'),
    [
        ('speed', 0.0, 'speed must be above 0 and at most 2, got 0.0'),
        ('speed', -1.0, 'speed'),
        ('tries', 10, 'tries'),
        ('speed', 'fast', 'Wrong parameter type'),
        ('name', 'b', 'read-only'),
        ('scales', [1.0], 'read-only'),
        ('use_sim_time', True, 'use_sim_time is read only when the node starts'),
        ('autostart', False, 'read-only'),
    ],
)
def test_what_is_refused_is_told_with_a_reason_and_changes_nothing(make_node, name, value, reason):
    node, seen = make_node('tester'), []
    declare_read_only(node, 'autostart', True, 'It starts itself.')
    declare_parameters(node, Config(), seen.append)
    before = node.get_parameter(name).value
    result = _set(node, name, value)
    assert not result.successful
    assert reason in result.reason
    assert node.get_parameter(name).value == before
    assert not seen


def test_settings_that_do_not_fit_together_are_refused_unless_they_come_together(make_node):
    node, seen = make_node('tester'), []
    declare_parameters(node, Config(), seen.append)
    assert _set(node, 'high', 5.0).successful
    result = _set(node, 'low', 7.0)
    assert (result.successful, result.reason) == (False, 'low must not be above high, got 7.0 and 5.0')
    both = node.set_parameters_atomically([Parameter('low', value=7.0), Parameter('high', value=8.0)])
    assert both.successful
    assert seen[-1] == Config(low=7.0, high=8.0)


def test_the_descriptor_has_range_and_kind(make_node):
    node = make_node('tester')
    declare_parameters(node, Config(), lambda config: None)
    speed, tries, name = (node.describe_parameter(item) for item in ('speed', 'tries', 'name'))
    assert (speed.read_only, tries.read_only, name.read_only) == (False, False, True)
    assert (speed.floating_point_range[0].from_value, speed.floating_point_range[0].to_value) == (0.0, 2.0)
    assert (tries.integer_range[0].from_value, tries.integer_range[0].to_value) == (1, 9)
    assert speed.additional_constraints == 'above 0 and at most 2'
    assert 'is read only when the node starts' in name.additional_constraints
    assert {item.name for item in fields(Config)} <= set(node.get_parameters_by_prefix(''))


def test_live_settings_need_somebody_who_acts_on_them(make_node):
    with pytest.raises(ValueError, match='on_change must be given'):
        declare_parameters(make_node('tester'), Config())
