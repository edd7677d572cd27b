import numpy as np
import pytest

from action_node.motion.collision import SLOTS, CollisionChecker, Permit, Solid
from action_node.motion.config import MotionConfig
from lucca_robot.kinematics import RobotKinematics
from lucca_robot.profile import load_profile

PROFILE = load_profile('nicol')
CONFIG = MotionConfig()


@pytest.fixture
def checker() -> CollisionChecker:
    made = CollisionChecker(PROFILE, CONFIG)
    made.set_scene(())
    return made


def tool_of(arm: str) -> tuple[float, float, float]:
    kinematics = RobotKinematics(PROFILE)
    kinematics.update(PROFILE.home)
    x, y, z = kinematics.tool_position(arm)
    return float(x), float(y), float(z)


def at_home(checker: CollisionChecker) -> np.ndarray:
    return checker.positions(PROFILE.home)[None, :]


def test_home_touches_nothing(checker: CollisionChecker) -> None:
    assert checker.first_touch(at_home(checker)) is None


@pytest.mark.parametrize('arm', ['left', 'right'])
@pytest.mark.parametrize('is_round', [True, False])
def test_a_thing_in_the_hand_is_found_and_named(checker: CollisionChecker, arm: str, is_round: bool) -> None:
    checker.set_scene([Solid('pear', tool_of(arm), (0.05, 0.05, 0.05), is_round)])
    touch = checker.first_touch(at_home(checker))
    assert touch is not None
    assert touch.second == 'pear'
    assert touch.first.startswith(arm[0])
    assert 'pear' in str(touch)


def test_a_new_scene_forgets_the_old_one(checker: CollisionChecker) -> None:
    checker.set_scene([Solid('pear', tool_of('left'), (0.05, 0.05, 0.05))])
    checker.set_scene([Solid('cup', (0.5, 0.0, 0.85), (0.05, 0.05, 0.05))])
    assert checker.first_touch(at_home(checker)) is None


def test_a_slot_can_grow_from_small_to_large(checker: CollisionChecker) -> None:
    x, y, z = tool_of('left')
    checker.set_scene([Solid('wall', (x, y, z - 0.3), (0.01, 0.01, 0.01))])
    assert checker.first_touch(at_home(checker)) is None
    checker.set_scene([Solid('wall', (x, y, z - 0.3), (0.01, 0.01, 0.7))])
    assert checker.first_touch(at_home(checker)) is not None


def test_what_may_be_touched_is_not_reported(checker: CollisionChecker) -> None:
    checker.set_scene([Solid('pear', tool_of('left'), (0.03, 0.03, 0.03))])
    permit = Permit(checker.hand_geoms['left'], 'pear')
    assert checker.first_touch(at_home(checker), may_touch=(permit,)) is None


def test_what_is_carried_is_checked_against_what_stands_there(checker: CollisionChecker) -> None:
    x, y, z = tool_of('left')
    ahead = Solid('cup', (x + 0.2, y, z), (0.06, 0.06, 0.06))
    carried = Solid('stick', (x + 0.1, y, z), (0.25, 0.02, 0.02))
    checker.set_scene([ahead])
    assert checker.first_touch(at_home(checker)) is None
    checker.carry('left', carried, at_home(checker)[0])
    touch = checker.first_touch(at_home(checker))
    assert touch is not None
    assert {touch.first, touch.second} == {'stick', 'cup'}
    checker.carry('left', None)
    assert checker.first_touch(at_home(checker)) is None


def test_the_arms_are_checked_against_each_other_and_against_the_table(checker: CollisionChecker) -> None:
    rng = np.random.default_rng(0)
    found = set()
    joints = [
        joint for joint in PROFILE.moving_joints if joint.name[2:].startswith('joint') and joint.name[7:].isdigit()
    ]
    for _ in range(400):
        positions = PROFILE.home | {joint.name: rng.uniform(joint.lower, joint.upper) for joint in joints}
        touch = checker.first_touch(checker.positions(positions)[None, :])
        if touch is not None:
            kinds = {name[0] if name[1:2] == '_' else name for name in (touch.first, touch.second)}
            found.add(frozenset(kinds))
    assert frozenset({'l', 'r'}) in found
    assert frozenset({'l', 'table'}) in found
    assert frozenset({'r', 'table'}) in found
    assert frozenset({'l'}) in found


def test_too_many_things_are_refused(checker: CollisionChecker) -> None:
    things = [Solid(str(index), (0.5, 0.0, 1.0), (0.01, 0.01, 0.01)) for index in range(SLOTS + 1)]
    with pytest.raises(ValueError, match='too many'):
        checker.set_scene(things)
