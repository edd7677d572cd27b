"""Planned motions carried out on the physical table: every object of the scenes gets where it should."""

import numpy as np
import pytest
from carried_out import carry_out, seen

from action_node.motion.motion_plan import MotionRequest
from action_node.motion.planner import MotionPlanner
from lucca_core.protocol.snapshots import USERS_SIDE
from lucca_robot.profile import load_profile
from lucca_sim.physics_table import PhysicsTable
from lucca_sim.scene import load_scene

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
