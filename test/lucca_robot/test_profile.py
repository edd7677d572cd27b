import math
import shutil
from pathlib import Path
from typing import Literal

import pytest
import yaml
from narrow_gripper import narrow_gripper

from lucca_core.errors import ConfigError
from lucca_core.joint_states import JointMerge
from lucca_core.paths import config_dir
from lucca_robot.description import Joint, Origin
from lucca_robot.profile import JointTravel, load_profile, travel_of


@pytest.mark.parametrize('name', ['nicol', 'two_six_dof'])
def test_a_robot_is_a_name_or_a_path(name: str) -> None:
    by_name = load_profile(name)
    by_path = load_profile(config_dir() / 'robots' / f'{name}.yaml')
    assert by_name.arms == by_path.arms


@pytest.mark.parametrize('name', ['nicol', 'two_six_dof'])
def test_home_names_every_moving_joint_within_its_limits(name: str) -> None:
    profile = load_profile(name)
    assert set(profile.home) == {joint.name for joint in profile.moving_joints}
    for joint in profile.moving_joints:
        assert joint.lower <= profile.home[joint.name] <= joint.upper


@pytest.mark.parametrize('name', ['nicol', 'two_six_dof'])
def test_a_finger_that_springs_back_is_not_taken_for_two_publishers(name: str) -> None:
    profile = load_profile(name)
    arms = {joint for arm in profile.arms.values() for joint in arm.joints}
    assert set(profile.driven_speeds) == arms | set(profile.head_joints)
    merge = JointMerge(1.0, profile.driven_speeds)
    merge.add(0.0, 0.0, profile.home)
    merge.add(0.02, 0.02, {joint: position + 1.0 for joint, position in profile.home.items()})
    joints = merge.merged()
    assert joints is not None
    assert set(joints.contradictions) == arms | set(profile.head_joints)


def test_controllers_carry_the_names_of_ros2_control() -> None:
    assert set(load_profile('nicol').controllers) == {
        f'{side}_{part}_controller' for side in ('left', 'right') for part in ('arm', 'hand')
    } | {'head_controller'}


