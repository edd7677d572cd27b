"""The gate fails closed: nothing passes that is not known, seen, allowed and possible."""

from dataclasses import replace
from typing import cast

import pytest
from fakes import FakeReach
from hypothesis import given
from hypothesis import strategies as st

from action_node.gate.gate import Anywhere, Gate, Situation
from lucca_core.codes import ReasonCode
from lucca_core.errors import ConfigError, MotionError, RefusalError
from lucca_core.protocol.actions import ActionCall
from lucca_core.protocol.snapshots import HAND, TABLE, Container, Snapshot, TableObject
from lucca_memory.procedural import (
    ActionSpec,
    Confirm,
    Effect,
    EffectKind,
    Motion,
    Precondition,
    load_actions,
)

ACTIONS = dict(load_actions())
WORDS = ['pear', 'pear 2', 'Pear', 'pear ', 'plum', 'red cube', 'box 1', '']


def snapshot(*names: str, container: str = TABLE, visible: bool = True) -> Snapshot:
    return Snapshot(
        objects=tuple(
            TableObject(object_id=f'id {name}', name=name, label=name, container=container, visible=visible)
            for name in names
        ),
        containers=(Container(name='box 1'), Container(name='bowl')),
    )


def situation(seen: Snapshot, *allowed: str) -> Situation:
    return Situation(snapshot=seen, allowed_actions=frozenset(allowed or ACTIONS))


def code_of(gate: Gate, call: ActionCall, given_situation: Situation) -> ReasonCode:
    with pytest.raises((RefusalError, MotionError)) as refusal:
        gate.check(call, given_situation)
    return cast(RefusalError, refusal.value).code


def test_a_call_that_holds_passes_with_its_object() -> None:
    permit = Gate(ACTIONS, Anywhere()).check(ActionCall('move_to_box_1', 'pear'), situation(snapshot('pear', 'apple')))
    assert (permit.target.object_id, permit.spec.name) == ('id pear', 'move_to_box_1')


