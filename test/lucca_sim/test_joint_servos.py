"""Servos of the Gazebo world, against physics that applies a controller's force explicitly, as Gazebo does."""

import os
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np
import pytest

from lucca_robot.mujoco_model import robot_spec
from lucca_robot.profile import RobotProfile, load_profile
from lucca_sim.joint_servos import joint_inertias, mass_matrix
from lucca_sim.scene import load_scene
from lucca_sim.sdf import ROBOT_MODEL, STEP_S, sdf_of

ROBOTS = ('nicol', 'two_six_dof')
PUBLIC = ('baxter', 'panda', 'ur5_pair')
"""Profiles of descriptions that are not kept here."""

DESCRIPTIONS = os.environ.get('ROBOT_DESCRIPTIONS_DIR', 'nowhere')
needs_descriptions = pytest.mark.skipif(
    not list(Path(DESCRIPTIONS).rglob('*.urdf')), reason='ROBOT_DESCRIPTIONS_DIR names no folder of URDF files'
)


TENSOR = ('ixx', 'iyy', 'izz', 'ixy', 'ixz', 'iyz')


@dataclass(frozen=True)
class Gains:
    """What the world's file says of one joint."""

    stiffness: float
    explicit_damping: float
    damping: float
    start: float


def gains_in(world: ET.Element) -> dict[str, Gains]:
    """The gains of every joint that a controller of the world moves, or our plugin."""
    damping = {
        joint.get('name', ''): float(joint.findtext('axis/dynamics/damping') or 0.0) for joint in world.iter('joint')
    }
    found = {}
    for plugin in world.iter('plugin'):
        if plugin.find('position_p_gain') is None:
            continue
        columns = [
            [element.text or '' for element in plugin.findall(tag)]
            for tag in ('joint_name', 'position_p_gain', 'position_d_gain', 'initial_position')
        ]
        for name, stiffness, explicit, start in zip(*columns, strict=True):
            found[name] = Gains(float(stiffness), float(explicit), damping[name], float(start))
    starts = {start.findtext('joint'): float(start.findtext('position') or 'nan') for start in world.iter('start')}
    for follower in world.iter('follower'):
        name = follower.findtext('joint') or ''
        found[name] = Gains(float(follower.findtext('stiffness') or 'nan'), 0.0, damping[name], starts[name])
    return found


@pytest.fixture(scope='module', params=[*ROBOTS, *(pytest.param(name, marks=needs_descriptions) for name in PUBLIC)])
def robot(request: pytest.FixtureRequest) -> RobotProfile:
    with pytest.MonkeyPatch.context() as patch:
        if request.param in PUBLIC:
            patch.setenv('LUCCA_ROBOTS_DIR', DESCRIPTIONS)
        return load_profile(request.param)


@pytest.fixture(scope='module')
def gains(robot: RobotProfile) -> dict[str, Gains]:
    return gains_in(sdf_of(load_scene('sorting_tower', 0), robot))


def test_no_joint_hangs_loose(robot: RobotProfile, gains: dict[str, Gains]) -> None:
    assert set(gains) == {joint.name for joint in robot.moving_joints}


def test_no_joint_has_gains_that_its_step_cannot_follow(robot: RobotProfile, gains: dict[str, Gains]) -> None:
    for name, inertia in joint_inertias(robot).items():
        assert gains[name].explicit_damping * STEP_S / inertia.least < 2, name
        assert 0 < gains[name].stiffness * STEP_S**2 / inertia.least < 1, name
        assert gains[name].damping > 0, name


def test_masses_and_inertias_are_those_of_bodies(robot: RobotProfile) -> None:
    """Positive, within what a robot's link can have, and no principal inertia above the sum of the others."""
    model = sdf_of(load_scene('sorting_tower', 0), robot).find(f"world/model[@name='{ROBOT_MODEL}']")
    assert model is not None
    for link in model.findall('link'):
        values = {name: float(link.findtext(f'inertial/inertia/{name}') or 'nan') for name in TENSOR}
        ixx, iyy, izz, ixy, ixz, iyz = values.values()
        principal = np.sort(np.linalg.eigvalsh([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]]))
        assert 1e-6 <= float(link.findtext('inertial/mass') or 'nan') < 100, link.get('name')
        assert 0 < principal[0] <= principal[2] < 20, link.get('name')
        assert principal[2] <= (principal[0] + principal[1]) * 1.001, link.get('name')


def test_joints_that_pull_at_each_other_are_stable_together(robot: RobotProfile, gains: dict[str, Gains]) -> None:
    model, data = without_rotors(robot)
    stiffness = np.diag([gains[model.joint(index).name].stiffness for index in range(model.nv)])
    draw = np.random.default_rng(1)
    for _ in range(20):
        data.qpos[:] = draw.uniform(model.jnt_range[:, 0], model.jnt_range[:, 1])
        modes = np.linalg.eigvals(np.linalg.solve(mass_matrix(model, data), stiffness))
        assert np.abs(modes).max() * STEP_S**2 < 1


def without_rotors(robot: RobotProfile) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """The robot alone, with neither MuJoCo's servos nor the rotors that no SDF has."""
    spec = robot_spec(robot)
    for actuator in list(spec.actuators):
        spec.delete(actuator)
    for joint in spec.joints:
        joint.armature = 0.0
    for geom in spec.geoms:
        geom.contype = geom.conaffinity = 0
    spec.option.timestep = STEP_S
    model = spec.compile()
    return model, mujoco.MjData(model)


def furthest_from_start(robot: RobotProfile, gains: dict[str, Gains], seconds: float) -> float:
    """Moves the robot from its zero posture to the start as Gazebo would, and says how far any joint is from it."""
    model, data = without_rotors(robot)
    names = [model.joint(index).name for index in range(model.nv)]
    chosen = [gains[name] for name in names]
    model.dof_damping[:] = [each.damping for each in chosen]
    stiffness = np.array([each.stiffness for each in chosen])
    explicit = np.array([each.explicit_damping for each in chosen])
    start = np.array([each.start for each in chosen])
    data.qpos[:] = [robot.home[name] for name in names]
    data.qpos[:] += np.clip(0.05, model.jnt_range[:, 0] - data.qpos, model.jnt_range[:, 1] - data.qpos)
    for _ in range(round(seconds / STEP_S)):
        data.qfrc_applied[:] = stiffness * (start - data.qpos) - explicit * data.qvel
        mujoco.mj_step(model, data)
        if not np.isfinite(data.qpos).all() or data.warning[mujoco.mjtWarning.mjWARN_BADQACC].number:
            return float('inf')
    return float(np.abs(data.qpos - start).max())


def test_the_robot_comes_to_rest_at_home(robot: RobotProfile, gains: dict[str, Gains]) -> None:
    assert furthest_from_start(robot, gains, 5.0) < 0.01


def test_with_the_damping_in_the_controller_it_flies_apart(robot: RobotProfile, gains: dict[str, Gains]) -> None:
    """What the world once did: the damping that Gazebo's controller applies explicitly, over light wrists."""
    arms = {joint for arm in robot.arms.values() for joint in arm.joints}
    once = {
        name: Gains(*((1500.0, 60.0) if name in arms else (2.0, 0.05)), damping=0.0, start=each.start)
        for name, each in gains.items()
    }
    assert furthest_from_start(robot, once, 1.0) > 1.0
