"""ROS parameters from a settings dataclass, and back."""

import dataclasses
from typing import TypeVar

from rcl_interfaces.msg import ParameterDescriptor
from rclpy.node import Node

from lucca_core.settings import from_mapping

T = TypeVar('T')


def declare_parameters(node: Node, defaults: object) -> None:
    """Declares one parameter for each field of a settings dataclass instance, with its doc as description."""
    for item in dataclasses.fields(defaults):  # type: ignore[arg-type]
        value = getattr(defaults, item.name)
        if isinstance(value, tuple):
            value = list(value)
        if value is None or value == []:
            raise ValueError(f'{item.name}: rclpy cannot infer a type from {value!r}; use a value of the type')
        node.declare_parameter(item.name, value, ParameterDescriptor(description=item.metadata.get('doc', '')))


def read_parameters(node: Node, config_class: type[T]) -> T:
    """The settings that the node's parameters hold now.

    Raises:
        ConfigError: a value is of another type or refused by the dataclass's own check.
    """
    values = {}
    for item in dataclasses.fields(config_class):  # type: ignore[arg-type]
        value = node.get_parameter(item.name).value
        values[item.name] = list(value) if isinstance(item.default, tuple) else value
    return from_mapping(config_class, values, file=node.get_fully_qualified_name())
