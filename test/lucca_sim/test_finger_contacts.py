"""What a hand has between its fingers: two links on opposite sides of one thing, never the palm."""

from collections.abc import Callable

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_robot.profile import RobotProfile, load_profile
from lucca_sim.finger_contacts import widest_angle
from lucca_sim.physics_table import PhysicsTable
from lucca_sim.scene import load_scene
from lucca_sim.trajectory_controller import Trajectory

PALM_SIDE = {'left': -1.0, 'right': 1.0}


@given(degrees=st.floats(0.0, 180.0))
def test_the_angle_is_that_between_two_links(degrees: float) -> None:
    angle = np.radians(degrees)
    normals = [(1, np.array([1.0, 0.0, 0.0])), (2, np.array([np.cos(angle), np.sin(angle), 0.0]))]
    assert widest_angle(normals) == pytest.approx(angle, abs=1e-6)


def test_one_link_alone_has_nothing_between_it() -> None:
    """Also when it touches on both sides, as a bent finger in a handle does."""
    up = np.array([0.0, 0.0, 1.0])
    assert widest_angle([(1, up), (1, -up)]) is None
    assert widest_angle([]) is None


@pytest.mark.parametrize('name', ['nicol', 'two_six_dof'])
def test_the_palm_is_no_finger(name: str) -> None:
    profile = load_profile(name)
    for side, arm in profile.arms.items():
        fingers = profile.finger_links(side)
        assert arm.tool_link not in fingers
        assert len(fingers) >= 2
        assert set(fingers) <= set(profile.hand_links(side))


@pytest.mark.physics
@pytest.mark.parametrize('side', ['left', 'right'])
@pytest.mark.parametrize('place', ['at the palm', 'beside the fingers', 'on the back of the hand'])
def test_a_cube_that_the_hand_only_touches_is_not_taken(
    side: str, place: str, profile: RobotProfile, put_in_hand: Callable[..., None]
) -> None:
    """It was, wherever a closing hand touched it, also a quarter turn off the grasp."""
    table = PhysicsTable(load_scene('tower', 0), profile)
    put_in_hand(table, 'red cube', side)
    arm, cube = profile.arms[side], table.model.joint('red cube').qposadr[0]
    palm = table.data.body(arm.tool_link)
    # In the frame of the palm: x out of its back, y along the fingers, z across.
    at = {
        'at the palm': (-0.039, 0.03, -0.035 * PALM_SIDE[side]),
        'beside the fingers': (-0.03, 0.12, 0.08 * PALM_SIDE[side]),
        'on the back of the hand': (0.033, 0.04, 0.0),
    }[place]
    table.data.qpos[cube : cube + 3] = palm.xpos + palm.xmat.reshape(3, 3) @ np.array(at)
    mujoco.mj_forward(table.model, table.data)
    table.command(arm.hand.controller, Trajectory(arm.hand.joints, [1.2], [arm.hand.closed], None, 0))
    for tick in range(1, 150):
        table.step(0.02 * tick)
        assert set(table.object_states().held_by) == {''}


@pytest.mark.physics
def test_a_cube_that_no_finger_touches_any_more_is_let_go(
    profile: RobotProfile, put_in_hand: Callable[..., None]
) -> None:
    """The fingers stay closed, and nobody asks them to open."""
    table = PhysicsTable(load_scene('tower', 0), profile)
    put_in_hand(table, 'red cube', 'left')
    hand, index = profile.arms['left'].hand, table.scene.object_names.index('red cube')
    table.command(hand.controller, Trajectory(hand.joints, [1.2], [hand.closed], None, 0))
    table.step(2.5)
    assert table.object_states().held_by[index] == 'left'
    model = table.model
    links = {model.body(link).id for link in profile.finger_links('left')}
    fingers = [geom for geom in range(model.ngeom) if model.geom_bodyid[geom] in links]
    model.geom_contype[fingers] = model.geom_conaffinity[fingers] = 0
    table.step(3.0)
    assert table.object_states().held_by[index] == ''
