"""The camera moves with the head: its pose from joints, a measured pose taken along, and objects that stay in place."""

import dataclasses

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from lucca_robot.kinematics import RobotKinematics
from lucca_robot.profile import load_profile
from perception_node.camera_pose import CameraPose, HeadCamera, pose_from_numbers
from perception_node.config import PerceptionConfig

PROFILE = load_profile('nicol')
PAN, TILT = PROFILE.head_joints
ANGLES = st.floats(-0.4, 0.4)


def of_kinematics(positions: dict[str, float]) -> CameraPose:
    kinematics = RobotKinematics(PROFILE)
    kinematics.update(PROFILE.home | positions)
    return CameraPose(*kinematics.camera_pose())


@given(pan=ANGLES, tilt=ANGLES)
def test_the_pose_is_the_one_of_the_joints(pan: float, tilt: float) -> None:
    positions = {PAN: pan, TILT: tilt}
    assert HeadCamera(PROFILE).at(positions).is_near(of_kinematics(positions))


@given(pan=ANGLES, tilt=ANGLES)
def test_what_was_measured_at_home_keeps_its_place_on_the_head(pan: float, tilt: float) -> None:
    """Whatever the profile is wrong by at home, it is wrong by in the head's own frame, however the head turns."""
    home = of_kinematics({})
    error, shift = Rotation.from_rotvec((0.02, -0.03, 0.01)).as_matrix(), np.array([0.01, -0.02, 0.005])
    measured = CameraPose(home.rotation @ error, home.position_m + home.rotation @ shift)
    turned, pose = of_kinematics({PAN: pan, TILT: tilt}), HeadCamera(PROFILE, measured).at({PAN: pan, TILT: tilt})
    assert pose.is_near(CameraPose(turned.rotation @ error, turned.position_m + turned.rotation @ shift))
    assert HeadCamera(PROFILE, measured).at({}).is_near(measured)


def test_a_robot_without_a_head_leaves_the_camera_where_it_is() -> None:
    camera = HeadCamera(load_profile('two_six_dof'))
    assert camera.at({'left_turn': 1.0}).is_near(camera.at({}))


def turn_head(table, pan: float, tilt: float) -> None:
    for joint, angle in ((PAN, pan), (TILT, tilt)):
        table.table.data.qpos[table.table.model.jnt_qposadr[table.table.model.joint(joint).id]] = angle
    mujoco.mj_forward(table.table.model, table.table.data)


@pytest.mark.parametrize(('pan', 'tilt'), [(0.12, 0.0), (-0.1, 0.05), (0.0, -0.06)])
def test_objects_stay_where_they_are_while_the_head_looks_elsewhere(make_table, pan, tilt):
    table = make_table(seed=3)
    pipeline = table.pipeline()
    before = {item.name: item for item in table.look(pipeline, 2).objects}
    turn_head(table, pan, tilt)
    assert table.table.joint_positions()[PAN] == pytest.approx(pan)
    after = table.look(pipeline, 2)
    seen = [item for item in after.objects if item.visible and item.name in before]
    assert len(seen) >= 3
    for item in seen:
        other = before[item.name]
        assert item.object_id == other.object_id
        assert item.pose_world.position_m == pytest.approx(other.pose_world.position_m, abs=0.012), item.name


def test_a_pose_that_is_told_with_the_frame_goes_before_that_of_the_joints(make_table):
    table = make_table(seed=3)
    pipeline = table.pipeline()
    frame = table.frame()
    told = of_kinematics({PAN: 0.1})
    pipeline.process(dataclasses.replace(frame, camera_pose=told))
    assert CameraPose(pipeline.camera.rotation, pipeline.camera.position_m).is_near(told)
    pipeline.process(dataclasses.replace(frame, stamp_s=frame.stamp_s + 0.1))
    assert CameraPose(pipeline.camera.rotation, pipeline.camera.position_m).is_near(of_kinematics({}))


def test_a_measured_pose_of_the_settings_moves_with_the_head(make_table):
    home = of_kinematics({})
    quaternion = tuple(float(value) for value in Rotation.from_matrix(home.rotation).as_quat())
    numbers = (*(float(value) for value in home.position_m), *quaternion)
    table = make_table(seed=3)
    pipeline = table.pipeline(PerceptionConfig(camera_pose_from_robot=False, camera_pose=numbers))
    turn_head(table, 0.1, 0.0)
    pipeline.process(table.frame())
    assert CameraPose(pipeline.camera.rotation, pipeline.camera.position_m).is_near(of_kinematics({PAN: 0.1}))
    assert pose_from_numbers(numbers).is_near(home)
