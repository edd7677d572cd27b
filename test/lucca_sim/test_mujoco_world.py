"""The world: the robot is where it is alone, the camera where the description says, everything there by its name."""

import mujoco
import numpy as np
import pytest

from lucca_robot.kinematics import RobotKinematics
from lucca_robot.mujoco_model import robot_spec
from lucca_robot.profile import RobotProfile
from lucca_sim.mujoco_world import CAMERA, CameraIntrinsics, build_world, holds_name, rest_pose
from lucca_sim.scene import load_scene


@pytest.fixture(scope='module')
def model(profile: RobotProfile) -> mujoco.MjModel:
    return build_world(load_scene('sorting_tower', 3), profile).compile()


def test_the_robot_stands_and_moves_in_the_world_as_it_does_alone(model: mujoco.MjModel, profile: RobotProfile) -> None:
    alone = robot_spec(profile).compile()
    here, there = mujoco.MjData(model), mujoco.MjData(alone)
    kinematics = RobotKinematics(profile)
    rng = np.random.default_rng(5)
    for _ in range(20):
        positions = {joint.name: float(rng.uniform(joint.lower, joint.upper)) for joint in profile.moving_joints}
        for name, position in positions.items():
            here.qpos[model.jnt_qposadr[model.joint(name).id]] = position
            there.qpos[alone.jnt_qposadr[alone.joint(name).id]] = position
        mujoco.mj_kinematics(model, here)
        mujoco.mj_kinematics(alone, there)
        kinematics.update(positions)
        for side, arm in profile.arms.items():
            assert here.body(arm.tool_link).xpos == pytest.approx(there.body(arm.tool_link).xpos, abs=1e-12)
            rotation, position = kinematics.tool_pose(side)
            site = model.site(f'{side} tool').id
            assert here.site_xpos[site] == pytest.approx(position, abs=1e-9)
            assert here.site_xmat[site].reshape(3, 3) == pytest.approx(rotation, abs=1e-9)


def test_the_camera_looks_along_its_optical_frame(model: mujoco.MjModel, profile: RobotProfile) -> None:
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    kinematics = RobotKinematics(profile)
    kinematics.update(profile.home)
    rotation, position = kinematics.camera_pose()
    camera = model.camera(CAMERA).id
    assert data.cam_xpos[camera] == pytest.approx(position, abs=1e-9)
    seen = data.cam_xmat[camera].reshape(3, 3) * (1, -1, -1)
    assert seen == pytest.approx(rotation, abs=1e-9)


def test_the_camera_can_be_moved_along_the_axes_of_the_world(profile: RobotProfile) -> None:
    scene = load_scene('pointing', 0)
    places = []
    for offset in ((0.0, 0.0, 0.0), (0.1, -0.2, 0.05)):
        model = build_world(scene, profile, offset).compile()
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        places.append(data.cam_xpos[model.camera(CAMERA).id].copy())
    assert places[1] - places[0] == pytest.approx((0.1, -0.2, 0.05))


def test_everything_is_there_by_its_name_and_at_its_place(model: mujoco.MjModel, profile: RobotProfile) -> None:
    scene = load_scene('sorting_tower', 3)
    data = mujoco.MjData(model)
    data.qpos[:] = rest_pose(model, profile)
    mujoco.mj_forward(model, data)
    for item in scene.objects:
        assert data.body(item.name).xpos == pytest.approx(item.pose.position_m)
        assert model.body_subtreemass[model.body(item.name).id] == pytest.approx(item.mass_kg)
        for side in profile.arms:
            assert not model.eq_active0[model.equality(holds_name(side, item.name)).id]
    for container in scene.containers:
        assert data.body(container.name).xpos == pytest.approx(container.position_world_m)
    for name, position in profile.home.items():
        assert data.joint(name).qpos == pytest.approx(position)


def test_intrinsics_put_the_corner_of_the_field_of_view_at_the_edge_of_the_picture() -> None:
    camera = CameraIntrinsics()
    upper = (0 - 0.5 - camera.centre_px[1]) / camera.focal_px
    assert np.degrees(np.arctan(-upper)) == pytest.approx(camera.fov_y_deg / 2)
