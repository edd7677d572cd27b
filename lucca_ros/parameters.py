"""ROS parameters declared from a settings dataclass and read back into it, with checks of changes at run time."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor, SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter

from lucca_core.errors import ConfigError
from lucca_core.settings import Bounds, bounds_of, from_mapping, is_live

T = TypeVar('T')

_SIM_TIME = 'use_sim_time'
_READ_AT_START = 'is read only when the node starts; set it in the parameter file, by launch or on the command line'


def declare_parameters(node: Node, defaults: T, on_change: Callable[[T], None] | None = None) -> None:
    """Declares one parameter for each field of a settings dataclass instance, with its doc and range in the descriptor.

    Settings are read-only in a running node unless they are live. A change of live settings is accepted if the
    dataclass accepts it; then `on_change` is called with all settings.

    Raises:
        ValueError: rclpy has no type for a default, or there are live settings but no `on_change`.
    """
    fields = dataclasses.fields(defaults)  # type: ignore[arg-type]
    if on_change is None and any(map(is_live, fields)):
        raise ValueError(f'{type(defaults).__name__} has live settings: on_change must be given')
    for item in fields:
        value = getattr(defaults, item.name)
        if isinstance(value, tuple):
            value = list(value)
        if value is None or value == []:
            raise ValueError(f'{item.name}: rclpy cannot infer a type from {value!r}; use a value of the type')
        node.declare_parameter(item.name, value, ParameterDescriptor(description=item.metadata.get('doc', '')))
        # Set afterwards, because otherwise rclpy raises its own error for an override that is out of range. Ours is
        # raised when the parameters are read.
        node.set_descriptor(item.name, _descriptor(item, node.get_parameter(item.name)))
    _add_checks(node, defaults, on_change)


def declare_read_only(node: Node, name: str, value: bool, doc: str) -> None:
    """Declares one parameter that is only read when the node starts."""
    node.declare_parameter(name, value, ParameterDescriptor(description=doc))
    kind = node.get_parameter(name).type_.value
    node.set_descriptor(
        name, ParameterDescriptor(type=kind, description=doc, read_only=True, additional_constraints=_READ_AT_START)
    )


def read_parameters(node: Node, config_class: type[T]) -> T:
    """The settings that the node's parameters hold now.

    Raises:
        ConfigError: a value has the wrong type, or the dataclass refuses it.
    """
    return _settings(node, config_class, {})


def _settings(node: Node, config_class: type[T], changed: dict[str, Any]) -> T:
    values = {}
    for item in dataclasses.fields(config_class):  # type: ignore[arg-type]
        value = changed.get(item.name, node.get_parameter(item.name).value)
        values[item.name] = list(value) if isinstance(item.default, tuple) else value
    return from_mapping(config_class, values, file=node.get_fully_qualified_name())


def _descriptor(item: 'dataclasses.Field[Any]', parameter: Parameter) -> ParameterDescriptor:
    live = is_live(item)
    bounds = bounds_of(item)
    descriptor = ParameterDescriptor(
        type=parameter.type_.value,
        description=item.metadata.get('doc', ''),
        read_only=not live,
        additional_constraints='; '.join(filter(None, (str(bounds or ''), '' if live else _READ_AT_START))),
    )
    if bounds is not None and not isinstance(item.default, tuple) and bounds.hold(parameter.value):
        _give_range(descriptor, bounds, whole=isinstance(item.default, int))
    return descriptor


def _give_range(descriptor: ParameterDescriptor, bounds: Bounds, *, whole: bool) -> None:
    if whole:
        descriptor.integer_range = [IntegerRange(from_value=int(bounds.least), to_value=int(bounds.most))]
    else:
        descriptor.floating_point_range = [
            FloatingPointRange(from_value=float(bounds.least), to_value=float(bounds.most))
        ]


def _add_checks(node: Node, defaults: T, on_change: Callable[[T], None] | None) -> None:
    config_class = type(defaults)
    names = {item.name for item in dataclasses.fields(defaults)}  # type: ignore[arg-type]

    def check(parameters: Sequence[Parameter]) -> SetParametersResult:
        changed = {item.name: item.value for item in parameters if item.name in names}
        if any(item.name == _SIM_TIME and item.value != node.get_parameter(_SIM_TIME).value for item in parameters):
            return SetParametersResult(successful=False, reason=f'{_SIM_TIME} {_READ_AT_START}')
        try:
            if changed:
                _settings(node, config_class, changed)
        except ConfigError as error:
            return SetParametersResult(successful=False, reason=error.reason)
        return SetParametersResult(successful=True)

    def act(parameters: Sequence[Parameter]) -> None:
        if on_change is not None and any(item.name in names for item in parameters):
            on_change(_settings(node, config_class, {}))

    node.add_on_set_parameters_callback(check)
    if on_change is not None:
        node.add_post_set_parameters_callback(act)
