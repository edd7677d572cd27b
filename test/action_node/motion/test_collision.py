import dataclasses
import math

import numpy as np
import pytest

from action_node.motion.collision import SLOTS, CollisionChecker, ContactAllowance, Leeway, Solid
from action_node.motion.config import MotionConfig
from action_node.motion.inverse_kinematics import ArmIk, IkTarget
from lucca_robot.description import LinkShape, RobotDescription
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
    permit = ContactAllowance(checker.hand_geoms['left'], 'pear')
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
    with pytest.raises(ValueError, match='at most 48 obstacles'):
        checker.set_scene(things)


def lifted(checker: CollisionChecker, heights_m: tuple[float, ...]) -> np.ndarray:
    """Rows in which the left hand is higher than at home by each of some heights."""
    ik = ArmIk(PROFILE, 'left', position_tolerance_m=1e-4, angle_tolerance_rad=1e-3)
    home = np.array(PROFILE.arms['left'].home)
    start = ik.forward(home)
    rows = np.repeat(at_home(checker), len(heights_m), axis=0)
    for row, height in zip(rows, heights_m, strict=True):
        found = ik.solve(IkTarget(start.position_m + np.array([0.0, 0.0, height]), start.rotation), home)
        assert found is not None
        row[checker.columns(PROFILE.arms['left'].joints)] = found
    return rows


def beside(checker: CollisionChecker, gap_m: float) -> None:
    """A stick in the left hand, a post as far from its end as said (it overlaps the stick where that is negative)."""
    x, y, z = tool_of('left')
    post, stick = (
        Solid('post', (x + 0.25, y, z), (0.04, 0.04, 0.1)),
        Solid('stick', (x + 0.1, y, z), (0.24, 0.02, 0.02)),
    )
    checker.set_scene([dataclasses.replace(post, centre_m=(x + 0.24 + gap_m, y, z))])
    checker.carry('left', stick, at_home(checker)[0])


UP = (0.0, 0.02, 0.04, 0.08)


@pytest.mark.parametrize('gap_m', [0.003, -0.003, -0.012])
def test_what_is_lifted_away_from_what_it_stands_beside_has_leeway(checker: CollisionChecker, gap_m: float) -> None:
    beside(checker, gap_m)
    rows = lifted(checker, UP)
    assert checker.first_touch(rows) is not None
    assert checker.first_touch(rows, leeway=Leeway(0.015)) is None


def test_leeway_ends_where_they_have_parted(checker: CollisionChecker) -> None:
    beside(checker, 0.003)
    rows = lifted(checker, (*UP, 0.0))
    assert checker.first_touch(rows[:-1], leeway=Leeway(0.015)) is None
    touch = checker.first_touch(rows, leeway=Leeway(0.015))
    assert touch is not None
    assert (touch.first, touch.second) == ('stick', 'post')


def test_leeway_ends_after_the_rows_it_holds_for(checker: CollisionChecker) -> None:
    beside(checker, -0.003)
    rows = lifted(checker, (0.0, 0.01, 0.02, 0.08))
    assert checker.first_touch(rows, leeway=Leeway(0.015), leeway_rows=3) is None
    assert checker.first_touch(rows, leeway=Leeway(0.015), leeway_rows=1) is not None


def test_what_an_arm_does_not_move_is_not_its_motions(checker: CollisionChecker) -> None:
    checker.set_scene([Solid('pear', tool_of('left'), (0.05, 0.05, 0.05))])
    assert checker.first_touch(at_home(checker), arm='left') is not None
    assert checker.first_touch(at_home(checker), arm='right') is None
    x, y, z = tool_of('left')
    checker.set_scene([Solid('cup', (x + 0.2, y, z), (0.06, 0.06, 0.06))])
    checker.carry('left', Solid('stick', (x + 0.1, y, z), (0.25, 0.02, 0.02)), at_home(checker)[0])
    assert checker.first_touch(at_home(checker), arm='left') is not None
    assert checker.first_touch(at_home(checker), arm='right') is None


