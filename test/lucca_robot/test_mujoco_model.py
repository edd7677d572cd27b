import mujoco
import numpy as np
import pytest

from lucca_robot.mujoco_model import robot_spec
from lucca_robot.profile import load_profile


@pytest.mark.parametrize('name', ['nicol', 'two_six_dof'])
def test_the_robot_stands_still_at_home_and_touches_nothing(name: str) -> None:
    profile = load_profile(name)
    model = robot_spec(profile).compile()
    data = mujoco.MjData(model)
    for joint, value in profile.home.items():
        data.qpos[model.jnt_qposadr[model.joint(joint).id]] = value
        data.ctrl[model.actuator(joint).id] = value
    start = data.qpos.copy()
    mujoco.mj_step(model, data, 250)
    assert data.ncon == 0
    assert np.abs(data.qpos - start).max() < 1e-6


@pytest.mark.parametrize('name', ['nicol', 'two_six_dof'])
def test_joints_actuators_and_limits_carry_the_names_of_the_description(name: str) -> None:
    profile = load_profile(name)
    model = robot_spec(profile).compile()
    assert model.nu == model.njnt == len(profile.moving_joints)
    for joint in profile.moving_joints:
        assert model.joint(joint.name).range == pytest.approx([joint.lower, joint.upper], abs=1e-12)
        assert model.actuator(joint.name).trnid[0] == model.joint(joint.name).id


def test_an_arm_settles_where_it_is_sent() -> None:
    profile = load_profile('nicol')
    model = robot_spec(profile).compile()
    data = mujoco.MjData(model)
    target = dict(profile.home)
    for joint in profile.arms['right'].joints:
        target[joint] += 0.2 if target[joint] < 0 else -0.2
    for joint, value in profile.home.items():
        data.qpos[model.jnt_qposadr[model.joint(joint).id]] = value
        data.ctrl[model.actuator(joint).id] = target[joint]
    mujoco.mj_step(model, data, 200)
    for joint, value in target.items():
        assert data.qpos[model.jnt_qposadr[model.joint(joint).id]] == pytest.approx(value, abs=2e-3)
