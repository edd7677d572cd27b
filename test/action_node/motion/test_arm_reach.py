"""Reach refuses what lies outside the workspace, and nothing that the planner can do."""

import dataclasses
import functools

import numpy as np
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from tabletops import CONTAINERS, PROFILES, TOP, Thing, seen

from action_node.motion.arm_reach import ArmReach
from action_node.motion.config import MotionConfig
from action_node.motion.inverse_kinematics import ArmIk
from action_node.motion.motion_plan import MotionKind, MotionRequest
from action_node.motion.planner import MotionPlanner
from lucca_core.errors import MotionError
from lucca_core.protocol.snapshots import HAND, Snapshot
from lucca_memory.procedural import Motion, load_actions

ACTIONS = load_actions()
KINDS: dict[Motion, MotionKind] = {
    Motion.POINT: 'point',
    Motion.GIVE: 'give',
    Motion.PICK_AND_PLACE: 'pick_and_place',
}
CUBE = (0.05, 0.05, 0.05)


@functools.cache
def reach(name: str) -> ArmReach:
    return ArmReach(PROFILES[name])


@functools.cache
def impatient(name: str) -> MotionPlanner:
    """Gives up early: only what it finds counts here."""
    return MotionPlanner(PROFILES[name], MotionConfig(most_attempts=25))


def table(
    x: float, y: float, box: tuple[float, float] | None = None, size_m: tuple[float, float, float] = CUBE
) -> Snapshot:
    """One thing on an empty table, with box 1 at its place or another."""
    snapshot = seen([Thing('pear', 'box', size_m, x, y, 0.4)], 0, 0.0)
    if box is None:
        return snapshot
    moved = dataclasses.replace(CONTAINERS[0], position_world_m=(*box, TOP))
    return dataclasses.replace(snapshot, containers=(moved, *CONTAINERS[1:]))


def answer(name: str, action: str, snapshot: Snapshot) -> str:
    return reach(name).out_of_reach(ACTIONS[action], snapshot.objects[0], snapshot)


@pytest.mark.parametrize('name', PROFILES)
@settings(max_examples=examples(15), deadline=None)
@given(
    action=st.sampled_from(['point', 'give', 'move_to_box_1', 'put_on_tower']),
    x=st.floats(0.0, 0.95),
    y=st.floats(-0.95, 0.95),
    box=st.none() | st.tuples(st.floats(0.0, 0.95), st.floats(-0.95, 0.95)),
    size_m=st.sampled_from([CUBE, (0.062, 0.062, 0.062), (0.14, 0.052, 0.034), (0.058, 0.058, 0.092)]),
    turned_rad=st.floats(-0.05, 0.05),
)
def test_whatever_the_planner_finds_a_motion_for_is_within_reach(
    name: str,
    action: str,
    x: float,
    y: float,
    box: tuple[float, float] | None,
    size_m: tuple[float, float, float],
    turned_rad: float,
) -> None:
    snapshot = table(x, y, box, size_m)
    spec = ACTIONS[action]
    # Arms that are nearly at home count as at home.
    joints = {joint: value + turned_rad for joint, value in PROFILES[name].home.items()}
    request = MotionRequest(KINDS[spec.motion], 'pear', spec.effect.container)
    try:
        impatient(name).plan(request, snapshot, joints)
    except MotionError:
        return
    assert answer(name, action, snapshot) == ''


@pytest.mark.parametrize('name', PROFILES)
@pytest.mark.parametrize('action', [name for name in ACTIONS if name != 'place_in_bowl'])
@pytest.mark.parametrize('place', [(2.0, 0.0), (-1.2, 0.0), (0.4, 2.0), (0.4, -2.0)])
def test_an_object_far_away_or_behind_the_robot_is_out_of_reach(
    name: str, action: str, place: tuple[float, float]
) -> None:
    x, y = place
    assert f'pear at ({x:.2f}, {y:.2f}) m is beyond the reach of every arm' in answer(name, action, table(x, y))


def test_a_place_that_a_hand_reaches_in_no_useful_direction_is_not_told_as_nearest_to_itself() -> None:
    """Along the edge of the reach, beyond which it is called out of reach."""
    told = [answer('two_six_dof', 'move_to_box_1', table(x, 0.4)) for x in np.arange(0.5, 0.9, 0.02)]
    assert any('but not in a direction in which it could grasp' in text for text in told)
    for text in told:
        place, _, nearest = text.partition('as near to it as ')
        assert not nearest or nearest.partition(')')[0] not in place


@pytest.mark.parametrize('name', PROFILES)
@pytest.mark.parametrize('place', [(2.0, 0.0), (-1.4, 0.0), (0.4, 2.0)])
def test_a_container_far_away_is_out_of_reach_however_near_the_object_is(name: str, place: tuple[float, float]) -> None:
    x, y = place
    snapshot = table(0.4, 0.4, place)
    assert f'box 1 at ({x:.2f}, {y:.2f}) m is beyond the reach' in answer(name, 'move_to_box_1', snapshot)
    assert answer(name, 'put_on_tower', snapshot) == ''


def test_one_arm_must_reach_both_object_and_container() -> None:
    """Each side of the table belongs to one arm."""
    snapshot = table(0.3, 0.85, (0.3, -0.85))
    assert 'box 1 at (0.30, -0.85) m is beyond' in answer('nicol', 'move_to_box_1', snapshot)


@pytest.mark.parametrize('changes', [{'container': HAND}, {'visible': False}])
def test_what_is_not_seen_to_stand_somewhere_is_left_to_the_planner(changes: dict[str, object]) -> None:
    snapshot = table(2.0, 0.0)
    item = dataclasses.replace(snapshot.objects[0], **changes)  # type: ignore[arg-type]
    assert reach('nicol').out_of_reach(ACTIONS['give'], item, snapshot) == ''


def test_a_container_or_users_side_that_is_not_there_is_left_to_the_planner() -> None:
    snapshot = dataclasses.replace(table(0.4, 0.4), containers=())
    assert answer('nicol', 'move_to_box_1', snapshot) == answer('nicol', 'give', snapshot) == ''


def test_answers_do_not_depend_on_those_before() -> None:
    places = np.random.default_rng(1).uniform((0.1, -0.9), (0.95, 0.9), (12, 2)).tolist()
    fresh = [
        ArmReach(PROFILES['two_six_dof']).out_of_reach(ACTIONS['give'], t.objects[0], t)
        for t in (table(*p) for p in places[:3])
    ]
    for place in places:
        answer('two_six_dof', 'give', table(*place))
    assert [answer('two_six_dof', 'give', table(*place)) for place in places[:3]] == fresh


@pytest.mark.parametrize('name', PROFILES)
def test_the_quick_search_changes_no_answer(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    places = np.random.default_rng(2).uniform((0.2, -0.7), (0.9, 0.7), (15, 2)).tolist()
    sizes = [CUBE, (0.14, 0.052, 0.034), (0.058, 0.058, 0.092)] * 5
    tables = [table(*place, size_m=size_m) for place, size_m in zip(places, sizes, strict=True)]
    quick = [answer(name, 'move_to_box_1', snapshot) for snapshot in tables]
    monkeypatch.setattr(ArmIk, 'solve_quickly', lambda *_, **__: None)
    assert [answer(name, 'move_to_box_1', snapshot) for snapshot in tables] == quick
    assert '' in quick
    assert any(quick)


def test_an_object_that_creeps_away_is_noticed_although_answers_are_kept() -> None:
    reasons = (answer('nicol', 'put_on_tower', table(x, 0.2)) for x in np.arange(0.6, 2.0, 0.004).tolist())
    assert any(reasons)
