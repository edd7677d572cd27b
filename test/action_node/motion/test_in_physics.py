"""Planned motions carried out on the physical table: every object of the scenes gets where it should."""

import numpy as np
import pytest

from action_node.motion.plan import MotionPlan, MotionRequest
from action_node.motion.planner import MotionPlanner
from lucca_core.values import USERS_SIDE, Container, Snapshot, TableObject
from lucca_robot.profile import load_profile
from lucca_sim.mujoco import PhysicsTable
from lucca_sim.scene import Scene, load_scene

pytestmark = pytest.mark.physics

JOBS = {
    'sorting': {
        'apple': 'box 1',
        'banana': 'box 1',
        'pear': 'box 1',
        'cup': 'box 2',
        'bowl': 'box 2',
        'baseball': USERS_SIDE,
    },
    'tower': {f'{colour} cube': 'tower' for colour in ('red', 'green', 'blue', 'yellow')},
    'arrangement': dict.fromkeys(('apple', 'banana', 'lemon', 'orange', 'pear'), 'bowl'),
    'recipe': dict.fromkeys(('bowl', 'jello', 'banana', 'can'), USERS_SIDE),
}


def seen(scene: Scene, table: PhysicsTable) -> Snapshot:
    states = table.object_states()
    objects = []
    for index, item in enumerate(scene.objects):
        x, y, z = (float(value) for value in states.positions_m[index])
        container = USERS_SIDE if x > 0.66 else 'table'
        for candidate in scene.containers:
            if candidate.outline.contains(x, y):
                container = candidate.name
        turn = states.orientations_wxyz[index]
        objects.append(
            TableObject(
                object_id=item.name,
                name=item.name,
                label=item.label,
                pose_world=type(item.pose)((x, y, z), (float(turn[1]), float(turn[2]), float(turn[3]), float(turn[0]))),
                size_m=item.size_m,
                container=container,
            )
        )
    side = Container(name=USERS_SIDE, position_world_m=(0.82, 0.0, 0.8), size_m=(0.32, 1.94, 0.001))
    containers = [side]
    for candidate in scene.containers:
        width, depth, height = candidate.size_m
        if candidate.name == 'tower':
            inside = [o for o in objects if o.container == 'tower']
            height = max([height, *(o.pose_world.position_m[2] + o.size_m[2] / 2 - 0.8 for o in inside)])
        containers.append(
            Container(name=candidate.name, position_world_m=candidate.position_world_m, size_m=(width, depth, height))
        )
    return Snapshot(objects=tuple(objects), containers=tuple(containers))


def carry_out(table: PhysicsTable, plan: MotionPlan) -> None:
    for segment in plan.segments:
        start = table.time_s + 0.02
        table.command(segment.controller, segment.joints, segment.times_s, segment.positions, segment.velocities, start)
        table.step(start + segment.duration_s + 0.05)
    table.step(table.time_s + 0.5)


@pytest.mark.parametrize('name', JOBS)
@pytest.mark.parametrize('seed', [3, 4])
def test_every_object_gets_where_it_should_and_nothing_else_moves(name: str, seed: int) -> None:
    profile = load_profile('nicol')
    planner, scene = MotionPlanner(profile), load_scene(name, seed)
    table = PhysicsTable(scene, profile)
    table.step(0.5)
    for index, (target, container) in enumerate(JOBS[name].items()):
        snapshot = seen(scene, table)
        kind = 'give' if container == USERS_SIDE else 'pick_and_place'
        before = table.object_states().positions_m.copy()
        plan = planner.plan(MotionRequest(kind, target, container), snapshot, table.joint_positions())
        carry_out(table, plan)
        after = seen(scene, table)
        placed = after.object_named(target)
        assert placed is not None
        assert placed.container == container
        if container == 'tower':
            assert placed.pose_world.position_m[2] == pytest.approx(0.8 + 0.004 + 0.045 * (index + 0.5), abs=0.006)
        shifts = np.linalg.norm(table.object_states().positions_m - before, axis=1)
        bystanders = [
            float(shift)
            for item, shift in zip(snapshot.objects, shifts, strict=True)
            if item.name != target and item.container == 'table'
        ]
        assert max(bystanders, default=0.0) < 0.005
    assert not any(table.object_states().held_by)
