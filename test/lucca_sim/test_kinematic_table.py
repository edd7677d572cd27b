"""Without dynamics: exact joints, a fist that pushes, and nothing that jumps."""

from collections.abc import Callable

import numpy as np
import pytest

from lucca_robot.profile import RobotProfile
from lucca_sim.kinematic_table import KinematicTable
from lucca_sim.scene import load_scene
from lucca_sim.trajectory_controller import Trajectory


def test_joints_are_exactly_where_they_are_told(profile: RobotProfile) -> None:
    table = KinematicTable(load_scene('pointing', 0), profile)
    arm = profile.arms['right']
    goal = [0.9 * value for value in arm.home]
    table.command(arm.controller, Trajectory(arm.joints, [1.0], [goal], None, 0))
    table.step(1.5)
    assert [table.joint_positions()[name] for name in arm.joints] == pytest.approx(goal, abs=1e-12)


def test_what_is_let_go_sinks_without_a_jump_and_comes_to_rest(
    profile: RobotProfile, put_in_hand: Callable[..., None]
) -> None:
    scene = load_scene('tower', 0)
    table = KinematicTable(scene, profile)
    put_in_hand(table, 'red cube', 'left')
    index = scene.object_names.index('red cube')
    hand = profile.arms['left'].hand
    table.command(hand.controller, Trajectory(hand.joints, [0.5], [hand.closed], None, 0))
    table.step(0.8)
    assert table.object_states().held_by[index] == 'left'
    table.command(hand.controller, Trajectory(hand.joints, [0.3], [hand.open], None, 0))
    before = table.object_states().positions_m[index]
    for tick in range(200):
        table.step(0.8 + 0.02 * tick)
        now = table.object_states().positions_m[index]
        assert np.linalg.norm(now - before) < 0.05
        before = now
    assert table.object_states().held_by[index] == ''
    assert now[2] == pytest.approx(scene.table.height_m + 0.0225)
    assert np.abs(table.object_states().velocities[index]).max() == 0


def test_only_what_has_moved_is_drawn_anew(profile: RobotProfile) -> None:
    table = KinematicTable(load_scene('pointing', 0), profile)
    first = table.render()
    table.step(0.2)
    assert table.time_s >= 0.2
    assert all(one is other for one, other in zip(table.render(), first, strict=True))
    hand = profile.arms['right'].hand
    table.command(hand.controller, Trajectory(hand.joints, [0.1], [hand.closed], None, 0))
    table.step(0.6)
    rgb, depth_m = table.render()
    assert not np.array_equal(rgb, first[0])
    assert not np.array_equal(depth_m, first[1])
    table.close()
