"""Ways of another planner are taken only if they are what was asked for, and checked for collisions all the same."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from action_node.motion.collision import Solid
from action_node.motion.free_ways import SUCCESS, AskedWays, NoWay, StraightWays, WayAnswer
from action_node.motion.motion_plan import MotionRequest
from action_node.motion.planner import MotionPlanner
from lucca_core.errors import MotionError, StackError
from lucca_core.protocol.snapshots import USERS_SIDE, Container, Pose, Snapshot, TableObject
from lucca_robot.profile import load_profile

PROFILE = load_profile('two_six_dof')
LEFT = PROFILE.arms['left']
HOME = np.array(LEFT.home)
AWAY = HOME + 0.2
GROUPS = {'left': 'left_manipulator', 'right': 'right_manipulator'}
SNAPSHOT = Snapshot(
    objects=(
        TableObject(
            object_id='a', name='apple', label='apple', pose_world=Pose((0.45, 0.3, 0.83)), size_m=(0.05, 0.05, 0.05)
        ),
    ),
    containers=(Container(name=USERS_SIDE, position_world_m=(0.82, 0.0, 0.8), size_m=(0.32, 1.94, 0.0)),),
)


class FakePlanner:
    """Goes over the middle, `detour` away from it, or answers what it is told to; keeps what it was asked and shown."""

    def __init__(self, answer: WayAnswer | StackError | None = None, detour: float = 0.0) -> None:
        self.answer = answer
        self.detour = detour
        self.asked: list[tuple[str, dict[str, float], dict[str, float]]] = []
        self.shown: list[tuple[Solid, ...]] = []

    def show(self, solids: Sequence[Solid]) -> None:
        self.shown.append(tuple(solids))

    def plan(self, group: str, start: Mapping[str, float], goal: Mapping[str, float]) -> WayAnswer:
        self.asked.append((group, dict(start), dict(goal)))
        if isinstance(self.answer, StackError):
            raise self.answer
        if self.answer is not None:
            return self.answer
        # In an order of its own, as MoveIt may have it.
        names = tuple(sorted(goal))
        begin, end = (np.array([given[name] for name in names]) for given in (start, goal))
        middle = (begin + end) / 2 + self.detour
        return WayAnswer(SUCCESS, names, tuple(tuple(point.tolist()) for point in (begin, middle, end)))


def asked_ways(planner: FakePlanner) -> AskedWays:
    ways = AskedWays(planner, PROFILE, GROUPS, {-1: 'PLANNING_FAILED'})
    ways.look((), PROFILE.home)
    return ways


@given(st.floats(-0.3, 0.3), st.floats(-0.05, 0.05))
def test_points_come_in_the_order_of_the_arm_and_end_exactly_where_they_should(turn: float, detour: float) -> None:
    end = HOME + turn
    way = asked_ways(FakePlanner(detour=detour)).way('left', HOME, end)
    np.testing.assert_array_equal(way[-1], end)
    if abs(turn) >= 1e-3:
        np.testing.assert_allclose(way[0], (HOME + end) / 2 + detour, atol=1e-12)


def test_it_is_asked_for_the_arms_group_from_where_all_joints_are() -> None:
    planner = FakePlanner()
    asked_ways(planner).way('left', AWAY, HOME)
    ((group, start, goal),) = planner.asked
    assert group == 'left_manipulator'
    assert set(start) == set(PROFILE.home)
    assert [start[name] for name in LEFT.joints] == AWAY.tolist()
    assert [goal[name] for name in LEFT.joints] == HOME.tolist()


def test_what_stands_on_the_table_is_shown_once_and_again_when_it_has_changed() -> None:
    planner, box = FakePlanner(), Solid('box', (0.5, 0.0, 0.85), (0.1, 0.1, 0.1))
    ways = asked_ways(planner)
    for solids in ((box,), (box,), ()):
        ways.look(solids, PROFILE.home)
        ways.way('left', HOME, AWAY)
        ways.way('left', AWAY, HOME)
    assert planner.shown == [(box,), ()]


def way_of(*points: Sequence[float], joints: tuple[str, ...] = LEFT.joints, code: int = SUCCESS) -> WayAnswer:
    return WayAnswer(code, joints, tuple(tuple(map(float, point)) for point in points))


FAR = HOME + np.array([0.0, 0.0, 0.0, 0.0, 0.0, 99.0])


@pytest.mark.parametrize(
    ('answer', 'match'),
    [
        (way_of(code=-1), r'found no path: PLANNING_FAILED \(-1\)'),
        (way_of(code=-99), r'error \(-99\)'),
        (way_of(), 'has no points'),
        (way_of(HOME, AWAY, joints=LEFT.joints[1:]), "lacks joint 'left_turn'"),
        (way_of(HOME[1:], AWAY), 'without a position for each joint'),
        (way_of(HOME + 0.1, AWAY), 'begins 0.100 away from where it should'),
        (way_of(HOME, AWAY - 0.1), 'ends 0.100 away from where it should'),
        (way_of(HOME, HOME * np.nan, AWAY), 'positions that are not finite'),
        (way_of(HOME, FAR, AWAY), "limits of joint 'left_twist'"),
    ],
)
def test_what_is_no_way_is_refused(answer: WayAnswer, match: str) -> None:
    with pytest.raises(NoWay, match=match):
        asked_ways(FakePlanner(answer)).way('left', HOME, AWAY)


def test_a_planner_that_does_not_answer_ends_the_search_and_says_what_to_do() -> None:
    planner = FakePlanner(StackError('service plan_kinematic_path is not available'))
    ways = AskedWays(planner, PROFILE, GROUPS, {})
    with pytest.raises(MotionError, match='plan_kinematic_path is not available; planner: own needs none'):
        MotionPlanner(PROFILE, ways=ways).plan(MotionRequest('point', 'a'), SNAPSHOT, PROFILE.home)
    assert len(planner.asked) == 1


def test_straight_ways_go_in_small_steps() -> None:
    way = StraightWays().way('left', HOME, AWAY)
    assert max(np.abs(np.diff([HOME, *way], axis=0)).max(axis=1)) <= 0.15


@pytest.mark.physics
@pytest.mark.parametrize('kind', ['point', 'give'])
def test_a_motion_goes_the_way_of_the_other_planner(kind: str) -> None:
    request = MotionRequest(kind, 'a', USERS_SIDE if kind == 'give' else '')  # type: ignore[arg-type]
    straight = MotionPlanner(PROFILE).plan(request, SNAPSHOT, PROFILE.home)
    planner = FakePlanner(detour=-0.05)
    plan = MotionPlanner(PROFILE, ways=asked_ways(planner)).plan(request, SNAPSHOT, PROFILE.home)
    assert [segment.name for segment in plan.segments] == [segment.name for segment in straight.segments]
    assert {group for group, _, _ in planner.asked} == {GROUPS[plan.arm]}
    assert planner.shown


@pytest.mark.physics
def test_a_way_through_the_table_is_refused_by_our_own_check() -> None:
    """The other planner says that it is free."""

    class Through(FakePlanner):
        def plan(self, group: str, start: Mapping[str, float], goal: Mapping[str, float]) -> WayAnswer:
            self.asked.append((group, dict(start), dict(goal)))
            names = tuple(goal)
            down = {name: value + (1.0 if name.endswith('_lift') else 0.0) for name, value in goal.items()}
            limits = {joint.name: (joint.lower, joint.upper) for joint in PROFILE.moving_joints}
            points = [
                tuple(float(np.clip(given[name], *limits[name])) for name in names) for given in (start, down, goal)
            ]
            return WayAnswer(SUCCESS, names, tuple(points))

    planner = Through()
    with pytest.raises(MotionError, match=r'table'):
        MotionPlanner(PROFILE, ways=asked_ways(planner)).plan(
            MotionRequest('give', 'a', USERS_SIDE), SNAPSHOT, PROFILE.home
        )
    assert planner.asked
