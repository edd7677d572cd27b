"""The frame of a grasp is where the hand will close, and is shown from the plan until its motion has ended."""

from dataclasses import replace

import numpy as np
import pytest
from fakes import ARM, HAND_JOINT, FakeTable
from robots import PEAR, make_robot
from scipy.spatial.transform import Rotation
from tabletops import PROFILES, planner, random_table, seen

from action_node.config import ActionConfig
from action_node.motion.motion_plan import MotionPlan, MotionRequest
from action_node.shown_grasp import GraspFrame, grasp_frame
from lucca_core.codes import ReasonCode
from lucca_core.protocol.snapshots import USERS_SIDE, Pose
from lucca_robot.kinematics import RobotKinematics

WHERE = GraspFrame(f'grasp/{PEAR}', 'world', Pose((0.0, 0.0, 0.8)))


@pytest.mark.parametrize('name', PROFILES)
@pytest.mark.parametrize('job', [('pick_and_place', 'box 1'), ('give', USERS_SIDE)])
def test_the_hand_closes_where_the_plan_says_that_it_grasps(name: str, job: tuple[str, str]) -> None:
    things, profile = random_table(1, 6), PROFILES[name]
    kinematics, turned = RobotKinematics(profile), set()
    for thing in things:
        plan = planner(name).plan(MotionRequest(job[0], thing.name, job[1]), seen(things, 1), profile.home)
        reach = next(segment for segment in plan.segments if segment.name == 'reach')
        kinematics.update(profile.home | dict(zip(reach.joints, reach.positions[-1].tolist(), strict=True)))
        rotation, position = kinematics.tool_pose(plan.arm)
        assert plan.grasp is not None
        assert plan.grasp.position_m == pytest.approx(position, abs=0.003)
        off = Rotation.from_quat(plan.grasp.orientation_xyzw).as_matrix().T @ rotation
        assert Rotation.from_matrix(off).magnitude() < 0.03
        turned.add(tuple(np.round(plan.grasp.orientation_xyzw, 2)))
    assert len(turned) > 1


def test_a_plan_that_only_points_grasps_nothing() -> None:
    things = random_table(1, 3)
    plan = planner('nicol').plan(MotionRequest('point', things[0].name), seen(things, 1), PROFILES['nicol'].home)
    assert plan.grasp is None
    assert grasp_frame(plan, things[0].name, 'world') is None


def test_a_frame_is_named_after_its_object_and_is_in_the_frame_of_the_snapshot() -> None:
    plan = MotionPlan(ARM, (), grasp=Pose((0.1, 0.2, 0.9)))
    assert grasp_frame(plan, 'a1-7', 'table') == GraspFrame('grasp/a1-7', 'table', Pose((0.1, 0.2, 0.9)))


class Shown:
    """Keeps what is shown, and whether the hand was still open then."""

    def __init__(self, table: FakeTable) -> None:
        self.frames: list[GraspFrame | None] = []
        self.open: list[bool] = []
        self._table = table

    def __call__(self, frame: GraspFrame | None) -> None:
        self.frames.append(frame)
        self.open.append(self._table.positions[HAND_JOINT] < 0.1)


def test_a_grasp_is_shown_before_the_hand_closes_and_no_more_when_the_action_has_ended() -> None:
    table = FakeTable()
    shown = Shown(table)
    robot = make_robot(table, show_grasp=shown)
    during: list[GraspFrame | None] = []
    table.at.append((table.time_s + 2.0, lambda: during.append(shown.frames[-1])))
    assert robot.do('<move_to_box_1(pear)>').code is ReasonCode.DONE
    assert shown.frames == [WHERE, None]
    assert shown.open[0]
    assert during == [WHERE]


def test_the_grasp_of_each_attempt_is_shown() -> None:
    table = FakeTable(misses=1)
    shown = Shown(table)
    assert make_robot(table, show_grasp=shown).do('<move_to_box_1(pear)>').attempts == 2
    assert shown.frames == [WHERE, WHERE, None]


def test_what_only_points_or_cannot_be_planned_shows_nothing() -> None:
    shown = Shown(table := FakeTable())
    robot = make_robot(table, show_grasp=shown)
    robot.do('<point(apple)>')
    robot.planner.unreachable.add(PEAR)
    robot.do('<move_to_box_1(pear)>')
    assert set(shown.frames) == {None}


def test_the_grasp_of_a_dry_run_stays_to_be_looked_at() -> None:
    shown = Shown(table := FakeTable())
    make_robot(table, config=replace(ActionConfig(), dry_run=True), show_grasp=shown).do('<move_to_box_1(pear)>')
    assert shown.frames == [WHERE]
