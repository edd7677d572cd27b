import mujoco
import numpy as np
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from lucca_robot.kinematics import RobotKinematics, robot_shapes
from lucca_robot.mujoco_model import robot_spec
from lucca_robot.profile import load_profile

PROFILES = {name: load_profile(name) for name in ('nicol', 'two_six_dof')}
MODELS = {name: robot_spec(profile).compile() for name, profile in PROFILES.items()}


@pytest.mark.parametrize('name', PROFILES)
@settings(max_examples=examples(40), deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_compiled_model_and_the_plain_chain_agree_to_1e_9(name: str, seed: int) -> None:
    profile, model = PROFILES[name], MODELS[name]
    rng = np.random.default_rng(seed)
    positions = {joint.name: float(rng.uniform(joint.lower, joint.upper)) for joint in profile.moving_joints}
    data = mujoco.MjData(model)
    for joint, value in positions.items():
        data.qpos[model.jnt_qposadr[model.joint(joint).id]] = value
    mujoco.mj_kinematics(model, data)
    kinematics = RobotKinematics(profile)
    kinematics.update(positions)
    for link in profile.description.links:
        rotation, position = kinematics.link_pose(link.name)
        body = model.body(link.name if link.name != profile.description.root else 'world').id
        np.testing.assert_allclose(data.xpos[body], position, atol=1e-9)
        np.testing.assert_allclose(data.xmat[body].reshape(3, 3), rotation, atol=1e-9)
    for placed in kinematics.placed_shapes():
        assert placed.rotation @ placed.rotation.T == pytest.approx(np.eye(3), abs=1e-9)


def test_shapes_are_placed_where_the_model_has_its_geoms() -> None:
    profile, model = PROFILES['nicol'], MODELS['nicol']
    data = mujoco.MjData(model)
    for joint, value in profile.home.items():
        data.qpos[model.jnt_qposadr[model.joint(joint).id]] = value
    mujoco.mj_kinematics(model, data)
    counts: dict[str, int] = {}
    for placed in RobotKinematics(profile).placed_shapes():
        index = counts.get(placed.link, 0)
        counts[placed.link] = index + 1
        np.testing.assert_allclose(data.geom(f'{placed.link}/{index}').xpos, placed.position_m, atol=1e-9)
    assert sum(counts.values()) == len(robot_shapes(profile))


@pytest.mark.parametrize('name', PROFILES)
@pytest.mark.parametrize('arm', ['left', 'right'])
def test_a_hand_is_closed_when_closed_and_not_when_open(name: str, arm: str) -> None:
    kinematics = RobotKinematics(PROFILES[name])
    hand = PROFILES[name].arms[arm].hand
    assert kinematics.hand_closing(arm, dict(zip(hand.joints, hand.closed, strict=True))) == pytest.approx(1.0)
    assert kinematics.hand_closed(arm, dict(zip(hand.joints, hand.closed, strict=True)))
    assert not kinematics.hand_closed(arm, dict(zip(hand.joints, hand.open, strict=True)))


@pytest.mark.parametrize('arm', ['left', 'right'])
def test_the_pointing_ray_runs_along_the_stretched_index_finger(arm: str) -> None:
    profile = PROFILES['nicol']
    kinematics = RobotKinematics(profile)
    hand = profile.arms[arm].hand
    kinematics.update(profile.home | dict(zip(hand.joints, hand.point, strict=True)))
    tip, direction = kinematics.pointing_ray(arm)
    root = kinematics.link_pose(f'{arm[0]}_Iproximal')[1]
    along = (tip - root) / np.linalg.norm(tip - root)
    assert direction @ along > 0.99


def test_the_camera_looks_down_and_back_at_the_robot() -> None:
    rotation, position = RobotKinematics(PROFILES['nicol']).camera_pose()
    assert position == pytest.approx([0.859, 0.035, 1.9495], abs=1e-3)
    assert rotation[:, 2] @ np.array([0.0, 0.0, -1.0]) > 0.9
    assert rotation[0, 2] < -0.2


def test_an_unknown_link_is_named() -> None:
    with pytest.raises(ValueError, match="'tail' is not a link"):
        RobotKinematics(PROFILES['nicol']).link_pose('tail')
