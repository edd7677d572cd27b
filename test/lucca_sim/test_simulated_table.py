"""What both kinds of table promise."""

from collections.abc import Callable

import numpy as np
import pytest

from lucca_robot.kinematics import RobotKinematics
from lucca_robot.profile import RobotProfile
from lucca_sim.robot_at_table import RobotAtTable
from lucca_sim.trajectory_controller import Trajectory

Put = Callable[..., None]


def move(table: RobotAtTable, controller: str, positions: tuple[float, ...], seconds: float = 0.6) -> None:
    table.command(controller, Trajectory(table.controllers[controller], [seconds], [positions], None, 0))
    table.step(table.time_s + seconds + 0.2)


def hand_to(table: RobotAtTable, profile: RobotProfile, side: str, posture: str) -> None:
    hand = profile.arms[side].hand
    move(table, hand.controller, getattr(hand, posture))


def test_time_begins_at_zero_and_goes_where_it_is_told(table: RobotAtTable) -> None:
    assert table.time_s == 0.0
    table.step(0.1)
    assert table.time_s == pytest.approx(0.1, abs=0.005)
    table.step(0.05)
    assert table.time_s == pytest.approx(0.1, abs=0.005)


def test_the_robot_begins_at_home_and_stays_there(table: RobotAtTable, profile: RobotProfile) -> None:
    table.step(1.0)
    positions = table.joint_positions()
    assert list(positions) == [joint.name for joint in profile.moving_joints]
    assert positions == pytest.approx(profile.home, abs=2e-3)
    assert table.joint_velocities() == pytest.approx(dict.fromkeys(positions, 0.0), abs=1e-3)


def test_it_has_a_controller_for_each_group_of_the_profile(table: RobotAtTable, profile: RobotProfile) -> None:
    assert dict(table.controllers) == profile.controllers


def test_joints_go_where_their_controller_is_told(table: RobotAtTable, profile: RobotProfile) -> None:
    arm = profile.arms['left']
    goal = tuple(np.array(arm.home) + 0.1)
    goal = tuple(
        float(np.clip(value, profile.description.joint(name).lower, profile.description.joint(name).upper))
        for name, value in zip(arm.joints, goal, strict=True)
    )
    move(table, arm.controller, goal)
    positions = table.joint_positions()
    assert [positions[name] for name in arm.joints] == pytest.approx(goal, abs=3e-3)


def test_an_unknown_controller_is_refused_with_those_there_are(table: RobotAtTable) -> None:
    with pytest.raises(ValueError, match=r"unknown controller 'third_arm'.*left_arm_controller"):
        table.command('third_arm', Trajectory(('a',), [1.0], [(0.0,)], None, 0))


def test_objects_stay_where_they_stand(table: RobotAtTable) -> None:
    table.step(0.5)
    before = table.object_states()
    table.step(1.5)
    after = table.object_states()
    assert after.positions_m == pytest.approx(before.positions_m, abs=1e-4)
    assert np.abs(after.velocities).max() < 1e-3
    assert after.held_by == ('',) * len(table.scene.objects)


def test_a_hand_that_closes_on_an_object_holds_it_carries_it_and_lets_go(
    table: RobotAtTable, profile: RobotProfile, put_in_hand: Put
) -> None:
    put_in_hand(table, 'red cube', 'left')
    index = table.scene.object_names.index('red cube')
    hand_to(table, profile, 'left', 'closed')
    assert table.object_states().held_by[index] == 'left'
    before = table.object_states().positions_m[index]
    arm = profile.arms['left']
    away = list(arm.home)
    away[0] -= 0.25
    move(table, arm.controller, tuple(away), 1.5)
    after = table.object_states().positions_m[index]
    kinematics = RobotKinematics(profile)
    kinematics.update(profile.home)
    start = kinematics.tool_position('left')
    kinematics.update(table.joint_positions())
    assert np.linalg.norm(after - before) > 0.03
    assert np.linalg.norm(after - before) == pytest.approx(
        np.linalg.norm(kinematics.tool_position('left') - start), abs=0.03
    )
    hand_to(table, profile, 'left', 'open')
    assert table.object_states().held_by[index] == ''


def test_a_hand_that_closes_away_from_everything_holds_nothing(
    table: RobotAtTable, profile: RobotProfile, put_in_hand: Put
) -> None:
    put_in_hand(table, 'red cube', 'left', 0.12)
    hand_to(table, profile, 'left', 'closed')
    assert set(table.object_states().held_by) == {''}


def test_a_hand_that_takes_the_pointing_posture_holds_nothing(
    table: RobotAtTable, profile: RobotProfile, put_in_hand: Put
) -> None:
    put_in_hand(table, 'red cube', 'left')
    hand_to(table, profile, 'left', 'point')
    assert set(table.object_states().held_by) == {''}


def test_two_hands_do_not_hold_one_object(table: RobotAtTable, profile: RobotProfile, put_in_hand: Put) -> None:
    put_in_hand(table, 'red cube', 'left')
    hand_to(table, profile, 'left', 'closed')
    hand_to(table, profile, 'right', 'closed')
    assert table.object_states().held_by.count('left') == 1
    assert 'right' not in table.object_states().held_by


def test_the_camera_sees_colour_and_true_distance(table: RobotAtTable) -> None:
    rgb, depth = table.render()
    info = table.camera_info
    assert rgb.shape == (info.height, info.width, 3)
    assert depth.shape == (info.height, info.width)
    kinematics = RobotKinematics(table.profile)
    kinematics.update(table.profile.home)
    rotation, position = kinematics.camera_pose()
    # The pixel whose ray goes through the top of a cube shows the cube's colour at the depth of its top.
    for name, channel in (('red cube', 0), ('blue cube', 2)):
        item = table.scene.object_named(name)
        assert item is not None
        top = np.array(item.pose.position_m) + np.array((0, 0, item.size_m[2] / 2))
        x, y, z = rotation.T @ (top - position)
        u = round(info.focal_px * x / z + info.centre_px[0])
        v = round(info.focal_px * y / z + info.centre_px[1])
        assert depth[v, u] == pytest.approx(z, abs=0.003)
        assert rgb[v, u].argmax() == channel
    table.close()


def test_the_showcase_is_a_picture(table: RobotAtTable) -> None:
    smooth, quick = table.showcase(smooth=True), table.showcase()
    assert smooth.shape == quick.shape
    assert smooth.std() > 10
    table.close()
