"""A gripper that opens less than a bowl is wide takes it by its rim; what is solid and too wide is refused."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from narrow_gripper import OPENING_M, narrow_gripper

from action_node.motion.arm_reach import ArmReach
from action_node.motion.collision import Solid
from action_node.motion.grasp import HandShape, grasps
from action_node.motion.motion_plan import MotionRequest
from action_node.motion.planner import MotionPlanner
from action_node.motion.table_geometry import solids_of, walls_of, widened_m
from lucca_core.protocol.snapshots import USERS_SIDE, Container, Snapshot
from lucca_lab.runs.carried_out import Carrier, seen
from lucca_memory.procedural import load_actions
from lucca_robot.profile import RobotProfile, load_profile
from lucca_sim.physics_table import PhysicsTable
from lucca_sim.scene import load_scene

TOP = 0.8
FLOOR = TOP + 0.006
BOWL = Solid('bowl', (0.4, 0.2, TOP + 0.021), (0.12, 0.12, 0.042), True, hollow=True)


@pytest.fixture
def robot(tmp_path: Path) -> RobotProfile:
    return narrow_gripper(tmp_path)


def test_a_gripper_opens_as_wide_as_its_solids_say_and_a_hand_with_fingers_has_no_such_width(
    robot: RobotProfile,
) -> None:
    assert HandShape(robot, 'left').opening_m == pytest.approx(OPENING_M)
    assert HandShape(load_profile('nicol'), 'left').opening_m == math.inf


def test_a_bowl_is_taken_by_its_rim_with_one_finger_inside_above_its_floor(robot: RobotProfile) -> None:
    hand = HandShape(robot, 'left')
    found = list(grasps(BOWL, hand, (0.0,), -1.0, FLOOR))
    assert found
    for grasp in found:
        x, y, z = grasp.target.position_m
        within_m = BOWL.size_m[0] / 2 - widened_m(BOWL) - math.hypot(x - 0.4, y - 0.2)
        assert 0 < within_m < OPENING_M / 4
        across = grasp.target.rotation[:2, 0] @ np.array([x - 0.4, y - 0.2])
        assert abs(across) == pytest.approx(math.hypot(x - 0.4, y - 0.2)), 'the fingers close across the wall'
        assert FLOOR < z + hand.lowest_m(grasp.target.rotation) < BOWL.top_m


def test_what_is_solid_and_as_wide_has_no_grasp(robot: RobotProfile) -> None:
    assert not list(grasps(replace(BOWL, hollow=False), HandShape(robot, 'left'), (0.0,), -1.0, FLOOR))


def test_the_wall_of_a_bowl_is_within_its_outline_and_leaves_its_middle_free() -> None:
    outer_m = BOWL.size_m[0] / 2
    for wall in walls_of(BOWL):
        assert wall.name == BOWL.name
        from_middle_m = math.dist(wall.centre_m[:2], BOWL.centre_m[:2])
        assert outer_m / 2 < from_middle_m - wall.size_m[0] / 2
        assert from_middle_m + wall.size_m[0] / 2 < outer_m


def with_bowls(snapshot: Snapshot) -> Snapshot:
    """A bowl on the table holds things, as perception says of it."""
    bowls = [item for item in snapshot.objects if item.label == 'bowl' and item.container == 'table']
    of_bowls = [
        Container(name=item.name, position_world_m=(*item.pose_world.position_m[:2], TOP), size_m=item.size_m)
        for item in bowls
    ]
    return replace(snapshot, containers=(*snapshot.containers, *of_bowls))


def test_the_gate_says_what_is_too_wide_before_anything_moves(robot: RobotProfile) -> None:
    scene = load_scene('recipe', 1)
    snapshot = seen(scene, PhysicsTable(scene, robot))
    give = load_actions()['give']
    bowl = snapshot.object_named('bowl')
    assert bowl is not None
    assert ArmReach(robot).out_of_reach(give, bowl, with_bowls(snapshot)) == ''
    why = ArmReach(robot).out_of_reach(give, bowl, snapshot)
    assert why == 'bowl is 104 mm wide, and the widest hand opens 80 mm'


def test_only_a_bowl_on_the_table_is_hollow() -> None:
    scene = load_scene('recipe', 1)
    snapshot = with_bowls(seen(scene, PhysicsTable(scene, load_profile('two_six_dof'))))
    assert {solid.name for solid in solids_of(snapshot, TOP) if solid.hollow} == {'bowl'}


@pytest.mark.physics
@pytest.mark.parametrize(('target', 'container'), [('bowl', 'box 2'), ('cup', 'box 2'), ('apple', 'box 1')])
def test_in_physics_what_is_wide_and_what_is_not_gets_where_it_should(
    robot: RobotProfile, target: str, container: str
) -> None:
    scene = load_scene('sorting', 3)
    table = PhysicsTable(scene, robot)
    table.step(0.5)
    snapshot = with_bowls(seen(scene, table))
    plan = MotionPlanner(robot).plan(
        MotionRequest('pick_and_place', target, container), snapshot, table.joint_positions()
    )
    Carrier(table).carry_out(plan)
    placed = seen(scene, table).object_named(target)
    assert placed is not None
    assert placed.container == container
    assert not any(table.object_states().held_by)
    assert snapshot.container_named(USERS_SIDE) is not None