def test_leeway_is_not_for_coming_nearer(checker: CollisionChecker) -> None:
    beside(checker, 0.004)
    rows = np.repeat(lifted(checker, (0.0,)), 4, axis=0)
    checker.carry('left', None)
    ik = ArmIk(PROFILE, 'left', position_tolerance_m=1e-4, angle_tolerance_rad=1e-3)
    columns = checker.columns(PROFILE.arms['left'].joints)
    start = ik.forward(rows[0, columns])
    for row, forwards_m in zip(rows, (0.0, -0.002, 0.0, 0.002), strict=True):
        found = ik.solve(IkTarget(start.position_m + np.array([forwards_m, 0.0, 0.0]), start.rotation), row[columns])
        assert found is not None
        row[columns] = found
    checker.restore_load('left')
    assert checker.first_touch(rows[:2], leeway=Leeway(0.015)) is None
    # What has moved away does not come back, though it is clear of it at no time.
    for touching in (rows[[0, 3]], rows[:3]):
        touch = checker.first_touch(touching, leeway=Leeway(0.015))
        assert touch is not None
        assert (touch.first, touch.second) == ('stick', 'post')


def test_leeway_is_not_for_what_overlaps_too_much_or_for_what_was_clear_at_first(checker: CollisionChecker) -> None:
    beside(checker, -0.016)
    assert checker.first_touch(lifted(checker, UP), leeway=Leeway(0.015)) is not None
    beside(checker, 0.003)
    assert checker.first_touch(lifted(checker, (0.08, 0.0)), leeway=Leeway(0.015)) is not None


def test_leeway_does_not_lead_a_thing_out_of_what_it_lies_in(checker: CollisionChecker) -> None:
    """A container is one solid from the table to its rim."""
    x, y, z = tool_of('left')
    checker.set_scene([Solid('box', (x + 0.2, y, z), (0.22, 0.2, 0.08))])
    checker.carry('left', Solid('cube', (x + 0.2, y, z), (0.05, 0.05, 0.05)), at_home(checker)[0])
    rows = lifted(checker, UP)
    touch = checker.first_touch(rows, leeway=Leeway(CONFIG.overlap_m))
    assert touch is not None
    assert (touch.first, touch.second) == ('cube', 'box')
    assert checker.first_touch(rows, leeway=Leeway(math.inf)) is None


def test_what_is_beside_a_hand_is_told_nearest_first(checker: CollisionChecker) -> None:
    x, y, z = tool_of('left')
    things = [Solid(name, (x, y + away, z), (0.03, 0.03, 0.03)) for name, away in (('far', 0.5), ('pear', 0.0))]
    checker.set_scene(things)
    assert checker.beside(checker.hand_geoms['left'], at_home(checker)[0]) == ['pear']
    assert checker.beside(checker.hand_geoms['right'], at_home(checker)[0]) == []


def test_leeway_between_parts_of_the_robot_has_to_be_asked_for(checker: CollisionChecker) -> None:
    x, y, z = tool_of('left')
    right = tool_of('right')
    # A bar in the left hand that ends in the right arm.
    bar = Solid('bar', (x, (y + right[1]) / 2, z), (0.1, abs(y - right[1]), 0.1))
    checker.carry('left', bar, at_home(checker)[0])
    rows = np.repeat(at_home(checker), 2, axis=0)
    assert checker.first_touch(rows, leeway=Leeway(math.inf)) is not None
    assert checker.first_touch(rows, leeway=Leeway(math.inf, robot=True)) is None


def test_links_that_overlap_wherever_they_are_do_not_count_and_others_still_do() -> None:
    """Descriptions overstate links at their joints: two links three joints apart with solids that never part."""
    description = PROFILE.description
    first, *_, last = PROFILE.arm_links('left')[:5]
    large = LinkShape('sphere', (0.6,))
    links = tuple(
        dataclasses.replace(link, shapes=(large,)) if link.name in (first, last) else link for link in description.links
    )
    overstated = RobotDescription(description.name, description.root, links, description.joints)
    checker = CollisionChecker(dataclasses.replace(PROFILE, description=overstated), CONFIG)
    checker.set_scene(())
    touch = checker.first_touch(at_home(checker), arm='left')
    assert touch is not None
    assert {touch.first, touch.second} != {first, last}
