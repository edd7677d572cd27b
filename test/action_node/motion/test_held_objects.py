"""Which hand has what, where only the picture of the table tells."""

import math

import numpy as np
import pytest

from action_node.motion.arm_planner import ArmPlanner
from action_node.motion.collision import CollisionChecker, Solid
from action_node.motion.config import MotionConfig
from action_node.motion.grasp import grasps
from action_node.motion.held_objects import grasped, in_hands
from action_node.motion.skills import MotionStart
from action_node.motion.table_geometry import solids_of
from lucca_core.protocol.snapshots import HAND, TABLE, Container, Pose, Snapshot, TableObject
from lucca_robot.profile import load_profile

PROFILE = load_profile('nicol')
CONFIG = MotionConfig()
CLOSED = PROFILE.home | {
    joint: value for arm in PROFILE.arms.values() for joint, value in zip(arm.hand.joints, arm.hand.closed, strict=True)
}


@pytest.fixture(scope='module')
def checker() -> CollisionChecker:
    return CollisionChecker(PROFILE, CONFIG)


@pytest.fixture(scope='module')
def arms(checker: CollisionChecker) -> dict[str, ArmPlanner]:
    return {name: ArmPlanner(PROFILE, name, CONFIG, checker) for name in PROFILE.arms}


def tool(arms: dict[str, ArmPlanner], arm: str) -> np.ndarray:
    return arms[arm].ik.forward(arms[arm].home).position_m


def thing(name: str, centre_m: np.ndarray, container: str, size_m: float = 0.06) -> TableObject:
    x, y, z = (float(value) for value in centre_m)
    return TableObject(
        object_id=name, name=name, label='thing', pose_world=Pose((x, y, z)), size_m=(size_m,) * 3, container=container
    )


def found(
    checker: CollisionChecker,
    arms: dict[str, ArmPlanner],
    held: dict[str, str],
    *things: TableObject,
    containers: tuple[Container, ...] = (),
) -> dict[str, str]:
    snapshot = Snapshot(objects=things, containers=containers)
    solids = tuple(solids_of(snapshot, PROFILE.table_top_m))
    situation = MotionStart(CLOSED, checker.positions(CLOSED), solids, PROFILE.table_top_m)
    return in_hands(arms, situation, snapshot, held)


def in_container(name: str, centre_m: np.ndarray) -> TableObject:
    """A thing whose height above the table is believed."""
    return thing(name, centre_m, 'elsewhere', 0.08)


def test_what_is_seen_in_hands_goes_to_the_nearest(checker: CollisionChecker, arms: dict[str, ArmPlanner]) -> None:
    left, right = thing('pear', tool(arms, 'left'), HAND), thing('plum', tool(arms, 'right'), HAND)
    for things in ((left, right), (right, left)):
        assert found(checker, arms, {'left': '', 'right': ''}, *things) == {'left': 'pear', 'right': 'plum'}


def test_what_was_noted_is_not_given_to_another_hand(checker: CollisionChecker, arms: dict[str, ArmPlanner]) -> None:
    pear = thing('pear', tool(arms, 'left'), HAND)
    assert found(checker, arms, {'left': '', 'right': 'pear'}, pear) == {'left': '', 'right': 'pear'}


def test_what_fingers_reach_into_is_in_the_hand(checker: CollisionChecker, arms: dict[str, ArmPlanner]) -> None:
    pear, plum = in_container('pear', tool(arms, 'left')), in_container('plum', tool(arms, 'right') + 0.3)
    assert found(checker, arms, {'left': '', 'right': ''}, plum, pear) == {'left': 'pear', 'right': ''}


@pytest.mark.parametrize('aside_m', [0.005, 0.02, 0.035])
def test_of_two_it_is_the_one_they_reach_into_most(
    checker: CollisionChecker, arms: dict[str, ArmPlanner], aside_m: float
) -> None:
    at = tool(arms, 'left')
    for near, far in (('pear', 'plum'), ('plum', 'pear')):
        things = (in_container(near, at), in_container(far, at + np.array([0.0, aside_m, 0.0])))
        for order in (things, things[::-1]):
            assert found(checker, arms, {'left': ''}, *order) == {'left': near}
            assert found(checker, arms, {'left': ''}, *order[:1]) == {'left': order[0].name}


def test_what_is_below_a_closed_hand_is_not_in_it(checker: CollisionChecker, arms: dict[str, ArmPlanner]) -> None:
    """It closed above it, or what it had fell from it; a grasp may be a centimetre above where it is easiest."""
    at = tool(arms, 'left')
    for lower_m, expected in ((0.04, 'pear'), (0.059, 'pear'), (0.061, ''), (0.07, '')):
        pear = in_container('pear', at - np.array([0.0, 0.0, lower_m]))
        assert found(checker, arms, {'left': ''}, pear) == {'left': expected}


@pytest.mark.parametrize('tilt_rad', [0.35, 0.6, 0.85])
@pytest.mark.parametrize('ahead_m', [0.06, 0.08, 0.095])
def test_something_flat_beyond_the_fingertips_is_not_in_the_hand(
    checker: CollisionChecker, arms: dict[str, ArmPlanner], tilt_rad: float, ahead_m: float
) -> None:
    arm, top_m = arms['left'], PROFILE.table_top_m
    pear = Solid('pear', (0.4, 0.25, top_m + 0.015), (0.05, 0.05, 0.03))
    asked = 0
    for grasp in grasps(pear, arm.hand, (tilt_rad,), arm.inward, top_m + CONFIG.table_clearance_m):
        joints = arm.solve(grasp.target)
        if joints is None:
            continue
        asked += 1
        x, y, _ = (float(value) for value in grasp.target.position_m)
        at = (x + ahead_m * math.cos(grasp.heading_rad), y + ahead_m * math.sin(grasp.heading_rad), top_m + 0.006)
        plum = Solid('plum', at, (0.05, 0.05, 0.012))
        there = CLOSED | dict(zip(arm.profile.joints, joints.tolist(), strict=True))
        for solids in ((pear, plum), (plum, pear)):
            situation = MotionStart(there, checker.positions(there), solids, top_m)
            assert next(iter(grasped(arm, situation))) == 'pear'
    assert asked


def test_a_container_is_in_no_hand(checker: CollisionChecker, arms: dict[str, ArmPlanner]) -> None:
    x, y, z = (float(value) for value in tool(arms, 'left'))
    box = Container(name='box 1', position_world_m=(x, y, z), size_m=(0.2, 0.2, 2 * (z - PROFILE.table_top_m)))
    assert found(checker, arms, {'left': ''}, containers=(box,)) == {'left': ''}


def test_a_hand_that_is_not_asked_about_has_nothing(checker: CollisionChecker, arms: dict[str, ArmPlanner]) -> None:
    assert (
        found(checker, arms, {}, thing('pear', tool(arms, 'left'), HAND), thing('plum', tool(arms, 'right'), TABLE))
        == {}
    )
