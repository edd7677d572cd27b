"""What is prohibited while the hand is on its way is not grasped; what is grasped already is brought to its place."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from fakes import ARM_JOINT, HAND_JOINT, HOME, FakePlanner
from hypothesis import given, settings
from hypothesis import strategies as st
from robots import PEAR, Robot, make_robot

from action_node.cancel_latch import CancelLatch
from action_node.motion.motion_plan import MotionPlan, MotionRequest
from lucca_core.codes import ReasonCode
from lucca_core.protocol.prohibitions import NOTHING_PROHIBITED, KeptProhibitions, Prohibition
from lucca_core.protocol.snapshots import HAND, TABLE, USERS_SIDE, Snapshot

PLACES = {'move_to_box_1': 'box 1', 'give': USERS_SIDE}
THE_PEAR = KeptProhibitions(prohibitions=(Prohibition(what='the pear', person='Ana'),))


class Kept:
    """Prohibitions that change at a moment of a robot's clock."""

    def __init__(self) -> None:
        self.now = NOTHING_PROHIBITED

    def __call__(self) -> KeptProhibitions:
        return self.now

    def becomes(self, kept: KeptProhibitions) -> None:
        self.now = kept


def moving(kept: KeptProhibitions, delay_s: float) -> Robot:
    """A robot for which `kept` holds after some time; the hand closes from about 1 s on."""
    prohibitions = Kept()
    robot = make_robot(prohibitions=prohibitions)
    robot.table.at.append((robot.table.time_s + delay_s, lambda: prohibitions.becomes(kept)))
    return robot


@pytest.mark.parametrize('action', PLACES)
def test_what_is_prohibited_on_the_way_to_it_is_left_where_it_is(action: str) -> None:
    robot = moving(THE_PEAR, 0.7)
    result = robot.do(f'<{action}(pear)>')
    assert result.code is ReasonCode.PROHIBITED
    assert '“do not move the pear”, as Ana said' in result.message
    assert 'the arm had not grasped it yet' in result.message
    assert (robot.place(), robot.at_home) == (TABLE, True)
    assert robot.log == [('intent', '', 0), ('outcome', 'prohibited', 1)]
    assert robot.table.positions[ARM_JOINT] == pytest.approx(HOME, abs=0.15)
    assert robot.do('<move_to_box_1(apple)>').code is ReasonCode.DONE


@settings(max_examples=80, deadline=None)
@given(st.floats(0.0, 5.0), st.sampled_from(sorted(PLACES)))
def test_at_any_instant_it_is_either_never_grasped_or_brought_to_its_place(delay_s: float, action: str) -> None:
    robot = moving(THE_PEAR, delay_s)
    grip: list[float] = []
    robot.table.at += [
        (robot.table.time_s + 0.05 * tick, lambda: grip.append(robot.table.positions[HAND_JOINT]))
        for tick in range(120)
    ]
    result = robot.do(f'<{action}(pear)>')
    assert robot.at_home
    assert robot.log[-1] == ('outcome', str(result.code), 1)
    if result.code is ReasonCode.DONE:
        assert robot.place() == PLACES[action]
    else:
        assert result.code is ReasonCode.PROHIBITED
        assert robot.place() == TABLE
        assert max(grip, default=0.0) < 0.1, 'the hand stayed open'


def test_once_the_hand_closes_it_is_finished() -> None:
    robot = moving(THE_PEAR, 2.2)
    held: list[str] = []
    robot.table.at.append((robot.table.time_s + 2.2, lambda: held.append(robot.table.objects[PEAR].container)))
    assert robot.do('<move_to_box_1(pear)>').code is ReasonCode.DONE
    assert held == [HAND]
    assert robot.place() == 'box 1'


def test_a_prohibition_of_something_else_changes_nothing() -> None:
    robot = moving(KeptProhibitions(prohibitions=(Prohibition(what='the apple'),)), 0.7)
    assert robot.do('<move_to_box_1(pear)>').code is ReasonCode.DONE
    robot = moving(KeptProhibitions(prohibitions=(Prohibition(what='the pear', place='box 2'),)), 0.7)
    assert robot.do('<move_to_box_1(pear)>').code is ReasonCode.DONE
    robot = moving(THE_PEAR, 0.7)
    assert robot.do('<point(pear)>').code is ReasonCode.DONE


def test_if_it_is_not_known_any_more_what_is_prohibited_nothing_is_grasped() -> None:
    robot = moving(KeptProhibitions(fault='the file cannot be read, so nothing moves'), 0.7)
    result = robot.do('<move_to_box_1(pear)>')
    assert result.code is ReasonCode.PROHIBITED
    assert 'cannot be read' in result.message
    assert (robot.place(), robot.at_home) == (TABLE, True)


def test_a_cancel_is_told_as_a_cancel() -> None:
    robot = moving(THE_PEAR, 0.7)
    latch = CancelLatch()
    robot.table.at.append((robot.table.time_s + 0.65, latch.set))
    assert robot.do('<move_to_box_1(pear)>', latch).code is ReasonCode.CANCELLED
    assert robot.place() == TABLE


class RestlessPlanner(FakePlanner):
    """Moves the open hand also before it grasps and after it has released, as no planner of ours does yet."""

    def plan(self, request: MotionRequest, snapshot: Snapshot, joint_positions: Mapping[str, float]) -> MotionPlan:
        plan = super().plan(request, snapshot, joint_positions)
        still = self._hand('open', self.opened, self.opened)
        if plan.grasps_at is None or plan.releases_at is None:
            return plan
        return replace(
            plan,
            segments=(still, *plan.segments, still, still),
            grasps_at=plan.grasps_at + 1,
            releases_at=plan.releases_at + 1,
        )


@pytest.mark.parametrize(('delay_s', 'grasped'), [(0.7, False), (2.6, True), (3.2, True)])
def test_a_planner_may_move_the_hand_whenever_it_likes(delay_s: float, *, grasped: bool) -> None:
    prohibitions = Kept()
    robot = make_robot(prohibitions=prohibitions, planner=RestlessPlanner())
    robot.table.at.append((robot.table.time_s + delay_s, lambda: prohibitions.becomes(THE_PEAR)))
    result = robot.do('<move_to_box_1(pear)>')
    expected = (ReasonCode.DONE, 'box 1') if grasped else (ReasonCode.PROHIBITED, TABLE)
    assert (result.code, robot.place()) == expected
    assert robot.at_home


@pytest.mark.parametrize(('grasps_at', 'releases_at'), [(1, None), (None, 3), (3, 1), (1, 1), (-1, 3), (1, 5)])
def test_a_plan_releases_after_it_grasps(grasps_at: int | None, releases_at: int | None) -> None:
    table = make_robot().table
    plan = FakePlanner().plan(MotionRequest('pick_and_place', PEAR, 'box 1'), table.snapshot(), table.positions)
    with pytest.raises(ValueError, match='grasps in one of its 5 segments and releases in a later one'):
        replace(plan, grasps_at=grasps_at, releases_at=releases_at)
