"""Every message, service and action of lucca_interfaces has one conversion, and it carries every field both ways.

Messages and values are drawn with all fields away from their defaults, so that a field that is left out shows.
"""

import dataclasses
import importlib
import inspect
import pkgutil
import re
import types
import typing
from datetime import UTC, datetime
from enum import Enum

import hypothesis
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lucca_core.protocol.goals import GoalRequest, Phase, Status

pytest.importorskip('rclpy')

import lucca_interfaces.action
import lucca_interfaces.msg
import lucca_interfaces.srv
from builtin_interfaces.msg import Time
from rosidl_parser import definition as rosidl

from lucca_core.codes import ReasonCode
from lucca_core.protocol.entries import EntryKind
from lucca_core.protocol.prohibitions import ProhibitionChange
from lucca_core.protocol.refusal import CodedRefusal, DeskCode
from lucca_core.protocol.remembered import Kind
from lucca_core.protocol.speech import Samples
from lucca_ros import conversions
from lucca_ros.conversions.conversion import Conversion
from lucca_ros.conversions.goals import GOAL_REQUEST

pytestmark = pytest.mark.ros

CLOSED = {
    ('Memory', 'kind'): typing.get_args(Kind),
    ('Entry', 'kind'): EntryKind,
    ('ExecuteAction_Result', 'code'): ReasonCode,
    ('ExecuteTask_Result', 'status'): Status,
    ('ExecuteTask_Feedback', 'phase'): Phase,
    ('Prohibitions_Request', 'change'): ProhibitionChange,
}
"""Texts of a closed list."""

GRANTED = ('ok', 'success', 'acknowledged')
NOTED = ('RetrieveMemory_Response', 'SetVocabulary_Response')
"""Whose message says something where it is granted, too."""

WHY_NOT = ('code', 'reason', 'message')


def _messages() -> dict[str, type]:
    found = dict(inspect.getmembers(lucca_interfaces.msg, inspect.isclass))
    for package, parts in (
        (lucca_interfaces.srv, ('Request', 'Response')),
        (lucca_interfaces.action, ('Goal', 'Result', 'Feedback')),
    ):
        for name, kind in inspect.getmembers(package, inspect.isclass):
            # The generated parts are named after it.
            if '_' not in name:
                found |= {f'{name}_{part}': getattr(kind, part) for part in parts}
    # What has no field has nothing to be carried.
    return {name: kind for name, kind in found.items() if kind.get_fields_and_field_types()}


def _conversions() -> dict[type, list[Conversion]]:
    found: dict[type, list[Conversion]] = {}
    for module in pkgutil.iter_modules(conversions.__path__, f'{conversions.__name__}.'):
        for value in vars(importlib.import_module(module.name)).values():
            for item in [value, getattr(value, 'request', None), getattr(value, 'answer', None)]:
                if isinstance(item, Conversion) and item not in (known := found.setdefault(item.msg_type, [])):
                    known.append(item)
    return found


MESSAGES = _messages()
CONVERSIONS = _conversions()
CONVERTED = [name for name in MESSAGES if MESSAGES[name] in CONVERSIONS]

words = st.text(st.characters(exclude_categories=('Cs',), exclude_characters='\0'), min_size=1, max_size=8)
moments = st.datetimes(datetime(1970, 1, 2), datetime(2037, 1, 1), timezones=st.just(UTC))
# Exact as float32; times of whole 64ths of a second, exact as a float and in microseconds.
numbers = st.integers(1, 2**20).map(lambda ticks: ticks / 2**9)
times = st.builds(Time, sec=st.integers(1, 2**31 - 1), nanosec=st.integers(0, 63).map(lambda part: part * 15_625_000))
INTEGERS = {'int16': 2**15, 'uint16': 2**16, 'int32': 2**31, 'uint32': 2**32, 'int64': 2**63, 'uint64': 2**53}


def _name(item: object) -> object:
    """What tells the items of a list apart: objects of a snapshot have one name each."""
    return getattr(item, 'name', None) or repr(item)


def _of_slot(slot: rosidl.AbstractType) -> st.SearchStrategy:
    match slot:
        case rosidl.Array():
            return st.lists(_of_slot(slot.value_type), min_size=slot.size, max_size=slot.size)
        case rosidl.AbstractNestedType():
            return st.lists(_of_slot(slot.value_type), min_size=1, max_size=2, unique_by=_name)
        case rosidl.NamespacedType():
            kind = getattr(importlib.import_module('.'.join(slot.namespaces)), slot.name)
            return times if kind is Time else _message(kind)
        case rosidl.AbstractString():
            return words
    match slot.typename:
        case 'boolean':
            return st.just(True)
        case 'float' | 'double':
            return numbers
        case name:
            return st.integers(1, INTEGERS[name] - 1)


def _message(kind: type) -> st.SearchStrategy:
    """Messages of a type with every field away from its default; what a service answers is granted or refused."""
    fields = {}
    for name, slot in zip(kind.get_fields_and_field_types(), kind.SLOT_TYPES, strict=True):
        closed = CLOSED.get((kind.__name__, name))
        if name == 'code' and 'reason' in kind.get_fields_and_field_types():
            closed = DeskCode
        fields[name] = st.sampled_from([str(item) for item in closed]) if closed else _of_slot(slot)
    flag = next((name for name in GRANTED if name in fields), None)
    if flag is None:
        return st.builds(kind, **fields)
    why = {name: strategy for name, strategy in fields.items() if name in WHY_NOT}
    refused = st.builds(kind, **why)
    granted = st.builds(
        kind,
        **{
            name: strategy
            for name, strategy in fields.items()
            if name not in why or (name == 'message' and kind.__name__ in NOTED)
        },
    )
    return granted | refused


