"""Effects are judged by what is seen, and pointing by where the finger points."""

from dataclasses import replace

import numpy as np
import pytest
from fakes import ARM, ARM_JOINT, HAND_JOINT, FakeBody
from hypothesis import given
from hypothesis import strategies as st

from action_node.effect_verification import EffectStatus, PointingWitness, judge_lasting, judge_settled, ray_distance
from lucca_core.codes import ReasonCode
from lucca_core.protocol.snapshots import HAND, USERS_SIDE, Container, Pose, Snapshot, TableObject
from lucca_memory.procedural import Effect, EffectKind

IN_BOX = Effect(EffectKind.CONTAINED, 'box 1')
GIVEN = Effect(EffectKind.GIVEN, USERS_SIDE)
PEAR = TableObject(object_id='o1', name='pear', label='pear', attributes=('green',), pose_world=Pose((0.4, 0.2, 0.83)))
APPLE = replace(PEAR, object_id='o2', name='apple', label='apple')
BEFORE = Snapshot(objects=(PEAR,))


def after(*objects: TableObject) -> Snapshot:
    return Snapshot(stamp_s=1.0, objects=objects)


@pytest.mark.parametrize(
    ('effect', 'now', 'sight', 'code'),
    [
        (IN_BOX, after(replace(PEAR, container='box 1')), EffectStatus.SEEN, ReasonCode.DONE),
        (
            IN_BOX,
            after(replace(PEAR, container='box 1', visible=False, inferred=True)),
            EffectStatus.SEEN,
            ReasonCode.DONE,
        ),
        (IN_BOX, after(replace(PEAR, object_id='o9', container='box 1')), EffectStatus.SEEN, ReasonCode.DONE),
        (IN_BOX, after(replace(PEAR, container='box 2')), EffectStatus.NOT_SEEN, ReasonCode.EFFECT_NOT_SEEN),
        (IN_BOX, after(replace(PEAR, container=HAND)), EffectStatus.NOT_SEEN, ReasonCode.EFFECT_NOT_SEEN),
        (IN_BOX, after(PEAR), EffectStatus.NOT_SEEN, ReasonCode.GRASP_FAILED),
        (
            IN_BOX,
            after(replace(PEAR, pose_world=Pose((0.5, 0.2, 0.83)))),
            EffectStatus.NOT_SEEN,
            ReasonCode.EFFECT_NOT_SEEN,
        ),
        (IN_BOX, after(replace(PEAR, visible=False)), EffectStatus.UNDECIDED, ReasonCode.EFFECT_NOT_SEEN),
        (IN_BOX, after(), EffectStatus.UNDECIDED, ReasonCode.EFFECT_NOT_SEEN),
        (GIVEN, after(), EffectStatus.SEEN, ReasonCode.DONE),
        (GIVEN, after(replace(PEAR, container=USERS_SIDE)), EffectStatus.SEEN, ReasonCode.DONE),
        (GIVEN, after(PEAR), EffectStatus.NOT_SEEN, ReasonCode.EFFECT_NOT_SEEN),
        (GIVEN, after(replace(PEAR, object_id='o9')), EffectStatus.NOT_SEEN, ReasonCode.EFFECT_NOT_SEEN),
        (GIVEN, after(replace(PEAR, visible=False)), EffectStatus.UNDECIDED, ReasonCode.EFFECT_NOT_SEEN),
    ],
)
def test_a_lasting_effect_is_what_is_seen(effect: Effect, now: Snapshot, sight: EffectStatus, code: ReasonCode) -> None:
    judgement = judge_lasting(effect, PEAR, BEFORE, now, 0.03)
    assert (judgement.sight, judgement.code) == (sight, code)
    assert judgement.message


def test_another_object_of_the_label_that_was_there_before_does_not_count() -> None:
    other = replace(PEAR, object_id='o2', name='pear 2', container='box 1')
    judgement = judge_lasting(IN_BOX, PEAR, replace(BEFORE, objects=(PEAR, other)), after(other), 0.03)
    assert judgement.sight is EffectStatus.UNDECIDED


@pytest.mark.parametrize(
    ('effect', 'now', 'sight'),
    [
        (IN_BOX, after(replace(PEAR, container='box 1')), EffectStatus.SEEN),
        (IN_BOX, after(PEAR), EffectStatus.NOT_SEEN),
        (IN_BOX, after(), EffectStatus.UNDECIDED),
        (IN_BOX, after(replace(PEAR, visible=False)), EffectStatus.UNDECIDED),
        (GIVEN, after(APPLE), EffectStatus.SEEN),
        (GIVEN, replace(after(), containers=(Container(name='box 1'),)), EffectStatus.SEEN),
        (GIVEN, after(), EffectStatus.UNDECIDED),
        (GIVEN, replace(after(), containers=(Container(name=USERS_SIDE),)), EffectStatus.UNDECIDED),
        (GIVEN, after(replace(APPLE, visible=False)), EffectStatus.UNDECIDED),
        (GIVEN, after(PEAR), EffectStatus.NOT_SEEN),
    ],
)
def test_an_open_intent_is_settled_by_the_present_alone(effect: Effect, now: Snapshot, sight: EffectStatus) -> None:
    assert judge_settled(effect, 'pear', now, arms_clear=True).sight is sight


def test_nothing_is_given_that_a_hand_may_hold_or_an_arm_may_hide() -> None:
    assert judge_settled(GIVEN, 'pear', after(APPLE), arms_clear=False).sight is EffectStatus.UNDECIDED
    assert judge_settled(GIVEN, 'pear', after(PEAR), arms_clear=False).sight is EffectStatus.NOT_SEEN


def joints(place: float) -> dict[str, float]:
    return {ARM_JOINT: place, HAND_JOINT: 0.0}


def test_a_finger_has_to_stay_on_its_object() -> None:
    witness = PointingWitness(FakeBody(), (ARM,), (0.4, 0.0, 0.8), radius_m=0.05, dwell_s=0.3)
    for time_s, place in ((0.0, 0.0), (0.2, 0.4), (0.4, 0.6), (0.6, 0.4), (0.8, 0.42)):
        witness.watch(time_s, joints(place))
    assert not witness.seen
    assert witness.judgement('pear').code is ReasonCode.EFFECT_NOT_SEEN
    witness.watch(0.95, joints(0.4))
    assert witness.seen
    assert witness.judgement('pear').code is ReasonCode.DONE


coordinates = st.lists(st.floats(-2, 2), min_size=3, max_size=3).map(np.array)


@given(coordinates, coordinates.filter(lambda v: np.linalg.norm(v) > 0.1), coordinates)
def test_no_point_of_a_ray_is_nearer_than_its_distance(
    origin: np.ndarray, direction: np.ndarray, point: np.ndarray
) -> None:
    unit = direction / np.linalg.norm(direction)
    nearest = ray_distance(origin, unit, point)
    along = np.linspace(0, 8, 200)[:, None] * unit + origin
    assert nearest <= np.linalg.norm(along - point, axis=1).min() + 1e-9
