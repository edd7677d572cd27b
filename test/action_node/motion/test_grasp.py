import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from action_node.motion.collision import Solid
from action_node.motion.grasp import HandShape, grasps, least_above_m, most_raised_m, tool_rotation
from action_node.motion.table_geometry import gap_to_point
from lucca_robot.profile import load_profile

PROFILE = load_profile('nicol')
HANDS = {arm: HandShape(PROFILE, arm) for arm in PROFILE.arms}
ROBOTS = {
    profile.name: (profile, {arm: HandShape(profile, arm) for arm in profile.arms})
    for profile in (PROFILE, load_profile('two_six_dof'))
}
TOP = PROFILE.table_top_m
FLOOR = TOP + 0.006


@given(heading=st.floats(-math.pi, math.pi), tilt=st.floats(0.0, 1.57))
def test_a_tilted_tool_is_a_proper_rotation_that_looks_down(heading: float, tilt: float) -> None:
    rotation = tool_rotation(heading, tilt)
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(rotation) == pytest.approx(1.0)
    assert rotation[2, 2] <= 1e-9
    assert rotation[2, 0] == pytest.approx(-math.sin(tilt))


@given(
    height=st.floats(0.03, 0.12),
    width=st.floats(0.03, 0.1),
    depth=st.floats(0.03, 0.1),
    yaw=st.floats(-math.pi, math.pi),
    arm=st.sampled_from(['left', 'right']),
)
def test_no_grasp_brings_a_finger_to_the_table(height: float, width: float, depth: float, yaw: float, arm: str) -> None:
    solid = Solid('thing', (0.4, 0.2, TOP + height / 2), (width, depth, height), False, yaw)
    for grasp in grasps(solid, HANDS[arm], PROFILE.arms[arm].hand.tilts_rad, -1.0, FLOOR):
        lowest = grasp.target.position_m[2] + HANDS[arm].lowest_m(grasp.target.rotation)
        assert lowest >= FLOOR - 1e-9


@given(
    robot=st.sampled_from(sorted(ROBOTS)),
    height=st.floats(0.012, 0.12),
    width=st.floats(0.03, 0.1),
    depth=st.floats(0.03, 0.1),
    yaw=st.floats(-math.pi, math.pi),
)
def test_where_a_grasp_was_tells_what_it_was_of(
    robot: str, height: float, width: float, depth: float, yaw: float
) -> None:
    profile, hands = ROBOTS[robot]
    top_m = profile.table_top_m
    solid = Solid('thing', (0.4, 0.2, top_m + height / 2), (width, depth, height), False, yaw)
    for arm, hand in hands.items():
        for grasp in grasps(solid, hand, profile.arms[arm].hand.tilts_rad, -1.0, top_m + 0.006):
            rotation = grasp.target.rotation
            x, y, z = (float(value) for value in grasp.target.position_m)
            raised_m = z - solid.top_m - least_above_m(hand, rotation, solid.top_m, top_m + 0.006)
            assert -1e-9 <= raised_m <= most_raised_m(rotation) + 1e-9
            assert gap_to_point(solid, (x, y, solid.top_m)) < 0.02


def test_there_is_a_grasp_for_everything_from_flat_to_tall() -> None:
    for size in ((0.14, 0.05, 0.034), (0.045, 0.045, 0.045), (0.06, 0.06, 0.1), (0.14, 0.14, 0.05)):
        solid = Solid('thing', (0.4, 0.2, TOP + size[2] / 2), size)
        assert list(grasps(solid, HANDS['left'], PROFILE.arms['left'].hand.tilts_rad, -1.0, FLOOR))


def test_fingers_are_laid_across_something_long() -> None:
    for yaw in np.linspace(-3.0, 3.0, 13):
        solid = Solid('banana', (0.4, 0.2, TOP + 0.017), (0.14, 0.05, 0.034), False, float(yaw))
        first = next(grasps(solid, HANDS['left'], PROFILE.arms['left'].hand.tilts_rad, -1.0, FLOOR))
        assert abs(math.cos(first.heading_rad - yaw)) < 1e-6


def test_on_what_is_flat_a_hand_tilted_more_than_it_likes_best_comes_last() -> None:
    """Its thumb would come down on top: the banana of arrangement 101 was squeezed out of such a grasp."""
    tilts = PROFILE.arms['left'].hand.tilts_rad
    banana = Solid('banana', (0.4, 0.2, TOP + 0.017), (0.14, 0.05, 0.034), False, 0.3)
    too_steep = [grasp.tilt_rad > tilts[0] for grasp in grasps(banana, HANDS['left'], tilts, -1.0, FLOOR)]
    assert any(too_steep)
    assert too_steep == sorted(too_steep)
    cup = Solid('cup', (0.4, 0.2, TOP + 0.04), (0.068, 0.068, 0.08), True)
    by_heading = [grasp.tilt_rad for grasp in grasps(cup, HANDS['left'], tilts, -1.0, FLOOR)]
    assert by_heading[1] > tilts[0]
