"""The SDF world is what Gazebo's own parser accepts, with link poses and joints equal to ours."""

import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import mujoco
import numpy as np
import pytest
from narrow_gripper import narrow_gripper

from lucca_robot.description import rotation_from_rpy
from lucca_robot.kinematics import LinkPoses
from lucca_robot.profile import RobotProfile, load_profile
from lucca_sim.controller_manager import ControllerManager
from lucca_sim.mujoco_world import build_world
from lucca_sim.scene import Scene, load_scene, scene_names
from lucca_sim.sdf import GRASPS_FILE, GRASPS_NAME, ROBOT_MODEL, _colliding, sdf_of, write_sdf
from lucca_sim.shapes import Primitive

needs_ign = pytest.mark.skipif(
    shutil.which('ign') is None, reason='ign is not installed (apt install libsdformat-dev sdformat-sdf ignition-tools)'
)


def ign(*arguments: str) -> str:
    done = subprocess.run(['ign', 'sdf', *arguments], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def parsed_back(file: Path) -> ET.Element | None:
    """The world as Gazebo's parser understood it."""
    return ET.fromstring(ign('-p', str(file))).find('world')  # noqa: S314 - our own file


def numbers(text: str | None) -> np.ndarray:
    return np.array([float(part) for part in (text or '').split()])


def transform(pose: ET.Element | None) -> np.ndarray:
    """The 4x4 matrix of a pose element, whatever its rotation format; identity where there is none."""
    matrix = np.eye(4)
    if pose is None:
        return matrix
    values = numbers(pose.text)
    matrix[:3, 3] = values[:3]
    if pose.get('rotation_format') == 'quat_xyzw':
        x, y, z, w = values[3:]
        flat = np.zeros(9)
        mujoco.mju_quat2Mat(flat, np.array((w, x, y, z)))
        matrix[:3, :3] = flat.reshape(3, 3)
    else:
        matrix[:3, :3] = rotation_from_rpy(tuple(values[3:]))
    return matrix


def link_transforms(model: ET.Element) -> dict[str, np.ndarray]:
    """The pose of each link in the model, through all that it is relative to."""
    links = {link.get('name'): link for link in model.findall('link')}
    found: dict[str, np.ndarray] = {}

    def resolve(name: str) -> np.ndarray:
        if name not in found:
            pose = links[name].find('pose')
            parent = pose.get('relative_to', '__model__') if pose is not None else '__model__'
            found[name] = (np.eye(4) if parent == '__model__' else resolve(parent)) @ transform(pose)
        return found[name]

    for name in links:
        resolve(name)
    return found


@needs_ign
@pytest.mark.parametrize(
    'name',
    [
        pytest.param(name, marks=() if name in ('sorting_tower', 'recipe') else pytest.mark.slow)
        for name in scene_names()
    ],
)
def test_gazebos_parser_accepts_every_scene(name: str, tmp_path: Path, profile: RobotProfile) -> None:
    file = tmp_path / 'world.sdf'
    write_sdf(load_scene(name, 1), profile, file)
    assert 'Valid' in ign('--check', str(file))


@needs_ign
def test_gazebos_parser_accepts_the_world_that_ros2_control_moves(tmp_path: Path, profile: RobotProfile) -> None:
    file = tmp_path / 'world.sdf'
    write_sdf(load_scene('tower', 1), profile, file, ControllerManager(tmp_path / 'controllers.yaml'))
    assert 'Valid' in ign('--check', str(file))
    world = parsed_back(file)
    assert world is not None
    controlled = [joint for joints in profile.controllers.values() for joint in joints]
    for name in controlled:
        effort = world.findtext(f"model[@name='{ROBOT_MODEL}']/joint[@name='{name}']/axis/limit/effort")
        assert 0 < float(effort or 'nan') < np.inf, name


@needs_ign
@pytest.mark.parametrize('robot', ['nicol', 'two_six_dof'])
def test_parsed_back_links_and_joints_of_the_robot_are_ours(robot: str, tmp_path: Path) -> None:
    profile = load_profile(robot)
    file = tmp_path / 'world.sdf'
    write_sdf(load_scene('tower', 1), profile, file)
    world = parsed_back(file)
    assert world is not None
    model = world.find(f"model[@name='{ROBOT_MODEL}']")
    assert model is not None
    poses = LinkPoses(profile.description)
    poses.update({joint.name: 0.0 for joint in profile.moving_joints})
    links = link_transforms(model)
    assert set(links) >= {joint.child for joint in profile.description.joints}
    for name, matrix in links.items():
        rotation, position = poses.link_pose(name)
        assert matrix[:3, 3] == pytest.approx(position, abs=1e-6)
        assert matrix[:3, :3] == pytest.approx(rotation, abs=1e-6)
    for joint in profile.description.joints:
        element = model.find(f"joint[@name='{joint.name}']")
        assert element is not None
        assert (element.findtext('parent'), element.findtext('child')) == (joint.parent, joint.child)
        assert element.get('type') == joint.kind
        if joint.moves:
            assert numbers(element.findtext('axis/xyz')) == pytest.approx(joint.axis, abs=1e-6)
            assert float(element.findtext('axis/limit/lower') or 'nan') == pytest.approx(joint.lower, abs=1e-6)
            assert float(element.findtext('axis/limit/upper') or 'nan') == pytest.approx(joint.upper, abs=1e-6)


@needs_ign
def test_parsed_back_objects_and_containers_stand_where_the_scene_says(tmp_path: Path, profile: RobotProfile) -> None:
    scene = load_scene('sorting_tower', 4)
    file = tmp_path / 'world.sdf'
    write_sdf(scene, profile, file)
    world = parsed_back(file)
    assert world is not None
    models = {model.get('name'): model for model in world.findall('model')}
    for item in scene.objects:
        matrix = transform(models[item.name].find('pose'))
        assert matrix[:3, 3] == pytest.approx(item.pose.position_m, abs=1e-6)
        assert (
            np.arctan2(matrix[1, 0], matrix[0, 0])
            == pytest.approx(2 * np.arctan2(item.pose.orientation_xyzw[2], item.pose.orientation_xyzw[3]), abs=1e-6)
            or item.pose.orientation_xyzw[3] < 0.7
        )
        assert float(models[item.name].findtext('link/inertial/mass') or 'nan') == pytest.approx(item.mass_kg)
    for container in scene.containers:
        assert transform(models[container.name].find('pose'))[:3, 3] == pytest.approx(
            container.position_world_m, abs=1e-6
        )
        assert models[container.name].findtext('static') in ('true', '1')


def test_every_link_has_an_inertia_that_can_be(profile: RobotProfile) -> None:
    scene: Scene = load_scene('sorting_tower', 0)
    for link in sdf_of(scene, profile).iter('link'):
        inertial = link.find('inertial')
        assert inertial is not None, link.get('name')
        assert float(inertial.findtext('mass') or 'nan') > 0
        ixx, iyy, izz = (float(inertial.findtext(f'inertia/{name}') or 'nan') for name in ('ixx', 'iyy', 'izz'))
        assert min(ixx, iyy, izz) > 0


GRASPS_SOURCE = Path(__file__).resolve().parents[2] / 'lucca_gazebo' / 'src' / 'grasps.cc'


@pytest.fixture
def robot_model(profile: RobotProfile) -> ET.Element:
    model = sdf_of(load_scene('tower', 1), profile).find(f"world/model[@name='{ROBOT_MODEL}']")
    assert model is not None
    return model


def test_the_plugin_for_grasps_stands_after_the_controllers_that_it_overrules(robot_model: ET.Element) -> None:
    names = [plugin.get('name') for plugin in robot_model.findall('plugin')]
    assert names[-1] == GRASPS_NAME
    assert names.count('gz::sim::systems::JointTrajectoryController') > 1


def test_the_plugin_reads_what_the_world_says_and_nothing_else(robot_model: ET.Element) -> None:
    source = GRASPS_SOURCE.read_text(encoding='utf-8')
    read = set(re.findall(r'"([a-z_]+)"', source)) - {'fixed', 'holds'}
    plugin = robot_model.find(f"plugin[@name='{GRASPS_NAME}']")
    assert plugin is not None
    of_followers = {'follower', 'leader', 'multiplier', 'offset'}
    of_ros2_control = {'servo_per_s'}
    of_round_objects = {'round', 'model', 'rolling_m'}
    tags = {element.tag for element in plugin.iter()} - {'plugin'}
    assert read == tags | of_followers | of_round_objects | of_ros2_control
    assert f'LUCCA_ADD_PLUGIN({GRASPS_NAME},' in source
    assert f'add_library({GRASPS_FILE} SHARED' in (GRASPS_SOURCE.parents[1] / 'CMakeLists.txt').read_text()


def test_the_plugin_names_links_and_joints_of_the_model(robot_model: ET.Element, profile: RobotProfile) -> None:
    plugin = robot_model.find(f"plugin[@name='{GRASPS_NAME}']")
    assert plugin is not None
    links = {link.get('name') for link in robot_model.findall('link') if link.find('collision') is not None}
    for hand in plugin.findall('hand'):
        fingers = [finger.text for finger in hand.findall('finger')]
        assert hand.findtext('palm') in {link.get('name') for link in robot_model.findall('link')}
        assert len(set(fingers) & links) >= 2
        setpoints = hand.findtext('setpoints')
        assert setpoints in [other.findtext('topic') for other in robot_model.findall('plugin')]
    starts = {start.findtext('joint'): float(start.findtext('position') or 'nan') for start in plugin.findall('start')}
    assert starts == pytest.approx(profile.home)


def test_joints_that_mimic_others_follow_them(tmp_path: Path) -> None:
    """The SDF of our version has no such joints, and no controller moves them."""
    profile = narrow_gripper(tmp_path)
    world = sdf_of(load_scene('tower', 1), profile)
    followers = list(world.iter('follower'))
    assert [element.findtext('joint') for element in followers] == [
        joint.name for joint in profile.moving_joints if joint.mimic
    ]
    assert followers
    for element in followers:
        assert float(element.findtext('stiffness') or 'nan') > 0


def test_round_objects_have_the_rolling_friction_of_our_simulation(profile: RobotProfile) -> None:
    """Gazebo's physics has none: a pear rolled off its place by 9 mm in 5 s."""
    scene = load_scene('sorting_tower', 0)
    world = sdf_of(scene, profile)
    rounds = {each.findtext('model'): float(each.findtext('rolling_m') or 'nan') for each in world.iter('round')}
    compiled = build_world(scene, profile).compile()
    for item in scene.objects:
        geom = compiled.geom(int(compiled.body(item.name).geomadr[0]))
        assert rounds.get(item.name, 0.0) == (geom.friction[2] if geom.condim[0] == 6 else 0.0), item.name
    assert rounds


def test_no_ellipsoid_collides_and_the_spheres_in_its_place_are_as_large() -> None:
    """To Gazebo's physics an ellipsoid is a mesh, in which a thumb stuck. The spheres reach as far in any direction."""
    part = Primitive(kind='ellipsoid', size_m=(0.05, 0.05, 0.075), position_m=(0.01, 0.0, 0.02))
    spheres = _colliding(part)
    assert {sphere.kind for sphere in spheres} == {'sphere'}
    for angle in np.linspace(0.0, np.pi, 60):
        direction = np.array([np.sin(angle), 0.0, np.cos(angle)])
        reach = max(
            float((np.array(sphere.position_m) - part.position_m) @ direction) + sphere.size_m[0] / 2
            for sphere in spheres
        )
        assert reach == pytest.approx(float(np.linalg.norm(direction * np.array(part.size_m) / 2)), abs=5e-4)


def test_shapes_that_gazebo_knows_collide_as_they_are() -> None:
    for kind in ('box', 'sphere', 'cylinder', 'capsule'):
        part = Primitive(kind=kind, size_m=(0.05, 0.05, 0.075))
        assert _colliding(part) == [part]