@pytest.mark.parametrize(
    ('old', 'new', 'reason'),
    [
        ('urdf: nicol.urdf', 'urdf: none.urdf', 'none.urdf'),
        ('table_top_m: 0.8', 'table_top_m: high', 'table_top_m must be 1 finite number'),
        ('camera_link: realsense_color_optical_frame', 'camera_link: eye', "'eye' is not a link"),
        ('  home: [0.0, 0.0]', '  home: [0.0, 9.0]', 'joint_head_y must be from'),
        ('  home: [0.0, 0.0]', '  home: [0.0]', 'must give 2 positions'),
        ('joints: [l_joint1', 'joints: [elbow', "'elbow' is not a moving joint"),
        ('joints: [l_joint1', 'joints: [[1]', '[1] is not a moving joint'),
        ('closed_above: 0.3', 'closed_above: 2', 'between 0 and 1'),
        (
            '    seeds:',
            '    accelerations: 7.5\n    seeds:',
            'must be 8 numbers from 1 to 1000 rad/s², one for each joint',
        ),
        ('    seeds:', '    accelerations: [7, 7]\n    seeds:', 'got [7, 7]'),
        ('    seeds:', '    accelerations: [7, 7, 7, 7, 7, 7, 7, 0]\n    seeds:', 'from 1 to 1000'),
        ('    seeds:', '    accelerations: [7, 7, 7, 7, 7, 7, 7, .nan]\n    seeds:', 'from 1 to 1000'),
        ('    seeds:', '    accelerations: [7, 7, 7, 7, 7, 7, 7, high]\n    seeds:', 'from 1 to 1000'),
        ('  left:', '  middle:', 'arms must be left or right or both'),
        ('name: nicol\n', '', 'name is missing'),
        ('table_top_m: 0.8', 'table_top_m: .nan', 'table_top_m must be 1 finite number(s) from -10 to 10 m, got nan'),
        ('table_top_m: 0.8', 'table_top_m: .inf', 'table_top_m must be 1 finite number'),
        ('table_top_m: 0.8', f'table_top_m: 1{"0" * 400}', 'whole numbers must be'),
        ('rpy: [-1.5707963267948966', 'rpy: [.nan', 'rpy must be 3 finite number'),
        ('  home: [0.0, 0.0]', '  home: [0.0, .nan]', 'must be from'),
        ('tilts_rad: [', 'tilts_rad: [.nan, ', 'tilts_rad must be angles'),
        ('controller: right_hand_c', 'controller: left_hand_c', 'of the right hand is a controller of the left hand'),
        (
            'controller: left_hand_c',
            'controller: left_arm_c',
            'of the left hand is a controller of the left arm already',
        ),
        ('joints: [joint_head_z', 'joints: [l_joint1', "'l_joint1' of the head is a joint of the left arm already"),
        ('joints: [l_joint1, l_joint2', 'joints: [l_joint1, l_joint1', "'l_joint1' of the left arm is a joint of the"),
        (
            'closed_above:',
            'max_efort: 5\n      closed_above:',
            "a hand has no 'max_efort'; it has closed, closed_above",
        ),
        ('camera_link:', 'camera: eye\ncamera_link:', "a profile has no 'camera'"),
        ('    tool: {link: ', '    interfce: topic\n    tool: {link: ', "an arm has no 'interfce'"),
        ('    tool: {link: ', '    tool: {lnk: x, link: ', "a tool has no 'lnk'"),
        ('tool: {link: l_palm, xyz: [-0.03', 'tool: {link: l_palm, xyz: [-3', 'xyz must be within 1.0 m of l_palm'),
    ],
)
def test_a_wrong_profile_is_refused_with_file_and_reason(tmp_path: Path, old: str, new: str, reason: str) -> None:
    folder = config_dir() / 'robots'
    shutil.copy(folder / 'nicol.urdf', tmp_path)
    text = (folder / 'nicol.yaml').read_text()
    assert old in text
    (tmp_path / 'nicol.yaml').write_text(text.replace(old, new, 1))
    with pytest.raises(ConfigError) as caught:
        load_profile(tmp_path / 'nicol.yaml')
    assert reason in str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_the_unit_of_a_hands_joint_is_1_or_what_it_moves_if_that_is_less() -> None:
    assert {travel.unit for travel in load_profile('nicol').hand_travels.values()} == {1.0}
    assert {travel.unit for travel in load_profile('two_six_dof').hand_travels.values()} == {0.065}


@pytest.mark.parametrize(
    ('kind', 'limit', 'closed', 'unit'),
    [
        ('prismatic', 0.1, 0.04, 0.04),
        ('prismatic', 2.0, 1.5, 1.0),
        ('prismatic', 0.1, 0.0, 0.2),
        ('revolute', 3.0, 0.8, 1.0),
        ('revolute', 3.0, 0.3, 0.3),
        ('revolute', 0.4, 0.0, 0.8),
        ('revolute', 3.0, 0.005, 1.0),
        ('revolute', math.inf, 0.0, 1.0),
    ],
)
def test_limits_that_are_wider_than_the_way_of_a_joint_do_not_count(
    kind: Literal['prismatic', 'revolute'], limit: float, closed: float, unit: float
) -> None:
    joint = Joint('finger', kind, 'palm', 'tip', Origin(), lower=-limit, upper=limit)
    assert travel_of(joint, 0.0, closed) == JointTravel(0.0, closed, pytest.approx(unit))


def test_a_finger_that_moves_too_little_to_be_watched_is_refused(tmp_path: Path) -> None:
    narrow_gripper(tmp_path)
    file = tmp_path / 'narrow.yaml'
    document = yaml.safe_load(file.read_text())
    document['arms']['left']['hand']['open'] = [0.059]
    file.write_text(yaml.safe_dump(document))
    with pytest.raises(ConfigError, match=r'left_slide_a moves only 0[.]006 m from open to closed'):
        load_profile(file)