@given(
    st.sampled_from([*ACTIONS, 'fly_to']),
    st.sampled_from(WORDS),
    st.lists(st.sampled_from([word for word in WORDS if word]), unique=True),
    st.sets(st.sampled_from([*ACTIONS, 'fly_to'])),
    st.sampled_from([TABLE, HAND, 'box 1', 'tower']),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_nothing_passes_that_is_outside_the_snapshot_or_not_allowed(
    name: str,
    argument: str,
    names: list[str],
    allowed: set[str],
    container: str,
    visible: bool,
    arms_clear: bool,
    stopped: bool,
    busy: bool,
) -> None:
    seen = snapshot(*names, container=container, visible=visible)
    case = Situation(
        snapshot=seen, allowed_actions=frozenset(allowed), arms_clear=arms_clear, stopped=stopped, busy=busy
    )
    try:
        permit = Gate(ACTIONS, Anywhere()).check(ActionCall(name, argument), case)
    except (RefusalError, MotionError):
        return
    assert permit.target in seen.objects
    assert permit.target.name == argument
    assert name in allowed
    assert name in ACTIONS
    assert not stopped
    assert not busy
    assert container in ((TABLE,) if arms_clear else (TABLE, HAND))
    assert visible or not arms_clear


@pytest.mark.parametrize(
    ('call', 'seen', 'code'),
    [
        (ActionCall('fly_to', 'pear'), snapshot('pear'), ReasonCode.UNKNOWN_ACTION),
        (ActionCall('move_to_box_1', 'Pear'), snapshot('pear'), ReasonCode.UNKNOWN_OBJECT),
        (ActionCall('move_to_box_1', 'pea'), snapshot('pear'), ReasonCode.UNKNOWN_OBJECT),
        (ActionCall('move_to_box_1', 'pear'), snapshot('pear', visible=False), ReasonCode.NOT_VISIBLE),
        (ActionCall('move_to_box_1', 'pear'), snapshot('pear', container='bowl'), ReasonCode.PRECONDITION),
        (ActionCall('move_to_box_1', 'pear'), snapshot('pear', container=HAND), ReasonCode.PRECONDITION),
        (ActionCall('move_to_box_2', 'pear'), snapshot('pear'), ReasonCode.PRECONDITION),
    ],
)
def test_what_does_not_hold_is_refused_with_its_reason(call: ActionCall, seen: Snapshot, code: ReasonCode) -> None:
    assert code_of(Gate(ACTIONS, Anywhere()), call, situation(seen)) is code


def test_refusals_say_what_would_have_been_right() -> None:
    with pytest.raises(RefusalError, match=r"'plum'; seen are apple, pear"):
        Gate(ACTIONS, Anywhere()).check(ActionCall('give', 'plum'), situation(snapshot('pear', 'apple')))
    with pytest.raises(RefusalError, match='allowed are point'):
        Gate(ACTIONS, Anywhere()).check(ActionCall('give', 'pear'), situation(snapshot('pear'), 'point'))


def test_a_hand_that_holds_something_is_not_free() -> None:
    held = replace(snapshot('apple', container=HAND).objects[0])
    seen = replace(snapshot('pear'), objects=(*snapshot('pear').objects, held))
    assert code_of(Gate(ACTIONS, Anywhere()), ActionCall('give', 'pear'), situation(seen)) is ReasonCode.PRECONDITION


def test_an_action_to_confirm_needs_a_person() -> None:
    gate = Gate({'give': replace(ACTIONS['give'], confirm=Confirm.ALWAYS)}, Anywhere())
    case = situation(snapshot('pear'), 'give')
    assert code_of(gate, ActionCall('give', 'pear'), case) is ReasonCode.NOT_CONFIRMED
    assert code_of(gate, ActionCall('give', 'pear'), replace(case, confirmed_by=' ')) is ReasonCode.NOT_CONFIRMED
    assert gate.check(ActionCall('give', 'pear'), replace(case, confirmed_by='Ada')).spec.name == 'give'


def test_out_of_reach_is_unreachable_and_says_why() -> None:
    gate = Gate(ACTIONS, FakeReach({'id pear': 'pear is two metres away'}))
    assert code_of(gate, ActionCall('give', 'pear'), situation(snapshot('pear'))) is ReasonCode.UNREACHABLE
    with pytest.raises(MotionError, match='give is not possible: pear is two metres away'):
        gate.check(ActionCall('give', 'pear'), situation(snapshot('pear')))
    gate.check(ActionCall('point', 'pear'), situation(snapshot('pear')))
    gate.check(ActionCall('give', 'apple'), situation(snapshot('pear', 'apple')))


def test_stopped_comes_before_everything() -> None:
    case = replace(situation(snapshot('pear')), stopped=True)
    assert code_of(Gate(ACTIONS, Anywhere()), ActionCall('fly_to', 'plum'), case) is ReasonCode.STOPPED


def test_a_precondition_that_nobody_checks_is_a_config_error() -> None:
    spec = ActionSpec(
        name='juggle',
        description='Throw and catch.',
        motion=Motion.PICK_AND_PLACE,
        effect=Effect(EffectKind.CONTAINED, 'box 1'),
        preconditions=(cast(Precondition, 'dexterous'),),
    )
    with pytest.raises(ConfigError, match="'dexterous', which the gate cannot check"):
        Gate({'juggle': spec}, Anywhere())


def with_a_bowl(*contents: str) -> Snapshot:
    seen = snapshot('bowl', 'pear')
    return replace(seen, containers=(Container(name='box 1'), Container(name='bowl', contents=contents)))


def test_a_bowl_that_stands_on_the_table_is_filled_and_moved_when_it_is_empty() -> None:
    gate = Gate(ACTIONS, Anywhere())
    gate.check(ActionCall('place_in_bowl', 'pear'), situation(with_a_bowl()))
    gate.check(ActionCall('move_to_box_1', 'bowl'), situation(with_a_bowl()))
    gate.check(ActionCall('point', 'bowl'), situation(with_a_bowl('apple')))


@pytest.mark.parametrize(
    ('action', 'contents', 'reason'),
    [
        ('place_in_bowl', (), 'put into itself'),
        ('move_to_box_1', ('apple',), 'bowl holds apple'),
        ('give', ('apple',), 'apple'),
    ],
)
def test_a_bowl_goes_nowhere_with_things_in_it_and_not_into_itself(
    action: str, contents: tuple[str, ...], reason: str
) -> None:
    with pytest.raises(RefusalError, match=reason) as refusal:
        Gate(ACTIONS, Anywhere()).check(ActionCall(action, 'bowl'), situation(with_a_bowl(*contents)))
    assert refusal.value.code is ReasonCode.PRECONDITION


def test_a_small_bowl_goes_into_another_container_of_its_name() -> None:
    big = Container(name='bowl', position_world_m=(0.4, 0.0, 0.8), contents=('apple',))
    seen = replace(snapshot('bowl'), containers=(big,))
    Gate(ACTIONS, Anywhere()).check(ActionCall('place_in_bowl', 'bowl'), situation(seen))
