"""The mask covers the robot as it is rendered."""

import mujoco
import numpy as np
import pytest

from lucca_core.errors import PerceptionError
from lucca_robot.kinematics import robot_shapes
from perception_node.camera_pose import HeadCamera, make_camera
from perception_node.robot_view import ModelView


def robot_pixels(table) -> np.ndarray:
    """The pixels that show the robot, by the renderer's own account."""
    model, data = table.table.model, table.table.data
    mujoco.mj_forward(model, data)
    with mujoco.Renderer(model, 480, 640) as renderer:
        renderer.enable_segmentation_rendering()
        renderer.update_scene(data, 'realsense')
        ids = renderer.render()[..., 0]
    links = {link for link, _ in robot_shapes(table.table.profile)}
    shown = [index for index in np.unique(ids[ids >= 0]) if model.geom(index).name.rsplit('/', 1)[0] in links]
    return np.isin(ids, shown)


@pytest.mark.parametrize('seed', range(4))
def test_every_pixel_of_the_robot_is_masked_in_any_posture(make_table, seed):
    table = make_table('pointing', 1)
    rng = np.random.default_rng(seed)
    profile = table.table.profile
    positions = dict(profile.home)
    for arm in profile.arms.values():
        for name in (*arm.joints, *arm.hand.joints):
            joint = next(item for item in profile.moving_joints if item.name == name)
            positions[name] = float(rng.uniform(max(joint.lower, -1.2), min(joint.upper, 1.2)))
    for name, value in positions.items():
        table.table.data.qpos[table.table.model.jnt_qposadr[table.table.model.joint(name).id]] = value
    view = ModelView(profile, table_z_m=0.8, margin_px=3)
    camera = make_camera(table.intrinsics, HeadCamera(profile).at({}))
    mask, hands = view.look(positions, camera)
    shown = robot_pixels(table)
    assert np.count_nonzero(shown & ~mask) <= 0.001 * shown.sum()
    assert np.count_nonzero(mask) < 2.5 * shown.sum() + 2000
    assert {hand.side for hand in hands} == set(profile.arms)


def test_hands_are_open_at_home_and_closed_when_their_joints_are(make_table):
    profile = make_table('pointing', 1).table.profile
    view = ModelView(profile, table_z_m=0.8, margin_px=0)
    camera = make_camera(make_table('pointing', 1).intrinsics, HeadCamera(profile).at({}))
    assert not any(hand.closed for hand in view.look(profile.home, camera)[1])
    left = profile.arms['left'].hand
    closed = {**profile.home, **dict(zip(left.joints, left.closed, strict=True))}
    assert {hand.side for hand in view.look(closed, camera)[1] if hand.closed} == {'left'}


def test_missing_joints_are_named(make_table):
    table = make_table('pointing', 1)
    view = ModelView(table.table.profile, table_z_m=0.8, margin_px=0)
    camera = make_camera(table.intrinsics, HeadCamera(table.table.profile).at({}))
    with pytest.raises(PerceptionError, match='joint states lack'):
        view.look({'l_joint1': 0.0}, camera)
