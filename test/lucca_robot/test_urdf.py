from pathlib import Path

import pytest
import yaml

from lucca_core.errors import ConfigError
from lucca_robot.profile import load_profile
from lucca_robot.robot_files import find_urdf
from lucca_robot.urdf import load_urdf, parse_urdf

PUBLISHED = yaml.safe_load((Path(__file__).parent / 'published_joints.yaml').read_text())['joints']


def robot(joints: str = '', links: str = '<link name="a"/><link name="b"/>') -> str:
    return f'<robot name="r">{links}{joints}</robot>'


JOINT = '<joint name="j" type="{kind}"><parent link="a"/><child link="{child}"/>{rest}</joint>'


def limit(**changes: str) -> str:
    values = {'lower': '-1', 'upper': '1', 'velocity': '1', 'effort': '1'} | changes
    return '<limit ' + ' '.join(f'{key}="{value}"' for key, value in values.items()) + '/>'


def test_every_published_joint_is_there_with_its_exact_numbers() -> None:
    description = load_profile('nicol').description
    assert len(description.joints) == len(PUBLISHED)
    for published in PUBLISHED:
        joint = description.joint(published['name'])
        assert (joint.kind, joint.parent, joint.child) == (published['type'], published['parent'], published['child'])
        assert joint.origin.xyz == tuple(published['xyz'])
        assert joint.origin.rpy == tuple(published['rpy'])
        if joint.moves:
            assert joint.axis == tuple(published['axis'])
            assert (joint.lower, joint.upper, joint.velocity) == tuple(
                published[key] for key in ('lower', 'upper', 'velocity')
            )


@pytest.mark.parametrize('name', ['nicol', 'two_six_dof'])
def test_every_link_but_the_root_has_an_inertial(name: str) -> None:
    description = load_profile(name).description
    assert [link.name for link in description.links if link.inertial is None] == [description.root]


@pytest.mark.parametrize('arm', ['left', 'right'])
def test_the_whole_hand_has_solids(arm: str) -> None:
    profile = load_profile('nicol')
    solid = {link for link in profile.hand_links(arm) if profile.description.link(link).shapes}
    prefix = arm[0]
    assert {f'{prefix}_{finger}{part}' for finger in 'TIMRL' for part in ('proximal', 'middle', 'tip')} < solid


@pytest.mark.parametrize(
    ('text', 'reason'),
    [
        ('<robot', 'is not XML'),
        ('<model/>', 'holds a <model>'),
        (robot(), 'one root link'),
        (robot(JOINT.format(kind='ball', child='b', rest='')), "'ball'"),
        (robot(JOINT.format(kind='fixed', child='c', rest='')), "link 'c'"),
        (robot(JOINT.format(kind='revolute', child='b', rest='')), 'needs a <limit>'),
        (robot(JOINT.format(kind='fixed', child='b', rest='<origin xyz="0 0"/>')), '3 finite numbers'),
        (robot(JOINT.format(kind='fixed', child='b', rest='<origin xyz="0 0 nan"/>')), '3 finite numbers'),
        (robot(JOINT.format(kind='fixed', child='b', rest='<origin xyz="0 0 x"/>')), 'must be numbers'),
        (
            robot(JOINT.format(kind='fixed', child='b', rest=''), '<link name="a"/><link name="b"/><link name="b"/>'),
            'two links with the same name',
        ),
        (
            '<robot><link name="a"><collision><geometry><mesh/></geometry></collision></link></robot>',
            'a mesh without a filename',
        ),
        (
            robot(
                JOINT.format(
                    kind='revolute',
                    child='b',
                    rest='<limit lower="1" upper="0" velocity="1" effort="1"/><axis xyz="0 0 1"/>',
                )
            ),
            'lower must not exceed upper',
        ),
        *(
            (robot(JOINT.format(kind='revolute', child='b', rest=limit(**wrong))), reason)
            for wrong, reason in (
                ({'velocity': '-1'}, "velocity of joint 'j' must be at least 0.0001 (rad/s or m/s), got -1"),
                ({'velocity': '0'}, "velocity of joint 'j' must be at least"),
                ({'velocity': '1e-320'}, "velocity of joint 'j' must be at least"),
                ({'velocity': 'nan'}, "velocity of joint 'j' must be 1 finite numbers"),
                ({'velocity': 'inf'}, "velocity of joint 'j' must be 1 finite numbers"),
                ({'velocity': '1e9'}, "velocity of joint 'j' must be at most 10000"),
                ({'effort': '-5'}, "effort of joint 'j' must not be negative"),
                ({'effort': '1e300'}, "effort of joint 'j' must be at most"),
                ({'lower': '-1e300'}, "lower of joint 'j' must be at least -100"),
                ({'upper': '1e300'}, "upper of joint 'j' must be at most 100"),
            )
        ),
        (robot(JOINT.format(kind='fixed', child='b', rest='<origin xyz="0 0 1e300"/>')), 'xyz of joint'),
        (
            '<robot><link name="a"><collision><geometry><sphere radius="-1"/></geometry></collision></link></robot>',
            'radius of a collision of link',
        ),
    ],
)
def test_a_wrong_file_is_refused_with_file_and_reason(text: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=r'robot\.urdf') as caught:
        parse_urdf(text, 'robot.urdf')
    assert reason in str(caught.value)


def test_a_missing_file_is_a_config_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r'nowhere\.urdf'):
        load_urdf(tmp_path / 'nowhere.urdf')


@pytest.mark.parametrize('name', ['/dev/zero', '/dev/zero.xacro', 'a\0.urdf', 'a\0.xacro', f'{"long" * 100}.urdf', '.'])
def test_what_is_no_file_is_refused_at_once(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        load_urdf(tmp_path / name)


@pytest.mark.parametrize('odd', ['long' * 100, 'a\0', '**', '..', 'a[b', '{a: {b: c}}'])
def test_an_impossible_name_in_a_package_is_refused(odd: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match='is no name of a ROS package'):
        find_urdf(f'package://{odd}/robot.urdf', tmp_path / 'profile.yaml')
    with pytest.raises(ConfigError, match='is not installed'):
        find_urdf(f'package://robots/{odd}.urdf', tmp_path / 'profile.yaml')


def test_a_circle_of_links_is_refused() -> None:
    circle = (
        '<joint name="one" type="fixed"><parent link="a"/><child link="b"/></joint>'
        '<joint name="two" type="fixed"><parent link="b"/><child link="a"/></joint>'
    )
    with pytest.raises(ConfigError, match='loop of links'):
        parse_urdf(robot(circle, '<link name="a"/><link name="b"/><link name="root"/>'), 'robot.urdf')
