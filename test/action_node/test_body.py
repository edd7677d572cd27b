"""The real profile as the executor sees it."""

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from action_node.body import ProfileBody
from lucca_core.paths import config_dir
from lucca_robot.arm_profile import USUAL_ACCELERATION
from lucca_robot.profile import load_profile

PROFILE = load_profile()


@pytest.fixture(scope='module')
def body() -> ProfileBody:
    return ProfileBody(PROFILE)


def test_at_rest_the_arms_are_home_and_the_hands_open(body: ProfileBody) -> None:
    assert body.arms == ('left', 'right')
    assert body.away_from_home(PROFILE.home, 0.1) == ()
    assert body.closed_hands(PROFILE.home) == ()


def test_accelerations_are_those_of_the_profile_or_the_usual_ones(body: ProfileBody, tmp_path: Path) -> None:
    joints = PROFILE.arms['left'].joints
    assert body.accelerations == dict.fromkeys((*joints, *PROFILE.arms['right'].joints), USUAL_ACCELERATION)
    robots = config_dir() / 'robots'
    text = (robots / 'nicol.yaml').read_text().replace('urdf: nicol', f'urdf: {robots}/nicol')
    mine = tmp_path / 'mine.yaml'
    mine.write_text(text.replace('    seeds:', '    accelerations: [1, 2, 3, 4, 5, 6, 7, 8.5]\n    seeds:', 1))
    assert [ProfileBody(load_profile(mine)).accelerations[name] for name in joints] == [1, 2, 3, 4, 5, 6, 7, 8.5]


def test_an_arm_away_or_unknown_is_not_at_home(body: ProfileBody) -> None:
    joint = PROFILE.arms['left'].joints[2]
    assert body.away_from_home({**PROFILE.home, joint: PROFILE.home[joint] + 0.3}, 0.1) == ('left',)
    assert body.away_from_home({}, 0.1) == ('left', 'right')


def test_a_closed_or_unknown_hand_may_hold_something(body: ProfileBody) -> None:
    hand = PROFILE.arms['right'].hand
    assert body.closed_hands({**PROFILE.home, **dict(zip(hand.joints, hand.closed, strict=True))}) == ('right',)
    assert body.closed_hands({}) == ('left', 'right')


def test_the_finger_has_a_direction(body: ProfileBody) -> None:
    for arm in body.arms:
        origin, direction = body.pointing_ray(arm, PROFILE.home)
        assert origin.shape == (3,)
        assert np.linalg.norm(direction) == pytest.approx(1.0)


def test_every_controller_has_its_joints(body: ProfileBody) -> None:
    assert set(body.arm_controllers) < set(body.controllers)
    assert all(body.controllers.values())


def test_only_joints_of_arms_turn_on_and_on(tmp_path: Path) -> None:
    urdf = (config_dir() / 'robots' / 'nicol.urdf').read_text(encoding='utf-8')
    for name in ('l_joint1', 'l_jointT0'):
        urdf = re.sub(rf'(<joint name="{name}" type=)"revolute"', r'\1"continuous"', urdf)
    (tmp_path / 'nicol.urdf').write_text(urdf, encoding='utf-8')
    shutil.copy(config_dir() / 'robots' / 'nicol.yaml', tmp_path)
    assert ProfileBody(load_profile(tmp_path / 'nicol.yaml')).endless == {'l_joint1'}
    assert not ProfileBody(load_profile()).endless
