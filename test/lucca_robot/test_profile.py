import shutil
from pathlib import Path

import pytest

from lucca_core.errors import ConfigError
from lucca_core.paths import config_dir
from lucca_robot.profile import load_profile


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
        ('  left:', '  middle:', 'arms must be left or right or both'),
        ('name: nicol\n', '', 'name is missing'),
        ('table_top_m: 0.8', 'table_top_m: .nan', 'table_top_m must be 1 finite number(s) from -10 to 10, got nan'),
        ('table_top_m: 0.8', 'table_top_m: .inf', 'table_top_m must be 1 finite number'),
        ('table_top_m: 0.8', f'table_top_m: 1{"0" * 400}', 'whole numbers must be'),
        ('rpy: [-1.5707963267948966', 'rpy: [.nan', 'rpy must be 3 finite number'),
        ('  home: [0.0, 0.0]', '  home: [0.0, .nan]', 'must be from'),
        ('tilts_rad: [', 'tilts_rad: [.nan, ', 'tilts_rad must be angles'),
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