def _of_hint(hint: object) -> st.SearchStrategy:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint == Samples:
        return st.lists(st.integers(-(2**15), 2**15 - 1), min_size=1).map(lambda items: np.array(items, np.int16))
    if origin is tuple:
        if arguments[-1] is not Ellipsis:
            return st.tuples(*map(_of_hint, arguments))
        return st.lists(_of_hint(arguments[0]), min_size=1, max_size=2, unique_by=_name).map(tuple)
    if origin in (typing.Union, types.UnionType):
        return st.one_of(*(_of_hint(item) for item in arguments if item is not type(None)))
    if origin is typing.Literal:
        return st.sampled_from(arguments)
    if dataclasses.is_dataclass(hint):
        return _value(hint)
    if inspect.isclass(hint) and issubclass(hint, Enum):
        return st.sampled_from(hint)
    return {str: words, bool: st.just(True), int: st.integers(1, 2**15 - 1), float: numbers, datetime: moments}[hint]


def _value(kind: type) -> st.SearchStrategy:
    """Values of a class with every field away from its default, as far as its type has another value."""
    hints = typing.get_type_hints(kind)
    fields = {}
    for field in dataclasses.fields(kind):
        if field.init:
            default = field.default
            strategy = _of_hint(hints[field.name])
            fields[field.name] = (
                strategy
                if isinstance(default, bool) or default is dataclasses.MISSING
                else strategy.filter(lambda value, default=default: value != default)
            )
    return st.builds(kind, **fields)


def _same(one: object, other: object) -> bool:
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    if dataclasses.is_dataclass(one) and type(one) is type(other):
        return all(_same(getattr(one, field.name), getattr(other, field.name)) for field in dataclasses.fields(one))
    return one == other


def _differences(one: object, other: object) -> list[str]:
    return [
        name
        for name in one.get_fields_and_field_types()
        if not np.array_equal(getattr(one, name), getattr(other, name))
    ]


quickly = settings(max_examples=10, phases=[hypothesis.Phase.generate], suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize('name', MESSAGES)
def test_a_message_has_one_conversion(name):
    found = CONVERSIONS.get(MESSAGES[name], [])
    assert len(found) == 1, f'{name} has {len(found)} conversions in lucca_ros/conversions'


@pytest.mark.parametrize('name', CONVERTED)
def test_a_message_comes_back_from_its_value(name):
    kind = MESSAGES[name]
    [conversion] = CONVERSIONS[kind]

    @quickly
    @given(_message(kind))
    def comes_back(msg):
        again = conversion.to_msg(conversion.from_msg(msg))
        assert not _differences(again, msg)

    comes_back()


@pytest.mark.parametrize('name', CONVERTED)
def test_a_value_comes_back_from_its_message(name):
    [conversion] = CONVERSIONS[MESSAGES[name]]

    @quickly
    @given(_of_hint(conversion.value_type))
    def comes_back(value):
        assert _same(conversion.from_msg(conversion.to_msg(value)), value)

    comes_back()


def test_every_closed_list_of_a_value_is_known_here():
    def closed(hint: object) -> bool:
        return typing.get_origin(hint) is typing.Literal or (inspect.isclass(hint) and issubclass(hint, Enum))

    found = {
        (name, field)
        for name in CONVERTED
        for conversion in CONVERSIONS[MESSAGES[name]]
        for part in typing.get_args(conversion.value_type) or (conversion.value_type,)
        if dataclasses.is_dataclass(part)
        for field, hint in typing.get_type_hints(part).items()
        if closed(hint) and hint is not DeskCode and field in MESSAGES[name].get_fields_and_field_types()
    }
    assert found == set(CLOSED)


@pytest.mark.parametrize(('name', 'field'), CLOSED)
def test_a_text_that_is_not_in_its_closed_list_is_refused(name, field):
    kind = MESSAGES[name]
    [conversion] = CONVERSIONS[kind]

    @quickly
    @given(_message(kind))
    def refused(msg):
        setattr(msg, field, 'of another version')
        known = re.escape(', '.join(map(str, CLOSED[name, field])))
        with pytest.raises(ValueError, match=rf"^{field} must be one of {known}, got 'of another version'$"):
            conversion.from_msg(msg)

    refused()


@pytest.mark.parametrize('name', [name for name in CONVERTED if {'code', 'reason'} <= set(dir(MESSAGES[name]))])
def test_a_refusal_with_an_unknown_code_is_a_refusal_all_the_same(name):
    [conversion] = CONVERSIONS[MESSAGES[name]]
    answer = conversion.from_msg(MESSAGES[name](code='of another version', reason='no'))
    assert answer == CodedRefusal('no', DeskCode.UNAVAILABLE)


def test_what_is_no_text_is_refused_where_a_text_belongs():
    with pytest.raises(TypeError):
        GOAL_REQUEST.to_msg(GoalRequest(task=None))
