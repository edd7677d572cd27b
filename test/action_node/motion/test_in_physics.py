"""Planned motions carried out on the physical table: every object of the scenes gets where it should."""

import numpy as np
import pytest

from action_node.motion.motion_plan import MotionRequest
from action_node.motion.planner import MotionPlanner
from lucca_core.protocol.snapshots import USERS_SIDE
from lucca_lab.runs.carried_out import Carrier, seen
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


@pytest.mark.parametrize(
    ('name', 'seed'),
    [
        ('sorting', 3),
        ('tower', 3),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (('arrangement', 3), ('recipe', 3), *((name, 4) for name in JOBS))
        ),
    ],
)
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
        Carrier(table).carry_out(plan)
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


def test_a_banana_near_the_robot_is_not_squeezed_out_of_the_hand() -> None:
    """Where the most natural grasp is out of reach: it was let fall on the way."""
    planner, scene = MotionPlanner(load_profile('nicol')), load_scene('arrangement', 101)
    table = PhysicsTable(scene, planner.profile)
    table.step(0.5)
    request = MotionRequest('pick_and_place', 'banana', 'bowl')
    Carrier(table).carry_out(planner.plan(request, seen(scene, table), table.joint_positions()))
    banana = seen(scene, table).object_named('banana')
    assert banana is not None
    assert banana.container == 'bowl'
