"""`lucca scene` writes the world that the launch file starts Gazebo with."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lucca_cli.main import app

RUN = CliRunner()


@pytest.mark.parametrize('robot', ['nicol', 'two_six_dof'])
def test_a_world_is_written_with_the_robot_that_is_asked_for(tmp_path: Path, robot: str) -> None:
    from lucca_robot.profile import load_profile

    file = tmp_path / 'world.sdf'
    done = RUN.invoke(app, ['scene', 'sorting_tower', '--sdf', str(file), '--robot', robot, '--seed', '3'])
    assert done.exit_code == 0, done.output
    joints = {joint.get('name') for joint in ET.parse(file).iter('joint')}  # noqa: S314 - our own file
    assert joints >= {joint.name for joint in load_profile(robot).moving_joints}


def test_a_world_for_ros2_control_has_its_two_files_beside_it(tmp_path: Path) -> None:
    file = tmp_path / 'world.sdf'
    done = RUN.invoke(app, ['scene', 'sorting_tower', '--sdf', str(file), '--control', 'ros2_control'])
    assert done.exit_code == 0, done.output
    beside = [tmp_path / 'world.controllers.yaml', tmp_path / 'world.robot.urdf']
    assert {file, *beside} == set(tmp_path.iterdir())
    said = done.output.replace('\n', '')
    assert all(str(each) in said for each in beside)
    named = [each.text for each in ET.parse(file).iter('parameters')]  # noqa: S314 - our own file
    assert named == [str(beside[0])]


def test_an_unknown_control_is_answered_with_those_that_there_are(tmp_path: Path) -> None:
    done = RUN.invoke(app, ['scene', 'sorting', '--sdf', str(tmp_path / 'world.sdf'), '--control', 'magic'])
    assert done.exit_code == 2
    assert 'relay' in done.output
    assert 'ros2_control' in done.output
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    done = RUN.invoke(app, ['scene', 'sorting', '--sdf', str(tmp_path / 'none' / 'world.sdf')])
    assert done.exit_code == 1
    assert 'there is no folder' in done.output


def test_an_unknown_scene_is_named_with_those_that_there_are(tmp_path: Path) -> None:
    done = RUN.invoke(app, ['scene', 'moon', '--sdf', str(tmp_path / 'world.sdf')])
    assert done.exit_code == 1
    assert "no scene 'moon'" in done.output
